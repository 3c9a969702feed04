package requester_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/requester"
)

// traced collects what a client tells of its attempts; it is called from the test's goroutine only.
func traced(t *testing.T, cfg requester.Config) (*requester.Client, *[]requester.Exchange) {
	var all []requester.Exchange
	cfg.Trace, cfg.Version = func(e requester.Exchange) { all = append(all, e) }, "1.2.3"
	return newClient(t, cfg), &all
}

func TestTraceTellsWhatWasSentAndCameBack(t *testing.T) {
	host := startLab(t, lab.Spec{Kind: lab.Healthy})[0]
	c, all := traced(t, requester.Config{KeepSent: true})
	req := to(host.Addr, "/a?b")
	req.WantBody, req.User = true, "me:secret"
	resp, err := do(t, c, req)
	if err != nil {
		t.Fatal(err)
	}
	if len(*all) != 1 {
		t.Fatalf("told of %d exchanges, want 1", len(*all))
	}
	e := (*all)[0]
	want := fmt.Sprintf("GET /a?b HTTP/1.1\r\nHost: %s\r\nUser-Agent: redial/1.2.3 (+https://github.com/redialscan/redial)\r\nAccept: */*\r\nAuthorization: Basic bWU6c2VjcmV0\r\n\r\n", host.Addr)
	if string(e.Sent) != want || e.Response != resp || e.Err != nil || e.Method != "GET" || e.URL != "http://"+host.Addr+"/a?b" || e.Took <= 0 {
		t.Errorf("got %+v with %q", e, e.Sent)
	}
}

func TestTraceOfHTTP2HasTheFormOfHTTP1(t *testing.T) {
	addr, _ := tlsServer(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "yes") })
	c, all := traced(t, requester.Config{KeepSent: true})
	req := toTLS(addr, "/x y")
	req.Method, req.Body = "POST", []byte("a=b")
	if _, err := do(t, c, req); err != nil {
		t.Fatal(err)
	}
	got := string((*all)[0].Sent)
	if !strings.HasPrefix(got, "POST /x%20y HTTP/2.0\r\nHost: "+addr+"\r\nAccept: */*\r\n") || !strings.HasSuffix(got, "\r\n\r\na=b") {
		t.Errorf("got %q", got)
	}
}

func TestTraceTellsOfFailuresAndKeepsNothingUnasked(t *testing.T) {
	hosts := startLab(t, lab.Spec{Kind: lab.Refusing}, lab.Spec{Kind: lab.Healthy})
	c, all := traced(t, requester.Config{})
	for _, host := range hosts {
		_, _ = do(t, c, to(host.Addr, "/"))
	}
	if len(*all) != 2 {
		t.Fatalf("told of %d exchanges, want 2", len(*all))
	}
	if e := (*all)[0]; !errors.Is(e.Err, syscall.ECONNREFUSED) || e.Sent != nil || e.Response != nil {
		t.Errorf("of a refused connection: %+v", e)
	}
	if e := (*all)[1]; e.Sent != nil || e.Response == nil {
		t.Errorf("of an answer: %+v", e)
	}
}
