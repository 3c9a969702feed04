package report

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Status is a scan at one moment. The zero value is a scan that has not begun.
type Status struct {
	Elapsed               time.Duration
	Items                 int64 // that the input has made so far
	Growing               bool  // more may be read: Items is not the end of it
	Done, Failed, Skipped int64
	Sent                  int64   // requests
	Rate                  float64 // requests per second lately; filled in by whoever displays it
	Hosts                 int64   // read from the input
	Open, Dead            int64   // hosts in quarantine, and given up
	HalfOpen              int64   // those of the first that are being called at this moment
	Final                 bool    // the scan is over
}

// Finished is the number of items that need no more work, whatever became of them.
func (s Status) Finished() int64 { return s.Done + s.Failed + s.Skipped }

// Percent is how much of the items is finished, rounded down: 100 when all are and
// the scan is over, never more, and never 100 before.
func (s Status) Percent() int {
	finished := s.Finished()
	switch {
	case finished < s.Items:
		return int(finished * 100 / s.Items)
	case s.Final:
		return 100
	case finished == 0:
		return 0
	}
	return 99 // the input may make more, and the last hosts may still change their mind
}

// count is finished/items; a plus says that the input is still being read.
func (s Status) count() string {
	plus := ""
	if s.Growing && !s.Final {
		plus = "+"
	}
	return fmt.Sprintf("%d/%d%s items", s.Finished(), s.Items, plus)
}

// String renders the status in one line:
//
//	12s 4200/6000 items (70 %) 350/s done 4100 failed 12 skipped 88 hosts 180 open 20 dead 3
func (s Status) String() string {
	return fmt.Sprintf("%s %s (%d %%) %.0f/s done %d failed %d skipped %d hosts %d open %d dead %d",
		s.Elapsed.Truncate(time.Second), s.count(), s.Percent(), s.Rate,
		s.Done, s.Failed, s.Skipped, s.Hosts, s.Open, s.Dead)
}

// PrintStatus writes a line to w every interval, which is positive, until ctx ends, and then the last
// one. sample is called on this goroutine; after the end of ctx it is to tell how the scan ended.
// It is what stands in for a progress bar where there is no terminal. Errors of w are passed over:
// a status that nobody reads is no reason to stop.
func PrintStatus(ctx context.Context, w io.Writer, interval time.Duration, sample func() Status) {
	printStatus(ctx, interval, sample, func(s Status) { fmt.Fprintln(w, s) })
}

// PrintStatusJSON is [PrintStatus] for programs: each line is an object.
func PrintStatusJSON(ctx context.Context, w io.Writer, interval time.Duration, sample func() Status) {
	printStatus(ctx, interval, sample, func(s Status) {
		if line, err := json.Marshal(s); err == nil { // numbers only
			fmt.Fprintf(w, "%s\n", line)
		}
	})
}

func printStatus(ctx context.Context, interval time.Duration, sample func() Status, write func(Status)) {
	meter := meter{span: interval}
	watch(ctx, interval, func(final bool) {
		s := sample()
		s.Final = final
		s.Rate = meter.rate(s)
		if final && s.Items == 0 {
			return // there was nothing to tell of
		}
		write(s)
	})
}

// watch calls show every interval, and once more, with final, when ctx has ended.
func watch(ctx context.Context, interval time.Duration, show func(final bool)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			show(true)
			return
		case <-ticker.C:
			// Both may be ready, and the end comes first.
			if ctx.Err() == nil {
				show(false)
			}
		}
	}
}

// meter tells requests per second over the last span, and of the whole scan at its end.
type meter struct {
	span    time.Duration
	samples []sample // ascending; the first is the newest that is a span old, or the oldest
}

type sample struct {
	at   time.Duration
	sent int64
}

func (m *meter) rate(s Status) float64 {
	if s.Final {
		return perSecond(s.Sent, s.Elapsed)
	}
	if len(m.samples) == 0 {
		m.samples = append(m.samples, sample{})
	}
	m.samples = append(m.samples, sample{at: s.Elapsed, sent: s.Sent})
	for len(m.samples) > 2 && s.Elapsed-m.samples[1].at >= m.span {
		m.samples = append(m.samples[:0], m.samples[1:]...)
	}
	oldest := m.samples[0]
	return perSecond(s.Sent-oldest.sent, s.Elapsed-oldest.at)
}

func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}
