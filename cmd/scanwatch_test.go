package cmd

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
)

func quietEnv(stdin io.Reader, stdout, stderr io.Writer) Env {
	return Env{
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Getenv:      func(string) string { return "" },
		Signals:     func() (<-chan os.Signal, func()) { return nil, func() {} },
		BrokenPipes: func() func() { return func() {} },
	}
}

func TestMetricsAreServedWhileAScanRuns(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "yes") }))
	defer host.Close()
	stdin, list := io.Pipe()
	messages, stderr := io.Pipe()
	results, stdout := io.Pipe()
	status := -1
	var wg sync.WaitGroup
	wg.Go(func() {
		defer stdout.Close()
		defer stderr.Close()
		status = Run([]string{"scan", "--metrics-addr", "0", "--no-progress"}, quietEnv(stdin, stdout, stderr))
	})
	line, err := bufio.NewReader(messages).ReadString('\n')
	at := regexp.MustCompile(`http://[0-9.:]+/metrics`).FindString(line)
	if err != nil || at == "" {
		t.Fatalf("the first message is %q, %v; want where the metrics are", line, err)
	}
	wg.Go(func() { _, _ = io.Copy(io.Discard, messages) })
	if _, err := io.WriteString(list, host.URL+"\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(results).ReadString('\n'); err != nil || !strings.Contains(line, "[200]") {
		t.Fatalf("the result is %q, %v", line, err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	for _, want := range []string{
		"redial_requests_total 1\n", `redial_responses_total{code="2xx"} 1` + "\n", "redial_request_duration_seconds_count 1\n", "redial_input_reading 1\n",
	} {
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("missing %q in\n%s, %v", want, page, err)
		}
	}
	if strings.Contains(string(page), "127.0.0.1") {
		t.Errorf("a host is in a label:\n%s", page)
	}
	list.Close()
	wg.Wait()
	if status != StatusOK {
		t.Errorf("exit status %d", status)
	}
	if _, err := client.Get(at); err == nil {
		t.Error("the port is open after the scan")
	}
}

func TestMetricsPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	addr := taken.Addr().String()
	var stdout, stderr bytes.Buffer
	status := Run([]string{"scan", "-u", "http://" + addr, "--metrics-addr", addr}, quietEnv(strings.NewReader(""), &stdout, &stderr))
	want := "redial: --metrics-addr: " + addr + " is in use, expected a free port, or 0 for any\n"
	if status != StatusUsage || stderr.String() != want || stdout.Len() != 0 {
		t.Errorf("status %d, %q, want 2 and %q", status, stderr.String(), want)
	}
}
