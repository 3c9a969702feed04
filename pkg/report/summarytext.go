package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Widths of the table of quarantined hosts: a row takes at most 80 columns.
const (
	textColumns = 80
	hostColumn  = 32
	errorIndent = "      "
)

// why is what stopped the scan, in brackets; that it was interrupted is said already.
func (s *Summary) why(longest int, escape func(string) string) string {
	if s.Interrupted == "interrupted" {
		return ""
	}
	return " (" + escape(cut(s.Interrupted, longest)) + ")"
}

// Text renders the summary for a terminal, in lines of at most 80 columns.
func (s *Summary) Text() string {
	var b strings.Builder
	title := "Scan finished"
	if s.Interrupted != "" {
		title = "Scan interrupted" + s.why(40, func(text string) string { return text })
	}
	fmt.Fprintf(&b, "%s after %s\n", title, roundTime(s.Duration))
	fmt.Fprintf(&b, "  hosts     %s\n", s.hosts())
	fmt.Fprintf(&b, "  items     %d = %d done + %d failed + %d skipped%s\n",
		s.Items, s.Done, s.Failed, s.Skipped, s.unaccounted())
	fmt.Fprintf(&b, "  sent      %d\n", s.Sent)
	fmt.Fprintf(&b, "  findings  %d\n", s.Findings)
	if s.Checks > 0 || s.Refused > 0 {
		fmt.Fprintf(&b, "  checks    %d run, %d refused\n", s.Checks, s.Refused)
	}
	s.writeReasons(&b)
	writeCount(&b, "throttled", s.ThrottledHosts, "asked for less")
	writeCount(&b, "held", s.HeldHosts, "failed too often within the failure window")
	writeHosts(&b, "Quarantined", "trips", s.Quarantined, s.QuarantinedHosts)
	writeHosts(&b, "Held", "times", s.Held, s.HeldHosts)
	return b.String()
}

// hosts is their number, which the events of a scan that was killed do not tell.
func (s *Summary) hosts() string {
	if s.Hosts == 0 && s.Items > 0 {
		return "not told"
	}
	return strconv.FormatInt(s.Hosts, 10)
}

// unaccounted speaks up when the books do not balance: better a question than a lie.
func (s *Summary) unaccounted() string {
	if missing := s.Missing(); missing != 0 {
		return fmt.Sprintf(" + %d unaccounted for", missing)
	}
	return ""
}

// writeReasons lists why items were skipped, the largest number first.
func (s *Summary) writeReasons(b *strings.Builder) {
	if s.Skipped == 0 {
		return
	}
	label := "skipped"
	for _, reason := range reasons(s) {
		fmt.Fprintf(b, "  %-8s  %d %s\n", label, s.SkippedBy[reason], cut(reason, 50))
		label = ""
	}
}

// writeCount says how many hosts something happened to, when there were any.
func writeCount(b *strings.Builder, label string, n int64, what string) {
	if n == 0 {
		return
	}
	noun := "hosts"
	if n == 1 {
		noun = "host"
	}
	fmt.Fprintf(b, "  %-9s %d %s %s\n", label, n, noun, what)
}

func writeHosts(b *strings.Builder, title, count string, rows []HostRow, all int64) {
	if all == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s hosts: %d\n", title, all)
	fmt.Fprintf(b, "  %-*s %-9s %5s %9s %9s %9s\n", hostColumn,
		"host", "state", count, "time", "done", "skipped")
	for _, row := range rows {
		fmt.Fprintf(b, "  %-*s %-9s %5d %9s %9d %9d\n", hostColumn, cutMiddle(row.Host, hostColumn),
			cut(row.State, 9), row.Trips, roundTime(row.Quarantine), row.Done, row.Skipped)
		if row.LastError != "" {
			fmt.Fprintf(b, "%s%s\n", errorIndent, cut(row.LastError, textColumns-len(errorIndent)))
		}
	}
	if more := all - int64(len(rows)); more > 0 {
		fmt.Fprintf(b, "  and %d more, all in the events file\n", more)
	}
}

// cut sanitises and shortens at the end.
func cut(text string, width int) string {
	return string(appendCut(nil, text, width))
}

// cutMiddle sanitises and shortens so that the port, at the end, is kept.
func cutMiddle(text string, width int) string {
	runes := []rune(Sanitize(text))
	if len(runes) <= width {
		return string(runes)
	}
	tail := width / 2
	return string(runes[:width-tail-1]) + "…" + string(runes[len(runes)-tail:])
}

// roundTime keeps what a person reads: tenths of a second, and whole seconds from a minute on.
func roundTime(d Duration) string {
	t := time.Duration(d)
	switch {
	case t >= 100*time.Hour:
		return strconv.Itoa(int(t.Hours())) + "h"
	case t >= time.Minute:
		return t.Round(time.Second).String()
	case t >= time.Second:
		return strconv.FormatFloat(t.Seconds(), 'f', 1, 64) + "s"
	}
	return t.Round(time.Millisecond).String()
}
