package lab

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// startLab starts a lab that ends with the test.
func startLab(t testing.TB, cfg Config) *Lab {
	t.Helper()
	cfg.RecordPaths = true
	l, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return l
}

// one starts a lab of a single host.
func one(t testing.TB, s Spec) Host {
	t.Helper()
	return startLab(t, Config{Hosts: []Spec{s}}).Hosts()[0]
}

// newClient returns a client that keeps connections, follows nothing and unpacks nothing.
func newClient(t testing.TB) *http.Client {
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 8}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// get asks for a path of the host and returns the status, the head and the body.
func get(t testing.TB, c *http.Client, h Host, path string) (int, http.Header, string) {
	t.Helper()
	resp, err := c.Get(strings.TrimSuffix(h.URL(), "/") + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

func dial(t testing.TB, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func wantRefused(t testing.TB, addr string) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err == nil {
		_ = c.Close()
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Fatalf("dial %s: %v, want connection refused", addr, err)
	}
}

func TestHostsHaveAnAddressEachAndOnePort(t *testing.T) {
	if pickLayout() != manyAddresses {
		t.Logf("this system has one loopback address: a port each instead")
	}
	l := startLab(t, Config{Counts: map[Kind]int{Healthy: 300, Refusing: 3, Silent: 2}})
	seen := make(map[string]bool)
	ports := make(map[string]bool)
	for i, h := range l.Hosts() {
		ip, port, err := net.SplitHostPort(h.Addr)
		if err != nil || !net.ParseIP(ip).IsLoopback() {
			t.Fatalf("host %d at %q: want a loopback address with a port (%v)", i, h.Addr, err)
		}
		seen[h.Addr] = true
		ports[port] = true
	}
	if len(seen) != 305 {
		t.Errorf("%d distinct addresses, want 305", len(seen))
	}
	if pickLayout() == manyAddresses && len(ports) != 1 {
		t.Errorf("%d ports, want 1", len(ports))
	}
	want := []Kind{Healthy, Refusing, Silent}
	var got []Kind
	for _, h := range l.Hosts() {
		if len(got) == 0 || got[len(got)-1] != h.Kind {
			got = append(got, h.Kind)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("kinds in order %v, want %v", got, want)
	}
}

func TestOneLoopbackAddressManyPorts(t *testing.T) {
	cfg := Config{Counts: map[Kind]int{Healthy: 5, Refusing: 5}}
	l, err := start(cfg, manyPorts)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client := newClient(t)
	seen := make(map[string]bool)
	for _, h := range l.Hosts() {
		seen[h.Addr] = true
		if !strings.HasPrefix(h.Addr, "127.0.0.1:") {
			t.Errorf("host at %s, want 127.0.0.1", h.Addr)
		}
		if h.Kind == Refusing {
			wantRefused(t, h.Addr)
		} else if status, _, _ := get(t, client, h, "/"); status != 200 {
			t.Errorf("status %d, want 200", status)
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d distinct addresses, want 10", len(seen))
	}
}

func TestLabsSideBySide(t *testing.T) {
	cfg := Config{Counts: map[Kind]int{Healthy: 30, Flaky: 5, Refusing: 5}}
	seen := make(map[string]bool)
	client := newClient(t)
	for range 8 {
		for _, h := range startLab(t, cfg).Hosts() {
			if seen[h.Addr] {
				t.Errorf("%s belongs to two labs", h.Addr)
			}
			seen[h.Addr] = true
			if h.Kind == Healthy {
				get(t, client, h, "/")
				if n := h.Requests(); n != 1 {
					t.Errorf("%s counted %d requests, want 1", h.Addr, n)
				}
			} else {
				wantRefused(t, h.Addr)
			}
		}
	}
}

func TestPortIsTaken(t *testing.T) {
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	lab, err := Start(Config{Counts: map[Kind]int{Healthy: 1}, Port: portOf(l.Addr().String())})
	if err == nil {
		_ = lab.Close()
		t.Fatal("a lab on a port that another program has on all addresses: want an error")
	}
	if !strings.Contains(err.Error(), "host 1 of 1 (healthy)") {
		t.Errorf("error %q does not name the host", err)
	}
}

func TestFixedPort(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := portOf(l.Addr().String())
	_ = l.Close()
	lab := startLab(t, Config{Counts: map[Kind]int{Healthy: 3}, Port: port})
	if pickLayout() != manyAddresses {
		return
	}
	for _, h := range lab.Hosts() {
		if portOf(h.Addr) != port {
			t.Errorf("host at %s, want port %d", h.Addr, port)
		}
	}
}

func TestBadConfig(t *testing.T) {
	for want, cfg := range map[string]Config{
		`kind "sleepy" is not known`: {Counts: map[Kind]int{"sleepy": 1}},
		`kind "" is not known`:       {Hosts: []Spec{{}}},
		"-1 healthy hosts":           {Counts: map[Kind]int{Healthy: -1}},
		"port 70000":                 {Port: 70000},
		"flaky-down -1s":             {FlakyDown: -time.Second},
		"no negative time":           {Hosts: []Spec{{Kind: Flaky, Schedule: []time.Duration{0, -1}}}},
		"redirect code 200":          {Hosts: []Spec{{Kind: Redirecting, Code: 200}}},
		"rate -1":                    {Hosts: []Spec{{Kind: Throttling, Rate: -1}}},
		"expected at most":           {Counts: map[Kind]int{Healthy: maxHosts, Silent: 1}},
	} {
		if l, err := Start(cfg); err == nil {
			_ = l.Close()
			t.Errorf("%+v: no error, want one with %q", cfg, want)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q, want one with %q", err, want)
		}
	}
}

func TestWriteList(t *testing.T) {
	write := func(seed uint64) ([]string, *Lab) {
		l := startLab(t, Config{Counts: map[Kind]int{Healthy: 20, TLS: 2, Refusing: 5}, Seed: seed})
		var out bytes.Buffer
		if err := l.WriteList(&out); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), l
	}
	order := func(lines []string, l *Lab) (at []int) {
		place := make(map[string]int)
		for i, h := range l.Hosts() {
			place[h.URL()] = i
		}
		for _, line := range lines {
			i, ok := place[line]
			if !ok {
				t.Fatalf("line %q is no host of the lab", line)
			}
			at = append(at, i)
		}
		return at
	}
	for i, at := range order(write(0)) {
		if at != i {
			t.Fatalf("without a seed line %d is host %d", i, at)
		}
	}
	first, again, other := order(write(1)), order(write(1)), order(write(2))
	if fmt.Sprint(first) != fmt.Sprint(again) {
		t.Errorf("seed 1 gave %v and then %v", first, again)
	}
	if fmt.Sprint(first) == fmt.Sprint(other) {
		t.Errorf("seeds 1 and 2 both gave %v", first)
	}
	l := startLab(t, Config{Counts: map[Kind]int{Healthy: 1}})
	if err := l.WriteList(brokenWriter{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v, want that of the writer", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
