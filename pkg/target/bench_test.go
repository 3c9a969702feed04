package target

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// BenchmarkReader reads a million lines; b.N counts lines.
func BenchmarkReader(b *testing.B) {
	const count = 1_000_000
	for _, form := range []string{"%d.%d.%d.%d:8080", "http://%d.%d.%d.%d/", "https://h%d.x%d.y%d.example.com/a%d", "h%d.x%d.y%d.Example%d.com"} {
		var list bytes.Buffer
		for i := range count {
			fmt.Fprintf(&list, form+"\n", 10, i>>16, i>>8&255, i&255)
		}
		b.Run(fmt.Sprintf(form, 10, 1, 2, 3), func(b *testing.B) {
			b.ReportAllocs()
			var r *Reader
			for i := 0; b.Loop(); i++ {
				if i%count == 0 {
					r = benchReader(b, bytes.NewReader(list.Bytes()))
				}
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// BenchmarkFullWindow gives out addresses of a network, with the window full.
func BenchmarkFullWindow(b *testing.B) {
	r := benchReader(b, bytes.NewReader([]byte("0.0.0.0/0")))
	for range windowTargets {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "targets/s")
}

func benchReader(b *testing.B, in io.Reader) *Reader {
	r, err := NewReader(Config{Sources: []Source{Stream("list", in)}})
	if err != nil {
		b.Fatal(err)
	}
	return r
}
