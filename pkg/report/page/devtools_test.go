//go:build browser

package page

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// browser is a Chromium that is spoken to over a pair of pipes, in its own protocol. CHROMIUM names another program.
type browser struct {
	t       *testing.T
	in      *os.File
	session string
	replies chan json.RawMessage // by order: one command at a time
	mu      sync.Mutex
	heard   []event // all that it told of by itself
	loaded  chan struct{}
}

type event struct {
	Method string
	Params json.RawMessage
}

func startBrowser(t *testing.T) *browser {
	t.Helper()
	program := os.Getenv("CHROMIUM")
	if program == "" {
		program = "chromium"
	}
	profile, err := os.MkdirTemp("", "redial-browser-*")
	if err != nil {
		t.Fatal(err)
	}
	fromTest, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, toTest, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")
	c.ExtraFiles = []*os.File{fromTest, toTest} // 3 and 4
	if err := c.Start(); err != nil {
		t.Fatalf("%v, expected Chromium on PATH or in CHROMIUM", err)
	}
	fromTest.Close()
	toTest.Close()
	b := &browser{t: t, in: toBrowser, replies: make(chan json.RawMessage, 1), loaded: make(chan struct{}, 8)}
	var wg sync.WaitGroup
	wg.Go(func() { b.listen(bufio.NewReaderSize(fromBrowser, 1<<20)) })
	t.Cleanup(func() {
		b.session = ""
		b.command("Browser.close", nil, nil)
		_ = c.Wait()
		toBrowser.Close()
		wg.Wait()
		fromBrowser.Close()
		_ = os.RemoveAll(profile) // what its children still write there is of no use to anybody
	})
	var target struct{ TargetID string }
	b.command("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.command("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		b.command(domain+".enable", nil, nil)
	}
	return b
}

func (b *browser) listen(r *bufio.Reader) {
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			close(b.replies)
			return
		}
		var m struct {
			ID     int
			Error  json.RawMessage
			Result json.RawMessage
			event
		}
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		if m.ID != 0 {
			if m.Error != nil {
				b.t.Errorf("the browser says %s", m.Error)
			}
			b.replies <- m.Result
			continue
		}
		b.mu.Lock()
		b.heard = append(b.heard, m.event)
		b.mu.Unlock()
		if m.Method == "Page.loadEventFired" {
			b.loaded <- struct{}{}
		}
	}
}

func (b *browser) command(method string, params map[string]any, result any) {
	b.t.Helper()
	message := map[string]any{"id": 1, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	select {
	case reply, ok := <-b.replies:
		if !ok {
			b.t.Fatalf("the browser has ended before it answered %s", method)
		}
		if result != nil {
			if err := json.Unmarshal(reply, result); err != nil {
				b.t.Fatalf("%s: %v in %s", method, err, reply)
			}
		}
	case <-time.After(time.Minute):
		b.t.Fatalf("no answer to %s", method)
	}
}

func (b *browser) open(file string) {
	b.t.Helper()
	b.command("Page.navigate", map[string]any{"url": "file://" + file}, nil)
	select {
	case <-b.loaded:
	case <-time.After(time.Minute):
		b.t.Fatal("the page is not there after a minute")
	}
}

// eval gives the value of an expression as text.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var got struct{ Result struct{ Value any } }
	b.command("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &got)
	return fmt.Sprint(got.Result.Value)
}

// click presses the mouse in the middle of what a selector finds.
func (b *browser) click(selector string) {
	b.t.Helper()
	var x, y float64
	at := b.eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"}); const r = e.getBoundingClientRect();
		return (r.x + Math.min(20, r.width / 2)) + " " + (r.y + r.height / 2) })()`, selector))
	if _, err := fmt.Sscan(at, &x, &y); err != nil {
		b.t.Fatalf("%s is at %q: %v", selector, at, err)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.command("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}, nil)
	}
}

func (b *browser) typeText(text string) {
	b.t.Helper()
	b.command("Input.insertText", map[string]any{"text": text}, nil)
}
