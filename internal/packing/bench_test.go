package packing

import (
	"testing"

	"github.com/redialscan/redial/pkg/report"
)

func BenchmarkPack(b *testing.B) {
	var events []report.Event
	for i := range 1000 {
		events = append(events, page(int64(i%3), i))
	}
	var p Packer
	b.ReportAllocs()
	for b.Loop() {
		pack(b, &p, events...)
	}
}

func BenchmarkUnpack(b *testing.B) {
	var p Packer
	for i := range 1000 {
		if err := p.Add(page(int64(i%3), i)); err != nil {
			b.Fatal(err)
		}
	}
	data := p.Take()
	b.ReportAllocs()
	for b.Loop() {
		if err := Unpack(data, room, func(report.Event) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
