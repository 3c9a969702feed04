package lab

import (
	"io"
	"net"
	"testing"
)

// BenchmarkRequest is one request and its answer over kept-alive connections
// with the barest client there is; it shares the processors with the lab. The
// allocations are those of both: none is the aim.
func BenchmarkRequest(b *testing.B) {
	h := one(b, Spec{Kind: Healthy})
	text := []byte("GET /admin HTTP/1.1\r\nHost: " + h.Addr + "\r\nUser-Agent: bare\r\nAccept: */*\r\n\r\n")
	page := h.server.site.admin
	size := len(page.head) + len("\r\n") + len(page.body)
	b.SetParallelism(50)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		c, err := net.Dial("tcp", h.Addr)
		if err != nil {
			b.Error(err)
			return
		}
		defer c.Close()
		answer := make([]byte, size)
		for pb.Next() {
			if _, err := c.Write(text); err != nil {
				b.Error(err)
				return
			}
			if _, err := io.ReadFull(c, answer); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

// BenchmarkConnection is a connection for each request, as a wide scan makes them.
func BenchmarkConnection(b *testing.B) {
	h := one(b, Spec{Kind: Healthy})
	text := []byte("GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	b.ReportAllocs()
	for b.Loop() {
		c, err := net.Dial("tcp", h.Addr)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Write(text); err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, c); err != nil {
			b.Fatal(err)
		}
		_ = c.Close()
	}
}

// BenchmarkStart is a lab of a thousand hosts, from nothing to Close.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		l, err := Start(Config{Counts: map[Kind]int{Healthy: 500, Refusing: 250, TLS: 250}})
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
