package cluster

import (
	"crypto/tls"
	"errors"
	"testing"

	"github.com/nats-io/nkeys"
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
		pair, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		seed, _ = pair.Seed()
		public, _ = pair.PublicKey()
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
