package flow

import (
	"testing"
	"time"

	"golang.org/x/time/rate"
)

// Each pair does the same work, ours beside golang.org/x/time/rate.

func BenchmarkQueue(b *testing.B) {
	now := time.Now()
	b.Run("flow", func(b *testing.B) {
		l := mustNew(b, Rule{Rate: 1000})
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(time.Microsecond)
			l.Take(now)
		}
	})
	b.Run("rate", func(b *testing.B) {
		l := rate.NewLimiter(1000, 1)
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(time.Microsecond)
			l.ReserveN(now, 1)
		}
	})
}

func BenchmarkRefuse(b *testing.B) {
	now := time.Now()
	b.Run("flow", func(b *testing.B) {
		l := mustNew(b, Rule{Rate: 1000, Mode: Reject})
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(time.Microsecond)
			l.Take(now)
		}
	})
	b.Run("rate", func(b *testing.B) {
		l := rate.NewLimiter(1000, 1000)
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(time.Microsecond)
			l.AllowN(now, 1)
		}
	})
}

func BenchmarkReject(b *testing.B) {
	now := time.Now()
	b.Run("flow", func(b *testing.B) {
		l := mustNew(b, Rule{Rate: 1000, Mode: Reject})
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(time.Millisecond)
			l.Take(now)
		}
	})
	b.Run("rate", func(b *testing.B) {
		l := rate.NewLimiter(1000, 1000)
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(time.Millisecond)
			l.AllowN(now, 1)
		}
	})
}

func BenchmarkWarmUp(b *testing.B) {
	now := time.Now()
	for _, m := range []Mode{WarmUp, WarmUpQueue} {
		b.Run("flow/"+m.String(), func(b *testing.B) {
			l := mustNew(b, Rule{Rate: 1000, Mode: m, WarmUp: 10 * time.Second, ColdFactor: 3})
			b.ReportAllocs()
			for b.Loop() {
				now = now.Add(time.Millisecond)
				l.Take(now)
			}
		})
	}
}

func BenchmarkTakeBoth(b *testing.B) {
	now := time.Now()
	b.Run("flow", func(b *testing.B) {
		scan, host := mustNew(b, Rule{Rate: 1000}), mustNew(b, Rule{Rate: 100})
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(time.Microsecond)
			TakeBoth(scan, host, now)
		}
	})
	b.Run("rate", func(b *testing.B) {
		scan, host := rate.NewLimiter(1000, 1), rate.NewLimiter(100, 1)
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(time.Microsecond)
			scan.ReserveN(now, 1)
			host.ReserveN(now, 1)
		}
	})
}

func BenchmarkNextAdmit(b *testing.B) {
	now := time.Now()
	l := mustNew(b, Rule{Rate: 1000})
	l.Take(now)
	b.ReportAllocs()
	for b.Loop() {
		l.NextAdmit(now)
	}
}

func BenchmarkContended(b *testing.B) {
	now := time.Now()
	b.Run("flow", func(b *testing.B) {
		l := mustNew(b, Rule{Rate: 1000})
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				l.Take(now)
			}
		})
	})
	b.Run("rate", func(b *testing.B) {
		l := rate.NewLimiter(1000, 1)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				l.ReserveN(now, 1)
			}
		})
	})
}
