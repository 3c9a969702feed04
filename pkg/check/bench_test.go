package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redialscan/redial/pkg/requester"
)

// benchResponse is a page as servers send it: some fields, a head with scripts, then text up to the size.
func benchResponse(size int) *requester.Response {
	head := "<!DOCTYPE html><html><head><meta charset=\"utf-8\">\n<script>var a = '<b>';</script>\n<title>Welcome to the start page</title></head><body>\n"
	body := head + strings.Repeat("<p class=\"line\">Some words of text</p>\n", size/40)
	r := response(200, "text/html; charset=utf-8", body)
	r.Header = append([]requester.Field{
		{Name: "Date", Value: "Thu, 01 Jan 1970 00:00:00 GMT"}, {Name: "Server", Value: "nginx"}, {Name: "Connection", Value: "keep-alive"},
	}, r.Header...)
	return r
}

func BenchmarkRequest(b *testing.B) {
	p := mustProbe(b, ProbeOptions{Paths: []string{"/admin"}})
	for _, text := range []string{"http://example.com", "http://example.com/app"} {
		b.Run(text, func(b *testing.B) {
			settled := mustTarget(b, text)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Request(settled, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReadPage(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 4 << 20} {
		resp := benchResponse(size)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				ReadPage(resp)
			}
		})
	}
	b.Run("hostile", func(b *testing.B) {
		resp := response(200, "text/html", strings.Repeat("<a b=", (4<<20)/5))
		b.ReportAllocs()
		b.SetBytes(4 << 20)
		for b.Loop() {
			ReadPage(resp)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	resp := benchResponse(16 << 10)
	page := ReadPage(resp)
	for name, options := range map[string]FilterOptions{
		"status": {MatchStatus: []string{"200,300-399"}, FilterLength: []string{"0"}},
		"string": {FilterString: []string{"no such text", "nor this"}},
		"regex":  {FilterRegex: []string{`no such \d+ text`}},
	} {
		b.Run(name, func(b *testing.B) {
			f, err := NewFilter(options)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(16 << 10)
			for b.Loop() {
				f.Match(&page, resp)
			}
		})
	}
}
