package capture

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

func exchange(url, sent, body string) requester.Exchange {
	return requester.Exchange{URL: url, Method: "GET", Sent: []byte(sent), Took: 12 * time.Millisecond, Response: &requester.Response{
		Proto: "HTTP/1.1", Status: 200, Body: []byte(body),
		Header: []requester.Field{{Name: "Set-Cookie", Value: "sid=hunter2"}, {Name: "Server", Value: "lab\x1b[2J"}},
	}}
}

func TestPrinterShowsNoSecretAndNoEscape(t *testing.T) {
	var out bytes.Buffer
	p := NewPrinter(&out, true, true)
	p.Show(exchange("http://host.test/", "GET /a?x=1 HTTP/1.1\r\nHost: host.test\r\nAuthorization: Basic hunter2\r\nProxy-Authorization: hunter2\r\n"+
		"cookie: a=hunter2\r\n hunter2\r\nX-Api-Key: hunter2\r\nX-Auth-Token:hunter2\r\nWWW-Thing: seen\r\n\r\nname: hunter3", "<title>\u202e</title>"))
	want := `* request to http://host.test/
> GET /a?x=1 HTTP/1.1
> Host: host.test
> Authorization: Basic ***
> Proxy-Authorization: ***
> cookie: ***
>  ***
> X-Api-Key: ***
> X-Auth-Token: ***
> WWW-Thing: seen
>
> name: hunter3
* response of http://host.test/ after 12ms
< HTTP/1.1 200
< Set-Cookie: ***
< Server: lab\x1b[2J
<
< <title>\u202e</title>
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestPrinterTellsOfWhatFailed(t *testing.T) {
	for _, tt := range []struct {
		name                string
		e                   requester.Exchange
		requests, responses bool
		want                string
	}{
		{"refused", requester.Exchange{URL: "http://h/", Method: "GET", Err: errors.New("refused\x1b"), Took: time.Second}, true, false,
			"* GET http://h/ was not sent\n* no response from http://h/ after 1s: refused\\x1b\n"},
		{"handshake", requester.Exchange{URL: "https://h/", Response: &requester.Response{}}, true, true,
			"* TLS handshake with https://h/\n* handshake with https://h/ done after 0s\n"},
		{"conversation", requester.Exchange{URL: "tcp://h:25", Method: "TCP", Response: &requester.Response{Body: []byte("220 hi\r\n")}}, true, true,
			"* nothing was said to tcp://h:25\n* response of tcp://h:25 after 0s\n< 220 hi\n"},
		{"requests only", exchange("http://h/", "GET / HTTP/1.1\n\n", "x"), true, false, "* request to http://h/\n> GET / HTTP/1.1\n>\n"},
	} {
		var out bytes.Buffer
		NewPrinter(&out, tt.requests, tt.responses).Show(tt.e)
		if out.String() != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, out.String(), tt.want)
		}
	}
}

func TestPrinterIsBounded(t *testing.T) {
	var out bytes.Buffer
	NewPrinter(&out, false, true).Show(exchange("http://h/", "", strings.Repeat("é", MaxShown)))
	if got := out.String(); !strings.HasSuffix(got, "more bytes\n") || out.Len() > MaxShown+500 || strings.Contains(got, `\x`) && strings.Contains(got, `\xc3`) {
		t.Errorf("got %d bytes that end with %q", out.Len(), got[len(got)-40:])
	}
}

// below lists the files of a folder, by path.
func below(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		found[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func newStore(t *testing.T, folder string, limits Limits, full func(string)) *Store {
	t.Helper()
	s, err := NewStore(folder, limits, false, full)
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Finish() })
	return s
}

func never(t *testing.T) func(string) { return func(what string) { t.Errorf("%s was reached", what) } }

func TestStoreKeepsEachAnswerInAFileOfItsOwn(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "responses")
	s := newStore(t, folder, Limits{}, never(t))
	var wg sync.WaitGroup
	for _, e := range []requester.Exchange{
		exchange("http://h:80/../../etc/passwd", "GET 1", "one"), exchange("http://h:80/../../etc/passwd", "GET 1", "one"),
		exchange("http://h:80/../../etc/passwd", "GET 2", "one"), exchange("http://h:80/../../ETC/passwd", "GET 1", "one"),
		exchange("http://[::1]:80/CON", "", "one"), exchange("http://h:80/"+strings.Repeat("a/", 5000), "", "one"),
		exchange("http://"+strings.Repeat("a.", 120)+"x:80/", "", "one"), exchange("http://"+strings.Repeat("a.", 120)+"y:80/", "", "one"),
		{URL: "http://none", Method: "GET", Err: errors.New("refused")},
	} {
		wg.Go(func() { s.Keep(e) })
	}
	wg.Wait()
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	files := below(t, folder)
	index := strings.Split(strings.TrimSpace(files["index.txt"]), "\n")
	delete(files, "index.txt")
	if len(files) != 8 || len(index) != 8 {
		t.Errorf("%d files and %d lines of the index, want 8 of each: %v", len(files), len(index), files)
	}
	folders := map[string]bool{}
	for name, text := range files {
		folders[filepath.Dir(name)] = true
		if strings.Contains(name, "..") || len(name) > 250 || strings.ContainsAny(name, `\:[]`) {
			t.Errorf("the name %q is not safe", name)
		}
		if !strings.HasSuffix(text, "\r\n\r\none") || !strings.HasPrefix(text, "HTTP/1.1 200\r\nSet-Cookie: sid=hunter2\r\n") {
			t.Errorf("%s holds %q", name, text)
		}
	}
	if len(folders) != 4 || !folders["http_h_80"] || !folders["http____1__80"] {
		t.Errorf("folders %v, want 4, one a host", folders)
	}
	outside, err := os.ReadDir(filepath.Dir(folder))
	if err != nil || len(outside) != 1 {
		t.Errorf("beside the folder are %v, %v", outside, err)
	}
}

func TestStoreReplacesWhatAnEarlierRunLeft(t *testing.T) {
	folder := t.TempDir()
	for _, body := range []string{"first", "second"} {
		s := newStore(t, folder, Limits{}, never(t))
		s.Keep(exchange("http://h/", "GET", body))
		if err := s.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	files := below(t, folder)
	if len(files) != 2 {
		t.Errorf("got %v, want a file and the index", files)
	}
	for name, text := range files {
		if name != "index.txt" && !strings.HasSuffix(text, "second") {
			t.Errorf("%s holds %q", name, text)
		}
	}
}

// A scan that goes on has its earlier answers in the index too, and one that cannot begin has taken nothing away.
func TestIndexGoesOnWithItsScan(t *testing.T) {
	folder := t.TempDir()
	for _, run := range []struct {
		url   string
		goOn  bool
		begin bool
		want  []string
	}{
		{"http://a/", false, true, []string{"http://a/"}},
		{"http://b/", true, true, []string{"http://a/", "http://b/"}},
		{"", false, false, []string{"http://a/", "http://b/"}},
		{"http://c/", false, true, []string{"http://c/"}},
	} {
		s, err := NewStore(folder, Limits{}, run.goOn, never(t))
		if err != nil {
			t.Fatal(err)
		}
		if run.begin {
			err = s.Start()
			s.Keep(exchange(run.url, "GET", "x"))
		}
		if err = errors.Join(err, s.Finish()); err != nil {
			t.Fatal(err)
		}
		var urls []string
		for line := range strings.Lines(below(t, folder)["index.txt"]) {
			urls = append(urls, strings.Fields(line)[2])
		}
		if !slices.Equal(urls, run.want) {
			t.Errorf("after %+v the index has %q", run, urls)
		}
	}
}

func TestStoreIsBounded(t *testing.T) {
	one := int64(len(appendResponse(nil, exchange("http://h/", "", "x").Response)))
	for _, tt := range []struct {
		limits Limits
		want   string
	}{{Limits{Files: 3}, "the limit of files"}, {Limits{Bytes: 3*one + 1}, "the limit of bytes"}} {
		folder := t.TempDir()
		var told []string
		s := newStore(t, folder, tt.limits, func(what string) { told = append(told, what) })
		for i := range 10 {
			s.Keep(exchange(fmt.Sprintf("http://h/%d", i), "", "x"))
		}
		if err := s.Finish(); err != nil {
			t.Fatal(err)
		}
		if n := len(below(t, folder)); n != 4 || len(told) != 1 || told[0] != tt.want {
			t.Errorf("%d files, told %v; want 3 and the index, and once %q", n, told, tt.want)
		}
	}
}

func TestStoreThatCannotWriteTellsItLikeAnyOutput(t *testing.T) {
	folder := t.TempDir()
	e := exchange("http://h/", "GET", "x")
	host, file := place(e)
	if err := os.MkdirAll(filepath.Join(folder, host, file+".txt", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := newStore(t, folder, Limits{}, never(t))
	if err := s.Event(&report.Summary{}); err != nil {
		t.Fatalf("failed before anything was written: %v", err)
	}
	s.Keep(e)
	s.Keep(exchange("http://other/", "GET", "x"))
	for i, err := range []error{s.Event(&report.Summary{}), s.Finish(), s.Finish()} {
		if out, ok := errors.AsType[*report.OutputError](err); !ok || out.Name != "stored responses "+folder {
			t.Errorf("%d: the error is %v, want that of an output", i, err)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "http_other")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was written on after the failure: %v", err)
	}
}

func TestStoreNeedsAFolder(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, filepath.Join(path, "below")} {
		if _, err := NewStore(name, Limits{}, false, nil); err == nil || !strings.HasSuffix(err.Error(), "expected a folder that this user may write") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func FuzzPlace(f *testing.F) {
	for _, url := range []string{"http://h/", "http://../..", "://", "", "http://h?../x", "\x00\xff", "http://h/%2e%2e/."} {
		f.Add(url, "GET")
	}
	f.Fuzz(func(t *testing.T, url, method string) {
		folder, file := place(requester.Exchange{URL: url, Method: method})
		for _, name := range []string{folder, file} {
			if !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) || len(name) > 150 {
				t.Errorf("%q gives the name %q", url, name)
			}
		}
	})
}
