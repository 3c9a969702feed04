package check

import (
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/redialscan/redial/pkg/requester"
)

// response is an answer with a body, and with a content type unless that is "".
func response(status int, contentType, body string) *requester.Response {
	r := &requester.Response{Status: status, Body: []byte(body), Length: int64(len(body))}
	if contentType != "" {
		r.Header = []requester.Field{{Name: "Content-Type", Value: contentType}}
	}
	return r
}

func TestReadPage(t *testing.T) {
	resp := &requester.Response{
		Status: 302, Proto: "HTTP/2.0", Length: 5000,
		Header: []requester.Field{
			{Name: "date", Value: "today!"}, {Name: "server", Value: "nginx/1.2 (x; y)"}, {Name: "Server", Value: "second"},
			{Name: "content-type", Value: " text/html ; charset=utf-8"}, {Name: "location", Value: "/login;jsessionid=1?a=b"},
		},
		Body: []byte("<title>Sign in</title>\n two words\n\n"),
		IP:   netip.MustParseAddr("127.0.0.9"), TLS: &requester.TLSInfo{Subject: "example.com"},
		FinalURL: "http://h/x", Hops: 2, RedirectSkipped: "dead:80",
	}
	want := Page{
		Status: 302, Title: "Sign in", WebServer: "nginx/1.2 (x; y)", ContentType: "text/html", Location: "/login;jsessionid=1?a=b",
		Length: 5000, Words: 4, Lines: 2, IP: resp.IP, TLSSubject: "example.com", FinalURL: "http://h/x", Hops: 2, RedirectSkipped: "dead:80",
	}
	if got := ReadPage(resp); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestReadPageWithoutBody(t *testing.T) {
	resp := &requester.Response{Status: 200, Length: 1234}
	if got, want := ReadPage(resp), (Page{Status: 200, Length: 1234, Words: 1, Lines: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestPageTitleByContentType(t *testing.T) {
	const doc = " \n<html><title>T</title>"
	for contentType, want := range map[string]string{
		"":                                   "T",
		"text/html":                          "T",
		"Text/HTML;charset=utf-8":            "T",
		"application/xhtml+xml":              "T",
		"application/rss+xml; charset=utf-8": "T",
		"application/json":                   "",
		"text/plain; x=html":                 "",
		"image/png":                          "",
	} {
		if got := ReadPage(response(200, contentType, doc)).Title; got != want {
			t.Errorf("%q: title %q, want %q", contentType, got, want)
		}
	}
	if got := ReadPage(response(200, "", `{"html":"<title>T</title>"}`)).Title; got != "" {
		t.Errorf("title %q of JSON without a content type, want none", got)
	}
}

// The counts are httpx's, which is what the filters of people are made for.
func TestWordsAndLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.StringOfN(rapid.SampledFrom([]rune(" \n\r\tab")), 0, 40, -1).Draw(t, "body")
		page := ReadPage(response(200, "text/plain", body))
		words, lines := len(strings.Split(body, " ")), len(strings.Split(strings.TrimSpace(body), "\n"))
		if page.Words != words || page.Lines != lines {
			t.Fatalf("got %d words and %d lines, want %d and %d", page.Words, page.Lines, words, lines)
		}
	})
}
