package cmd

import (
	"net"
	"strings"
	"testing"
)

// proxyThatSays answers the first bytes of each connection with a text, or keeps silent.
func proxyThatSays(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if _, err := c.Read(make([]byte, 16)); err == nil && text != "" {
				_, _ = c.Write([]byte(text))
			}
			_, _ = c.Read(make([]byte, 16)) // until the other side has seen enough
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-ended
	})
	return l.Addr().String()
}

func TestProxyIsReachedBeforeTheScan(t *testing.T) {
	silent, socks, other := proxyThatSays(t, ""), proxyThatSays(t, "\x05\x00"), proxyThatSays(t, "HTTP/1.1 400 Bad Request\r\n")
	for _, c := range []struct{ proxy, want string }{
		{"socks5://" + silent, "does not answer, expected a proxy that is running: read tcp"},
		{"socks5h://" + other, "it speaks no SOCKS5"},
		{"socks5://" + socks, ""},
		{other, ""}, // an HTTP proxy, which is asked nothing
		{"ftp://" + socks, wantProxy},
		{"http://", wantProxy},
		{"http://[::1", "(not a URL), " + wantProxy},
	} {
		o := requestOptions{proxy: c.proxy}
		switch err := o.reachProxy(t.Context(), 300e6); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.proxy, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want an error that says %q", c.proxy, err, c.want)
		}
	}
}
