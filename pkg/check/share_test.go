package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Requests that are the same on every target are found, and checks that begin with one stand together.
func TestSharedRequests(t *testing.T) {
	root := t.TempDir()
	for i, fields := range []string{
		"path: ['{{BaseURL}}/']",
		"path: ['{{BaseURL}}/a']",
		"path: ['{{RootURL}}/', '{{BaseURL}}/a']",
		"path: ['{{BaseURL}}/{{randstr}}']",
		"method: POST\n    path: ['{{BaseURL}}/']",
		"path: ['{{BaseURL}}/']\n    headers: {X-A: b}",
		"path: ['{{BaseURL}}/']\n    redirects: true",
		"raw: [\"GET / HTTP/1.1\\nHost: {{Hostname}}\\n\\n\"]",
		"path: ['{{BaseURL}}/']\n    body: x",
		"path: ['{{BaseURL}}/{{rand_int(1,1)}}']",
		"path: ['{{BaseURL}}/1']\n    race: true\n    race_count: 2",
		"raw: [\"@tls-sni: a\\nGET /a HTTP/1.1\\nHost: {{Hostname}}\\n\\n\"]",
		"path: ['{{BaseURL}}/1']",
		"path: ['{{BaseURL}}/{{p}}']\n    payloads: {p: ['']}",
		"path: ['{{BaseURL}}/']\n    headers: {x-a: b}",
	} {
		text := fmt.Sprintf("id: c%d\ninfo: {name: a}\nhttp:\n  - %s%s", i, fields, ending)
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("%02d.yaml", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := Load(context.Background(), LoadOptions{Paths: []string{root}})
	if err != nil || len(set.Refused) > 0 {
		t.Fatal(err, set.Refused)
	}
	var got []string
	for _, c := range set.Checks {
		line := c.ID()
		for _, q := range c.blocks[0].requests {
			line += fmt.Sprintf(" %d/%d", q.share.ID, q.share.Uses)
		}
		got = append(got, line)
	}
	want := "c0 1/2, c2 1/2 2/2, c1 2/2, c3 0/0, c4 0/0, c5 3/2, c14 3/2, c6 0/0, c7 0/0, c8 0/0, c9 0/0, c10 0/0, c11 0/0, c12 0/0, c13 0/0"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("shared\n%s\nwant\n%s", text, want)
	}
}
