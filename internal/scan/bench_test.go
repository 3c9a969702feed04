package scan

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/target"
)

// itemAllocs is what an item of a healthy host may allocate on its whole way: the request, four for the answer (see
// package requester), and the event with its URL and title.
const itemAllocs = 8

const terse = "HTTP/1.1 404 Not Found\r\nServer: terse\r\nContent-Type: text/html\r\nContent-Length: 45\r\n\r\n" +
	"<html><title>none</title><p>Not here.</html>\n"

// terseHost answers every request with the same bytes and allocates nothing by it, so that all that is counted is ours.
func terseHost(tb testing.TB) string {
	tb.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var serving sync.WaitGroup
	tb.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	serving.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer c.Close()
				answerTersely(c)
			})
		}
	})
	return "http://" + listener.Addr().String() + "/"
}

func answerTersely(c net.Conn) {
	in, answer := bufio.NewReader(c), []byte(terse)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		if len(line) > len("\r\n") {
			continue
		}
		if _, err := c.Write(answer); err != nil {
			return
		}
	}
}

// probeOf asks for n paths.
func probeOf(tb testing.TB, n int) *check.Probe {
	tb.Helper()
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("/p%d", i)
	}
	probe, err := check.NewProbe(check.ProbeOptions{Paths: names})
	if err != nil {
		tb.Fatal(err)
	}
	return probe
}

// scanForText scans one host, with results as text.
func scanForText(tb testing.TB, url string, probe *check.Probe) {
	tb.Helper()
	opt := base()
	opt.Probe = probe
	ending, err := scanList(tb, opt, []string{url})
	if err != nil || ending.Done != int64(probe.Len()) {
		tb.Fatalf("got %d done, %v, want %d", ending.Done, err, probe.Len())
	}
}

// scanList scans a list whose events nobody keeps.
func scanList(tb testing.TB, opt Options, lines []string) (Ending, error) {
	tb.Helper()
	var err error
	sources := []target.Source{target.Stream("list", strings.NewReader(strings.Join(lines, "\n")))}
	if opt.Targets, err = target.NewReader(target.Config{Sources: sources}); err != nil {
		tb.Fatal(err)
	}
	opt.Handlers = []report.Handler{report.NewText(report.NewOutput("results", io.Discard, false), report.TextOptions{})}
	s, err := New(opt)
	if err != nil {
		tb.Fatal(err)
	}
	return s.Run(tb.Context())
}

func TestHealthyItemAllocatesLittle(t *testing.T) {
	const few, more = 500, 2500
	url := terseHost(t)
	of := func(n int) float64 {
		probe := probeOf(t, n)
		return testing.AllocsPerRun(2, func() { scanForText(t, url, probe) })
	}
	got := (of(more)-of(few))/(more-few) - 1 // the event that tells of a path comes once for all hosts
	t.Logf("%.2f allocations per item", got)
	if got > itemAllocs+0.5 && !underRace {
		t.Errorf("got %.1f allocations per item, want %d", got, itemAllocs)
	}
}

// BenchmarkHealthyItem is all that redial does for an item, and what one host in the same process does to answer.
func BenchmarkHealthyItem(b *testing.B) {
	url := terseHost(b)
	probe := probeOf(b, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	scanForText(b, url, probe)
}
