package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// startServer gives a server of its own to a test.
func startServer(t *testing.T, cfg EmbedConfig) *Server {
	t.Helper()
	cfg.Dir, cfg.Listen = t.TempDir(), "127.0.0.1:0"
	s, err := Embed(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func dial(t *testing.T, s *Server, a Access) *Conn {
	t.Helper()
	a.URL = s.URL()
	c, err := Dial(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestWithoutTheTokenNobodyComesIn(t *testing.T) {
	s := startServer(t, EmbedConfig{Token: "right"})
	dial(t, s, Access{Token: "right"})
	for _, token := range []string{"", "wrong"} {
		if _, err := Dial(t.Context(), Access{URL: s.URL(), Token: token}); !errors.Is(err, ErrRefused) {
			t.Errorf("token %q: got %v, want ErrRefused", token, err)
		}
	}
}

func TestNKeys(t *testing.T) {
	user := func() (seed []byte, public string) {
		seed, public, err := newKey()
		if err != nil {
			t.Fatal(err)
		}
		return seed, public
	}
	known, public := user()
	unknown, _ := user()
	s := startServer(t, EmbedConfig{NKeys: []string{public}})
	dial(t, s, Access{Seed: known})
	if _, err := Dial(t.Context(), Access{URL: s.URL(), Seed: unknown}); !errors.Is(err, ErrRefused) {
		t.Errorf("an unknown key: got %v, want ErrRefused", err)
	}
	if _, err := Dial(t.Context(), Access{URL: s.URL(), Seed: []byte("SUnonsense")}); err == nil || errors.Is(err, ErrRefused) {
		t.Errorf("no key at all: got %v, want an error of its own", err)
	}
}

func TestWhatOthersCanReachIsProtected(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0"} {
		if _, err := (&EmbedConfig{Listen: listen}).options(); !errors.Is(err, ErrUnprotected) {
			t.Errorf("%s: got %v, want ErrUnprotected", listen, err)
		}
		if _, err := (&EmbedConfig{Listen: listen, TLS: &tls.Config{}}).options(); !errors.Is(err, ErrUnprotected) {
			t.Errorf("%s with TLS, which lets everybody in: got %v, want ErrUnprotected", listen, err)
		}
		for name, cfg := range map[string]EmbedConfig{
			"token":        {Token: "x"},
			"nkey":         {NKeys: []string{"U"}},
			"certificates": {TLS: &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert}},
		} {
			cfg.Listen = listen
			if _, err := cfg.options(); err != nil {
				t.Errorf("%s with a %s: %v", listen, name, err)
			}
		}
	}
	for _, listen := range []string{"", "127.0.0.1:0", "localhost:4222", "[::1]:0", "127.8.8.8:1"} {
		if _, err := (&EmbedConfig{Listen: listen}).options(); err != nil {
			t.Errorf("%q: %v", listen, err)
		}
	}
	for _, listen := range []string{"127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999"} {
		if _, err := (&EmbedConfig{Listen: listen}).options(); err == nil {
			t.Errorf("%q was accepted", listen)
		}
	}
}

func TestTheProcessItselfIsLetIn(t *testing.T) {
	_, public, err := newKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]EmbedConfig{"open": {}, "token": {Token: "x"}, "nkeys": {NKeys: []string{public}}} {
		c, err := startServer(t, cfg).Dial(t.Context(), Access{Name: "own"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c.Close()
	}
}

func TestPublicKeys(t *testing.T) {
	seed, public, err := newKey()
	if err != nil {
		t.Fatal(err)
	}
	got, err := PublicKeys([]byte("# us\n\n" + public + "\r\n  " + string(seed) + "\n"))
	if err != nil || len(got) != 2 || got[0] != public || got[1] != public {
		t.Errorf("got %v, %v, want %s twice", got, err, public)
	}
	_, err = PublicKeys([]byte(public + "\nSUPERSECRET"))
	if err == nil || strings.Contains(err.Error(), "SECRET") || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, want an error that names the line and not what is in it", err)
	}
}

func TestSeed(t *testing.T) {
	seed, public, err := newKey()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"": "", string(seed): string(seed), "# rack1\r\n" + string(seed) + "\r\n" + public + "\n": string(seed),
	} {
		if got, err := Seed([]byte(text)); err != nil || string(got) != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"SUPERSECRET", public, string(seed) + "\n" + string(seed)} {
		if _, err := Seed([]byte(text)); err == nil || strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), string(seed)) {
			t.Errorf("%q: got %v, want an error that does not show it", text, err)
		}
	}
}

func TestAServerThatCannotWriteSaysSoOnce(t *testing.T) {
	var said int
	var broken []error
	l := newServerLog(&EmbedConfig{Log: func(string, ...any) { said++ }, Broken: func(err error) { broken = append(broken, err) }})
	full := &fs.PathError{Op: "write", Path: "1.blk", Err: syscall.ENOSPC}
	l.Errorf("no %s: %v", "such", &fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT})
	l.Warnf("%v", full)
	if len(broken) != 0 {
		t.Errorf("got %v by what is no failed write", broken)
	}
	l.Errorf("stream %q: %v", "work", full)
	l.Errorf("stream %q: %v", "work", full)
	if len(broken) != 1 || !errors.Is(broken[0], syscall.ENOSPC) || said != 4 {
		t.Errorf("got %v and %d messages, want ENOSPC once and 4", broken, said)
	}
	newServerLog(&EmbedConfig{}).Errorf("%v", full) // nobody listens
}

// A worker waits for a server that is away, but not for ever, whether it has a scan or not.
func TestWorkerLeavesAServerThatIsGone(t *testing.T) {
	for _, begun := range []bool{false, true} {
		g := newGroup(t, listOf(1, 1), 1)
		g.cfg.Spec.AckWait = report.Duration(minAck)
		busy, once := make(chan struct{}), sync.Once{}
		served := make(<-chan error)
		serving, stop := context.WithCancel(within(t))
		if begun {
			served = g.serving(serving)
		}
		ended := make(chan error, 1)
		conn := dial(t, g.server, Access{Name: "w"})
		go func() {
			ended <- Join(within(t), WorkerConfig{
				Conn: conn, Name: "w", Version: "v1", Patience: time.Millisecond, Dir: t.TempDir(), Log: t.Logf,
				NewRunner: func(context.Context, Spec, string) (Runner, error) {
					return &runner{run: func(ctx context.Context, _ Run) (Outcome, error) {
						once.Do(func() { close(busy) })
						<-ctx.Done()
						return Outcome{}, nil
					}}, nil
				},
			})
		}()
		if begun {
			<-busy
		}
		g.server.Close()
		if err := <-ended; !errors.Is(err, ErrAway) {
			t.Errorf("with a scan %v: ended with %v, want ErrAway", begun, err)
		}
		if begun {
			g.cfg.Conn.Close()
			stop()
			<-served
		}
		stop()
	}
}
