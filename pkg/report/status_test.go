package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestStatusLine(t *testing.T) {
	s := Status{
		Elapsed: 12*time.Second + 999*time.Millisecond, Items: 6000, Done: 4100, Failed: 12, Skipped: 88, Rate: 349.7,
		Hosts: 180, Open: 20, Dead: 3,
	}
	const want = "12s 4200/6000 items (70 %) 350/s done 4100 failed 12 skipped 88 hosts 180 open 20 dead 3"
	if got := s.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.Growing = true
	if got := s.String(); !strings.Contains(got, "4200/6000+ items (70 %)") {
		t.Errorf("a list that is still read: %s", got)
	}
}

// Skipped and failed items count: github.com/projectdiscovery/nuclei/issues/3630.
func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		status Status
		want   int
	}{
		{Status{}, 0},
		{Status{Final: true}, 100},
		{Status{Items: 1000, Done: 999}, 99},
		{Status{Items: 1000, Done: 900, Failed: 60, Skipped: 40}, 99},
		{Status{Items: 1000, Done: 900, Failed: 60, Skipped: 40, Final: true}, 100},
		{Status{Items: 1000, Done: 1001}, 99},
		{Status{Items: 1000, Done: 1001, Final: true}, 100},
		{Status{Items: 1000, Done: 999, Final: true}, 99}, // an item that was lost is not made up for
	} {
		if got := tt.status.Percent(); got != tt.want {
			t.Errorf("%+v: %d %%, want %d", tt.status, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string) int64 { return rapid.Int64Range(0, 1<<40).Draw(t, name) }
		s := Status{Items: n("items"), Done: n("done"), Failed: n("failed"), Skipped: n("skipped"), Final: rapid.Bool().Draw(t, "final")}
		if got := s.Percent(); got < 0 || got > 100 || (got == 100) != (s.Final && s.Finished() >= s.Items) {
			t.Fatalf("%+v: %d %%", s, got)
		}
	})
}

func TestPrintStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), 5500*time.Millisecond)
		defer cancel()
		start := time.Now()
		// 100 requests a second for two seconds, then 10.
		PrintStatus(ctx, &out, time.Second, func() Status {
			e := time.Since(start)
			return Status{Elapsed: e, Items: 4, Done: int64(min(e/time.Second, 4)), Sent: int64(100*min(e, 2*time.Second).Seconds() + 10*max(e-2*time.Second, 0).Seconds())}
		})
		var rates, percents []string
		for line := range strings.Lines(out.String()) {
			fields := strings.Fields(line)
			percents = append(percents, strings.Trim(fields[3], "("))
			rates = append(rates, fields[5])
		}
		if got, want := fmt.Sprint(rates), "[100/s 100/s 10/s 10/s 10/s 43/s]"; got != want {
			t.Errorf("rates %s, want %s", got, want)
		}
		if got, want := fmt.Sprint(percents), "[25 50 75 99 99 100]"; got != want {
			t.Errorf("percent %s, want %s", got, want)
		}
	})
}

// screen is as much of a terminal as a bar needs: carriage return, clear line, line feed.
type screen struct {
	mu    sync.Mutex
	lines []string
	line  string // the one with the cursor
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text := string(p); text != ""; {
		switch {
		case strings.HasPrefix(text, clearLine):
			s.line, text = "", text[len(clearLine):]
		case text[0] == '\n':
			s.lines, s.line, text = append(s.lines, s.line), "", text[1:]
		default:
			s.line, text = s.line+text[:1], text[1:]
		}
	}
	return len(p), nil
}

func TestMessagesDoNotTearTheBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var term screen
		p := NewProgress(&term, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			p.Run(ctx, func() Status { return Status{Items: 3000, Done: 1500, Hosts: 10, Open: 2, Dead: 1} })
		})
		var writers sync.WaitGroup
		const each = 300
		for _, name := range []string{"stdout", "stderr", "log"} {
			w := p.Writer(&term)
			writers.Go(func() {
				for i := range each {
					fmt.Fprintf(w, "%s ", name) // half a line, as a careless logger writes it
					<-time.After(7 * time.Millisecond)
					fmt.Fprintf(w, "%d\n", i)
				}
			})
		}
		writers.Wait()
		<-time.After(drawEvery)
		synctest.Wait()
		const bar = "  50% [=======>........] 1500/3000 items 0/s hosts 10 open 2 dead 1"
		if term.line != bar {
			t.Errorf("the last line is %q, want %q", term.line, bar)
		}
		if n := len(term.lines); n != 3*each {
			t.Errorf("%d lines above the bar, want %d", n, 3*each)
		}
		for _, line := range term.lines {
			if strings.Contains(line, "items") {
				t.Errorf("the bar was left in %q", line)
			}
		}
		cancel()
		wg.Wait()
		if last := term.lines[len(term.lines)-1]; term.line != "" || last != bar {
			t.Errorf("at the end the screen shows %q and %q, want the bar and a new line", last, term.line)
		}
		fmt.Fprintln(p.Writer(&term), "the summary")
		if last := term.lines[len(term.lines)-1]; last != "the summary" || term.line != "" {
			t.Errorf("after the end the screen shows %q and %q", last, term.line)
		}
	})
}

func TestBarGrowsWithItsList(t *testing.T) {
	var term screen
	p := NewProgress(&term, func() int { return 60 })
	for _, tt := range []struct {
		status Status
		want   string
	}{
		{Status{}, "   0% [................] 0/0 items 0/s hosts 0 open 0 dead…"},
		{Status{Items: 100, Done: 100, Growing: true}, "  99% [==============>.] 100/100+ items 0/s hosts 0 open 0…"},
		{Status{Items: 200, Done: 100, Growing: true}, "  50% [=======>........] 100/200+ items 0/s hosts 0 open 0…"},
		{Status{Items: 20000, Done: 150, Growing: true}, "   0% [................] 150/20000+ items 0/s hosts 0 open…"},
		{Status{Items: 200, Done: 190, Skipped: 10, Hosts: 4}, "  99% [==============>.] 200/200 items 0/s hosts 4 open 0 …"},
	} {
		p.draw(tt.status)
		if term.line != tt.want {
			t.Errorf("%+v:\ngot  %q\nwant %q", tt.status, term.line, tt.want)
		}
	}
	p.draw(Status{Items: 200, Done: 190, Skipped: 10, Final: true})
	if got, want := term.lines[0], " 100% [================] 200/200 items 0/s hosts 0 open 0 …"; got != want {
		t.Errorf("at the end:\ngot  %q\nwant %q", got, want)
	}
}

func TestErrorsOfWritersBesideTheBarAreTold(t *testing.T) {
	p := NewProgress(new(screen), nil)
	if _, err := p.Writer(brokenPipe{}).Write([]byte("x\n")); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want %v", err, errBroken)
	}
}

var errBroken = errors.New("broken pipe")

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

func TestStatusAsJSON(t *testing.T) {
	s := Status{Elapsed: 1260 * time.Millisecond, Items: 10, Growing: true, Done: 4, Failed: 2, Skipped: 1, Sent: 9, Rate: 7.14, Hosts: 3, Open: 1, Dead: 1}
	for final, want := range map[bool]string{
		false: `{"duration":1.3,"total":10,"growing":true,"percent":70,"done":4,"failed":2,"skipped":1,"requests":9,"rps":7.1,"hosts":3,"open":1,"dead":1,"final":false}`,
		true:  `{"duration":1.3,"total":10,"growing":false,"percent":70,"done":4,"failed":2,"skipped":1,"requests":9,"rps":7.1,"hosts":3,"open":1,"dead":1,"final":true}`,
	} {
		s.Final = final
		if got, err := json.Marshal(s); err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

func TestStatusLinesAsJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		PrintStatusJSON(ctx, &out, time.Second, func() Status { return Status{Items: 1} })
		if n := strings.Count(out.String(), `{"duration":0,"total":1,`); n != 3 || strings.Count(out.String(), `"final":true}`+"\n") != 1 {
			t.Errorf("got %q, want two lines and a final one", out.String())
		}
	})
}

// A scan that had nothing to do ends with its error, and with no status.
func TestStatusOfNothingIsNotPrinted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var b strings.Builder
	PrintStatus(ctx, &b, time.Second, func() Status { return Status{} })
	if b.Len() > 0 {
		t.Errorf("printed %q", b.String())
	}
}
