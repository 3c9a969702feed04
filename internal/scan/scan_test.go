package scan

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// book is a handler that keeps every event.
type book struct {
	mu     sync.Mutex
	events []report.Event
	on     func(report.Event)
}

func (b *book) Start() error  { return nil }
func (b *book) Finish() error { return nil }
func (b *book) Event(e report.Event) error {
	b.mu.Lock()
	b.events = append(b.events, e)
	b.mu.Unlock()
	if b.on != nil {
		b.on(e)
	}
	return nil
}

func of[E report.Event](b *book) []E {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []E
	for _, e := range b.events {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

// base is a scan that loses no time: short cooldowns, no pace.
func base() Options {
	return Options{
		Requester:    requester.Config{Timeout: 10 * time.Second, DialTimeout: 10 * time.Second},
		Breaker:      hosterrors.Config{MaxHostError: 5, Cooldown: 200 * time.Millisecond, MaxCooldown: 400 * time.Millisecond, MaxTrips: 3},
		RetryWait:    10 * time.Millisecond,
		RetryMaxWait: 20 * time.Millisecond,
		RetryBudget:  100,
		Concurrency:  20, HostConcurrency: 4, DialConcurrency: 100, MaxHosts: 1000, FirstContact: 3,
		Linger: time.Second,
	}
}

// scanned runs a scan of the lines with the paths and returns its events.
func scanned(t *testing.T, opt Options, paths []string, lines ...string) (*book, Ending) {
	t.Helper()
	b := &book{}
	ending, err := scanInto(t.Context(), t, b, opt, paths, lines...)
	if err != nil {
		t.Fatal(err)
	}
	return b, ending
}

func scanInto(ctx context.Context, t *testing.T, b *book, opt Options, paths []string, lines ...string) (Ending, error) {
	t.Helper()
	return scanStream(ctx, t, b, opt, paths, strings.NewReader(strings.Join(lines, "\n")))
}

func scanStream(ctx context.Context, t *testing.T, b *book, opt Options, paths []string, list io.Reader) (Ending, error) {
	t.Helper()
	var err error
	if opt.Targets, err = target.NewReader(target.Config{Sources: []target.Source{target.Stream("list", list)}}); err != nil {
		t.Fatal(err)
	}
	if opt.Probe == nil {
		if opt.Probe, err = check.NewProbe(check.ProbeOptions{Paths: paths}); err != nil {
			t.Fatal(err)
		}
	}
	opt.Handlers = append(opt.Handlers, b)
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	ending, err := s.Run(ctx)
	if sum := ending.Done + ending.Failed + ending.Skipped; sum != ending.Items || ending.Missing() != 0 {
		t.Errorf("%d done + %d failed + %d skipped are not %d items", ending.Done, ending.Failed, ending.Skipped, ending.Items)
	}
	return ending, err
}

func startLab(t *testing.T, cfg lab.Config) *lab.Lab {
	t.Helper()
	cfg.RecordPaths = true
	l, err := lab.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func urls(l *lab.Lab) []string {
	var b strings.Builder
	if err := l.WriteList(&b); err != nil {
		panic(err)
	}
	return strings.Split(strings.TrimSpace(b.String()), "\n")
}

func paths(n int) []string {
	var all []string
	for i := range n {
		all = append(all, "/p"+strings.Repeat("x", i))
	}
	return all
}

func TestHealthyHosts(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 5}})
	b, ending := scanned(t, base(), []string{"/", "/admin", "/none"}, urls(l)...)
	if ending.Done != 15 || ending.Incomplete || ending.Sent != 15 {
		t.Errorf("ending %+v, want 15 done and 15 sent", ending)
	}
	matched := 0
	for _, r := range of[*report.Result](b) {
		if r.Matched {
			matched++
		}
		if r.Failed || r.Attempts != 1 || r.HostIP != r.Host || r.Scheme != "http" {
			t.Errorf("result %+v", r)
		}
	}
	if matched != 10 {
		t.Errorf("%d findings, want 10: a 404 is none", matched)
	}
}

// A mixed list: the hosts that live, at once or later, get all their items.
func TestMixedList(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 5, lab.Refusing: 3, lab.Resetting: 2, lab.Flaky: 3}})
	b := &book{}
	var once sync.Once
	b.on = func(e report.Event) {
		// The flaky hosts come back once all three have been called in vain.
		if tr, ok := e.(*report.Transition); ok && tr.Trips > 0 {
			once.Do(func() {
				for _, h := range l.Of(lab.Flaky) {
					if err := h.Up(); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	opt := base()
	opt.Linger = 5 * time.Second
	ending, err := scanInto(t.Context(), t, b, opt, paths(20), urls(l)...)
	if err != nil {
		t.Fatal(err)
	}
	if ending.Done != 8*20 || ending.Skipped != 5*20 || ending.SkippedBy["dead"]+ending.SkippedBy["quarantined"] != 100 {
		t.Errorf("ending %+v, want 160 done and 100 skipped", ending.Summary)
	}
	if ending.QuarantinedHosts != 8 {
		t.Errorf("%d hosts were quarantined, want 8", ending.QuarantinedHosts)
	}
}

// github.com/projectdiscovery/nuclei/pull/7286: a bare host that refuses on 443 and answers on 80 is scanned on 80; so
// is one with a port that speaks http only.
func TestSchemeIsSettled(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.TLS: 1, lab.Garbage: 1, lab.Refusing: 1}})
	addr := func(k lab.Kind) string { return l.Of(k)[0].Addr }
	opt := base()
	opt.Requester.NoHTTP2 = true
	b, ending := scanned(t, opt, []string{"/", "/admin"},
		addr(lab.Healthy), addr(lab.TLS), addr(lab.Garbage), addr(lab.Refusing))
	schemes := map[string]string{}
	for _, r := range of[*report.Result](b) {
		if r.Failed {
			continue
		}
		schemes[r.Host+":"+r.Port] = r.Scheme
	}
	if len(schemes) != 2 || schemes[addr(lab.Healthy)] != "http" || schemes[addr(lab.TLS)] != "https" {
		t.Errorf("schemes %v, want http and https", schemes)
	}
	if ending.Done != 4 || ending.Failed != 4 {
		t.Errorf("ending %+v, want 4 done and 4 failed", ending.Summary)
	}
	if n := l.Requests(addr(lab.Healthy)); n != 2 {
		t.Errorf("%d requests arrived at the http host, want 2", n)
	}
}

// An interrupted scan adds up too.
func TestInterrupted(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Slow: 10}, Delay: 50 * time.Millisecond})
	ctx, cancel := context.WithCancelCause(t.Context())
	b := &book{on: func(e report.Event) {
		if _, ok := e.(*report.Result); ok {
			cancel(io.ErrUnexpectedEOF)
		}
	}}
	opt := base()
	opt.HostConcurrency = 1
	ending, err := scanInto(ctx, t, b, opt, paths(50), urls(l)...)
	if err == nil || ending.SkippedBy["interrupted"] == 0 || ending.Failed != 0 {
		t.Errorf("error %v, ending %+v; want interrupted items", err, ending.Summary)
	}
}
