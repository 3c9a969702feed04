package cmd

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// durationValue is a flag in Go units ("1m30s"), where a bare number is seconds, as users of other scanners type it.
type durationValue time.Duration

// String is "0" for no time, which keeps it out of the help as a default.
func (d *durationValue) String() string {
	if *d == 0 {
		return "0"
	}
	return time.Duration(*d).String()
}

// Type names the value in helps.
func (d *durationValue) Type() string { return "duration" }

// Set parses a flag's text.
func (d *durationValue) Set(text string) error {
	v, err := parseDuration(text)
	if err != nil {
		return err
	}
	*d = durationValue(v)
	return nil
}

func parseDuration(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 && seconds < 1e9 {
		return time.Duration(seconds * float64(time.Second)), nil
	}
	v, err := time.ParseDuration(text)
	if err != nil || v < 0 {
		return 0, fmt.Errorf("expected a duration such as 500ms, 15s or 2m, or a number of seconds")
	}
	return v, nil
}

// shareValue is a flag that is a count ("20") or a share of all ("5%").
type shareValue struct {
	set     bool
	n       float64
	percent bool
}

func (s *shareValue) String() string {
	switch {
	case !s.set:
		return ""
	case s.percent:
		return strconv.FormatFloat(s.n, 'g', -1, 64) + "%"
	}
	return strconv.FormatFloat(s.n, 'g', -1, 64)
}

// Type names the value in helps.
func (s *shareValue) Type() string { return "n|n%" }

// Set parses a flag's text.
func (s *shareValue) Set(text string) error {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || n < 0 || percent && n > 100 || !percent && n != float64(int64(n)) {
		return fmt.Errorf("expected a number of items such as 20, or a share such as 5%%")
	}
	*s = shareValue{set: true, n: n, percent: percent}
	return nil
}

// exceeded says that n of all are more than the share allows.
func (s *shareValue) exceeded(n, all int64) bool {
	if s.percent {
		return float64(n)*100 > s.n*float64(all)
	}
	return float64(n) > s.n
}

// UsageError is an error in what the user gave to a flag.
type UsageError struct {
	Flag string
	Text string
}

func (e *UsageError) Error() string { return "--" + e.Flag + ": " + e.Text }

func usageErrorf(flag, format string, args ...any) error {
	return &UsageError{Flag: flag, Text: fmt.Sprintf(format, args...)}
}

// atLeast checks the lower bound of a numeric flag.
func atLeast[N int | float64](flag string, v, least N) error {
	switch {
	case v < least || v != v:
		return usageErrorf(flag, "%v is out of range, expected %v or more", v, least)
	case math.IsInf(float64(v), 1):
		return usageErrorf(flag, "%v is out of range, expected a number", v)
	}
	return nil
}
