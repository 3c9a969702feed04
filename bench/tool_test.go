package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMaterial(t *testing.T) {
	dir := t.TempDir()
	urls := filepath.Join(dir, "urls.txt")
	if err := os.WriteFile(urls, []byte("https://127.1.0.1:99/\nhttps://127.1.0.2:99/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := prepare(workload{checks: 2}, dir, urls)
	if err != nil {
		t.Fatal(err)
	}
	if w.first != "https://127.1.0.1:99/" || w.scheme != "https" {
		t.Errorf("got first %q, scheme %q", w.first, w.scheme)
	}
	for file, want := range map[string]string{
		w.hosts: "127.1.0.1:99\n127.1.0.2:99\n",
		w.paths: "/p1\n/p2\n",
		w.words: "p1\np2\n",
	} {
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", filepath.Base(file), got, err, want)
		}
	}
	if got, err := os.ReadFile(w.template); err != nil || !strings.Contains(string(got), `- "{{BaseURL}}/p2"`) {
		t.Errorf("got the template %q, %v", got, err)
	}
}

func TestAddresses(t *testing.T) {
	for i, want := range map[int]string{
		0: "127.16.0.1", 253: "127.16.0.254", 254: "127.16.1.1", 254 * 256: "127.17.0.1", 9_999_999: "127.169.202.20",
	} {
		if got := wideAddress(i); got != want {
			t.Errorf("%d: got %s, want %s", i, got, want)
		}
	}
	var list strings.Builder
	if err := writeAddresses(&list, 2, "http://", ":7/"); err != nil {
		t.Fatal(err)
	}
	if want := "http://127.16.0.1:7/\nhttp://127.16.0.2:7/\n"; list.String() != want {
		t.Errorf("got %q, want %q", list.String(), want)
	}
}

func TestArguments(t *testing.T) {
	healthy := work{
		workload: workloadOf(t, "healthy", 1), urls: "U", hosts: "H", paths: "P", words: "W", template: "T",
		scheme: "http", first: "http://127.1.0.1:9/",
	}
	shared := healthy
	shared.workload, shared.dir, shared.port = workloadOf(t, "cluster", 1), "D", 12_000
	wide := healthy
	wide.workload = workloadOf(t, "wide", 1)
	refused := work{workload: workloadOf(t, "refused-million", 1), urls: stdin, hosts: stdin, scheme: "http"}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"redial", redialArgs(healthy), "scan -l U --rate-limit 0 --host-rate-limit 0 --no-progress --concurrency 150 --timeout 10s --path P"},
		{"redial refused", redialArgs(refused), "scan -l - --rate-limit 0 --host-rate-limit 0 --no-progress --concurrency 150 --timeout 10s --max-skipped 100%"},
		{"serve", sharedArgs(shared), "serve -l U --rate-limit 0 --host-rate-limit 0 --no-progress --concurrency 150 --timeout 10s --path P " +
			"--listen 127.0.0.1:12000 --state-dir " + filepath.Join("D", "state")},
		{"worker", workerArgs(shared), "worker --join nats://127.0.0.1:12000 --name bench --wait 10s"},
		{"bare", bareArgs(healthy), "bare -list U -workers 150 -timeout 10s -paths P"},
		{"bare wide", bareArgs(wide), "bare -list U -workers 150 -timeout 10s"},
		{"ffuf", ffufArgs(healthy), "-s -t 150 -timeout 10 -w H:HOST -w W:WORD -u http://HOST/WORD"},
		{"ffuf wide", ffufArgs(wide), "-s -t 150 -timeout 10 -w H:HOST -mc all -u http://HOST/"},
		{"httpx refused", httpxArgs(refused), "-silent -nc -duc -t 150 -rl 1000000 -timeout 10 -retries 0"},
	} {
		if got := strings.Join(c.args, " "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
	for name, args := range map[string][]string{"healthy": wrkArgs(healthy), "wide": wrkArgs(wide)} {
		got := strings.Join(args, " ")
		if closes := strings.Contains(got, "Connection: close"); closes != (name == "wide") || !strings.Contains(got, "-c 150 -d 2s") {
			t.Errorf("wrk %s: got %s", name, got)
		}
	}
}
