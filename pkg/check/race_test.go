package check

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/requester"
)

const redeem = "http:\n  - raw: [\"POST /redeem HTTP/1.1\\nHost: {{Hostname}}\\n\\ncode=1\"]\n    race: true\n    race_count: 5\n"

// A host whose coupon holds once, but that looks before it writes, sells it to all who come at once: here it answers when all have come.
func TestRace(t *testing.T) {
	var all sync.WaitGroup
	all.Add(5)
	h := host(t, func(w http.ResponseWriter, _ *http.Request) {
		all.Done()
		all.Wait()
		io.WriteString(w, "redeemed")
	})
	out := h.run(t, template(redeem+"    matchers: [{type: word, words: [redeemed]}]"))
	if len(out.Findings) != 5 || out.Sent != 5 || h.requests() != strings.TrimSuffix(strings.Repeat("POST /redeem code=1\n", 5), "\n") {
		t.Errorf("%d findings of %d answers; asked\n%s", len(out.Findings), out.Sent, h.requests())
	}
	all.Add(5)
	out = h.run(t, template(redeem+"    stop-at-first-match: true\n    matchers: [{type: dsl, dsl: ['status_code_1 == 200 && status_code_2 == 200']}]"))
	if len(out.Findings) != 1 || out.Sent != 2 {
		t.Errorf("%d findings of %d answers, want one, of two", len(out.Findings), out.Sent)
	}
	if c := mustParse(t, template(redeem+ending)); c.Requests() != 5 {
		t.Errorf("%d requests, want 5", c.Requests())
	}
}

// crowd answers the requests that come together by their number.
type crowd struct {
	mu     sync.Mutex
	n      int
	answer func(n int) error
}

func (c *crowd) Do(ctx context.Context, _ *requester.Request, turn requester.Turn) (*requester.Response, error) {
	c.mu.Lock()
	c.n++
	n := c.n
	c.mu.Unlock()
	if turn != nil {
		if err := turn.Wait(ctx, time.Now()); err != nil {
			return nil, err
		}
		if err := turn.Dialed(ctx); err != nil {
			return nil, err
		}
	}
	if err := c.answer(n); err != nil {
		return nil, err
	}
	return &requester.Response{Status: 200, Proto: "HTTP/1.1"}, nil
}

// narrow is a turn that may be used by one at a time. The race detector sees it where it is not.
type narrow struct{ waited, dialed int }

func (n *narrow) Wait(context.Context, time.Time) error { n.waited++; return nil }
func (n *narrow) Dialed(context.Context) error          { n.dialed++; return nil }

// That a host drops some of the copies is what a race provokes. When it drops all of them, the request has failed.
func TestRaceWithFailures(t *testing.T) {
	down := errors.New("reset")
	for _, row := range []struct {
		fail     int
		findings int
		err      error
	}{{0, 5, nil}, {4, 1, nil}, {5, 0, down}} {
		turn := &narrow{}
		send := &crowd{answer: func(n int) error {
			if n <= row.fail {
				return down
			}
			return nil
		}}
		out, err := mustParse(t, template(redeem+ending)).Run(context.Background(), Job{Target: mustTarget(t, "http://h"), Send: send, Turn: turn})
		if len(out.Findings) != row.findings || !errors.Is(err, row.err) || turn.waited != 5 || turn.dialed != 5 {
			t.Errorf("%d of 5 fail: %d findings, %v, %+v", row.fail, len(out.Findings), err, turn)
		}
		if _, ok := errors.AsType[*SendError](err); ok != (row.err != nil) {
			t.Errorf("%d of 5 fail: %v is a SendError: %t", row.fail, err, ok)
		}
	}
	// Copies that a pace holds back follow the others; a quarantine keeps holding them back.
	for _, row := range []struct{ until, sent, findings int }{{5, 8, 5}, {100, 8, 2}} {
		send := &crowd{answer: func(n int) error {
			if n > 2 && n <= row.until {
				return &requester.NotAdmittedError{Key: "h:80"}
			}
			return nil
		}}
		out, err := mustParse(t, template(redeem+ending)).Run(context.Background(), Job{Target: mustTarget(t, "http://h"), Send: send})
		if len(out.Findings) != row.findings || err != nil || send.n != row.sent {
			t.Errorf("held back until %d: %d findings, %v, %d sends", row.until, len(out.Findings), err, send.n)
		}
	}
	defer func() {
		if recover() != "a bug" {
			t.Error("the panic of a copy was lost")
		}
	}()
	send := &crowd{answer: func(int) error { panic("a bug") }}
	_, _ = mustParse(t, template(redeem+ending)).Run(context.Background(), Job{Target: mustTarget(t, "http://h"), Send: send})
}

// wait_for gives the worker back where there is one to give, and ends with the scan.
func TestCheckThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := template("http:\n  - path: ['{{BaseURL}}/a', '{{BaseURL}}/b?{{wait_for(30)}}']" + ending)
		began := time.Now()
		var r recorder
		job := Job{Target: mustTarget(t, "http://h"), Send: &r}
		if out, err := mustParse(t, text).Run(t.Context(), job); err != nil || len(out.Findings) != 2 || time.Since(began) != 30*time.Second || r.sent[1].Target != "/b?true" {
			t.Errorf("%+v, %v after %s, sent %q", out, err, time.Since(began), r.sent[1].Target)
		}
		turn := &narrow{}
		job.Turn = turn
		if _, err := mustParse(t, text).Run(t.Context(), job); err != nil || turn.waited != 1 || time.Since(began) != 30*time.Second {
			t.Errorf("%v, waited %d times", err, turn.waited)
		}
		job.Turn = nil
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_, err := mustParse(t, text).Run(ctx, job)
		if failed, ok := errors.AsType[*SendError](err); !ok || !errors.Is(failed, context.DeadlineExceeded) || time.Since(began) != 31*time.Second {
			t.Errorf("%v after %s, want the end of the scan", err, time.Since(began))
		}
	})
}
