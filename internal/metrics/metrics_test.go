package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func text(t *testing.T, s *Scan) string {
	t.Helper()
	var b strings.Builder
	if _, err := s.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func wants(t *testing.T, got string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+got, "\n"+line+"\n") {
			t.Errorf("missing %q in\n%s", line, got)
		}
	}
}

func TestMetricsOfAScan(t *testing.T) {
	s := New("1.2.3", func() report.Status {
		return report.Status{Elapsed: 1500 * time.Millisecond, Items: 20, Growing: true, Done: 5, Failed: 2, Skipped: 3, Sent: 12, Hosts: 9, Open: 3, HalfOpen: 1, Dead: 1}
	})
	answer := func(status int, took time.Duration) requester.Exchange {
		return requester.Exchange{Method: "GET", Took: took, Response: &requester.Response{Status: status}}
	}
	for _, e := range []requester.Exchange{
		answer(200, 5*time.Millisecond), answer(204, 5*time.Millisecond+1), answer(404, time.Second), answer(999, time.Minute),
		{Took: 10 * time.Millisecond, Response: &requester.Response{}},
		{Method: "GET", Err: &hosterrors.ConnError{Err: syscall.ECONNREFUSED}},
		{Method: "GET", Err: fmt.Errorf("x: %w", &hosterrors.TimeoutError{})},
	} {
		s.Observe(e)
	}
	wants(t, text(t, s),
		"redial_scan_seconds 1.5", "redial_requests_total 12", `redial_items_total{outcome="done"} 5`, "redial_items_waiting 10",
		"redial_input_reading 1", `redial_hosts{state="closed"} 5`, `redial_hosts{state="open"} 2`, `redial_hosts{state="half-open"} 1`, `redial_hosts{state="dead"} 1`,
		`redial_request_errors_total{class="refused"} 1`, `redial_request_errors_total{class="timeout"} 1`, `redial_request_errors_total{class="other"} 0`,
		`redial_responses_total{code="2xx"} 2`, `redial_responses_total{code="4xx"} 1`, `redial_responses_total{code="other"} 1`,
		`redial_request_duration_seconds_bucket{le="0.005"} 1`, `redial_request_duration_seconds_bucket{le="0.01"} 3`,
		`redial_request_duration_seconds_bucket{le="1"} 4`, `redial_request_duration_seconds_bucket{le="30"} 4`,
		`redial_request_duration_seconds_bucket{le="+Inf"} 5`, "redial_request_duration_seconds_count 5",
		"# TYPE redial_request_duration_seconds histogram",
	)
}

// Prometheus refuses a page with a line that is out of the format, or a family in two pieces.
func TestPageIsOfTheFormat(t *testing.T) {
	got := text(t, New("1", func() report.Status { return report.Status{} }))
	line := regexp.MustCompile(`^([a-z_]+?)(_bucket|_sum|_count)?(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? ([0-9.e+]+|\+Inf)$`)
	seen, family := map[string]bool{}, ""
	for _, l := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
		if name, ok := strings.CutPrefix(l, "# TYPE "); ok {
			family, _, _ = strings.Cut(name, " ")
			if seen[family] {
				t.Errorf("%s is told twice", family)
			}
			seen[family] = true
			continue
		}
		if strings.HasPrefix(l, "# HELP ") {
			continue
		}
		m := line.FindStringSubmatch(l)
		if m == nil || m[1] != family {
			t.Errorf("the line %q is not of the format, or not of the family %s", l, family)
		}
	}
	if len(seen) < 10 {
		t.Errorf("%d families, want ten or more", len(seen))
	}
}

func TestClassesOfErrors(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&hosterrors.ConnError{Err: syscall.ECONNREFUSED}, "refused"},
		{&hosterrors.ConnError{Err: syscall.ECONNRESET}, "connection"},
		{&hosterrors.ConnError{Phase: hosterrors.PhaseTLS, Err: io.EOF}, "tls"},
		{&hosterrors.TimeoutError{}, "timeout"},
		{&net.DNSError{}, "name"},
		{&hosterrors.ProtocolError{Err: io.EOF}, "protocol"},
		{&hosterrors.ProxyError{Status: 407}, "proxy"},
		{&hosterrors.OutageError{Err: &hosterrors.TimeoutError{}}, "local"},
		{&hosterrors.StarvedError{Err: &hosterrors.TimeoutError{}}, "local"},
		{os.ErrClosed, "other"},
	} {
		if got := classOf(fmt.Errorf("of a request: %w", tt.err)).String(); got != tt.want {
			t.Errorf("%T %v: got %s, want %s", tt.err, tt.err, got, tt.want)
		}
	}
}

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"9090": "127.0.0.1:9090", ":9090": "127.0.0.1:9090", "0.0.0.0:9": "0.0.0.0:9", "[::]:80": "[::]:80", "localhost:0": "localhost:0",
		"": "", "x": "", "70000": "", "::1": "", "http://x:1": "", "a b:1": "",
	} {
		got, err := Address(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestServer(t *testing.T) {
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(t.Context(), l.Addr().String()); err == nil || !strings.Contains(err.Error(), "is in use, expected a free port") {
		t.Errorf("a port in use: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	s := New("1", func() report.Status { return report.Status{} })
	wg.Go(func() { s.Serve(ctx, l) })
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for path, want := range map[string]int{"/metrics": 200, "/debug/pprof/": 200, "/debug/pprof/heap": 200, "/debug/pprof/cmdline": 404, "/": 404} {
		resp, err := client.Get("http://" + l.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d; %v", path, resp.StatusCode, want, err)
		}
		if path == "/metrics" {
			wants(t, string(body), "redial_requests_total 0")
		}
	}
	stop()
	wg.Wait()
}
