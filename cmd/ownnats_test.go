package cmd

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redialscan/redial/pkg/cluster"
)

func TestAScanOverANATSServerOfOnesOwn(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("here")) }))
	defer host.Close()
	server, err := cluster.Embed(cluster.EmbedConfig{Dir: t.TempDir(), Listen: "127.0.0.1:0", Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	run := func(token string, args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		env := quietEnv(strings.NewReader(""), &stdout, &stderr)
		env.Getenv = func(name string) string { return map[string]string{tokenVariable: token}[name] }
		return Run(args, env), stdout.String(), stderr.String()
	}
	worker := make(chan string, 1)
	join := func() {
		status, _, stderr := run("secret", "worker", "--join", server.URL(), "--name", "w1")
		if status != StatusOK {
			stderr += "FAILED"
		}
		worker <- stderr
	}
	go join()
	if status, _, stderr := run("wrong", "serve", "-u", host.URL, "--nats", server.URL()); status != StatusUsage || !strings.Contains(stderr, "does not let us in") {
		t.Errorf("with a wrong token it ends with %d:\n%s", status, stderr)
	}
	events := filepath.Join(t.TempDir(), "events")
	status, stdout, stderr := run("secret", "serve", "-u", host.URL, "--path", "/a,/b", "--match-status", "200", "--nats", server.URL(), "--events", events)
	if status != StatusOK || strings.Count(stdout, "\n") != 2 || !strings.Contains(stderr, "items     2 = 2 done") {
		t.Fatalf("it ends with %d:\n%s%s", status, stdout, stderr)
	}
	if said := <-worker; strings.Contains(said, "FAILED") || !strings.Contains(said, "taking part") {
		t.Errorf("the worker says\n%s", said)
	}
	if text, err := os.ReadFile(events); err != nil || bytes.Count(text, []byte(`"type":"result"`)) != 2 {
		t.Errorf("events, %v:\n%s", err, text)
	}
	go join()
	status, _, stderr = run("secret", "serve", "-u", "http://127.0.0.1:1", "--retries", "0", "--nats", server.URL())
	if status != StatusIncomplete || !strings.Contains(stderr, "incomplete: nothing answered") {
		t.Fatalf("a scan that nothing answers ends with %d:\n%s", status, stderr)
	}
	<-worker
	if status, stdout, stderr := run("secret", "workers", "--join", server.URL()); status != StatusOK || stdout != "no workers\n" || stderr != "" {
		t.Errorf("workers ends with %d, and there is something left:\n%s%s", status, stdout, stderr)
	}
	if status, _, stderr := run("secret", "workers", "--join", server.URL(), "--forget", "deadbeef"); status != StatusUsage || !strings.Contains(stderr, "no such scan") {
		t.Errorf("to forget what is not there ends with %d:\n%s", status, stderr)
	}
}
