package retry

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

func takeAll(b *Budget) (taken int) {
	for b.Take() {
		taken++
	}
	return taken
}

func TestBudgetShare(t *testing.T) {
	for _, tt := range []struct {
		percent float64
		floor   int
		sent    int
		want    int
	}{
		{10, 10, 0, 10},
		{10, 10, 109, 10},
		{10, 10, 110, 11},
		{10, 10, 119, 11},
		{10, 0, 9, 0},
		{10, 0, 10, 1},
		{0.5, 0, 199, 0},
		{0.5, 0, 200, 1},
		{250, 0, 4, 10},
		{0, 3, 1000, 3},
		{0, 0, 1000, 0},
	} {
		b, err := NewBudget(tt.percent, tt.floor)
		if err != nil {
			t.Fatal(err)
		}
		for range tt.sent {
			b.Sent()
		}
		if got := takeAll(b); got != tt.want {
			t.Errorf("%v %% of %d, at least %d: %d retries, want %d", tt.percent, tt.sent, tt.floor, got, tt.want)
		}
		if taken, allowed := b.Retries(); taken != int64(tt.want) || allowed != int64(tt.want) {
			t.Errorf("%v %% of %d: %d of %d taken, want all of %d", tt.percent, tt.sent, taken, allowed, tt.want)
		}
	}
}

func TestBudgetRefuses(t *testing.T) {
	for _, percent := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := NewBudget(percent, 0); err == nil {
			t.Errorf("%v percent is accepted", percent)
		}
	}
	if _, err := NewBudget(1, -1); err == nil {
		t.Error("a negative floor is accepted")
	}
}

func TestBudgetIsNotOverflowed(t *testing.T) {
	b, err := NewBudget(math.MaxFloat64, 0)
	if err != nil {
		t.Fatal(err)
	}
	b.Sent()
	b.Sent()
	if !b.Take() {
		t.Error("a huge share refuses")
	}
}

func TestNilBudgetRefusesNothing(t *testing.T) {
	var b *Budget
	b.Sent()
	b.Refund()
	if !b.Take() {
		t.Error("a nil budget refuses")
	}
	if taken, allowed := b.Retries(); taken != 0 || allowed != math.MaxInt64 {
		t.Errorf("%d of %d, want 0 of everything", taken, allowed)
	}
}

func TestBudgetAgainstCounters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		percent := rapid.IntRange(0, 200).Draw(t, "percent")
		floor := rapid.IntRange(0, 20).Draw(t, "floor")
		b, err := NewBudget(float64(percent), floor)
		if err != nil {
			t.Fatal(err)
		}
		var sent, taken int
		t.Repeat(map[string]func(*rapid.T){
			"sent": func(*rapid.T) { b.Sent(); sent++ },
			"take": func(t *rapid.T) {
				want := taken < max(floor, sent*percent/100)
				if got := b.Take(); got != want {
					t.Fatalf("take is %v with %d sent and %d taken", got, sent, taken)
				}
				if want {
					taken++
				}
			},
			"refund": func(t *rapid.T) {
				if taken == 0 {
					return // nothing to give back
				}
				b.Refund()
				taken--
			},
		})
	})
}

func TestBudgetIsNeverOverdrawn(t *testing.T) {
	const workers, each = 8, 2000
	b, err := NewBudget(DefaultBudgetPercent, DefaultBudgetFloor)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var granted atomic.Int64
	for range workers {
		wg.Go(func() {
			for range each {
				b.Sent()
				if b.Take() {
					granted.Add(1)
				}
				if taken, allowed := b.Retries(); taken > allowed {
					t.Errorf("%d taken of %d", taken, allowed)
				}
			}
		})
	}
	wg.Wait()
	if want := int64(workers * each / 10); granted.Load() > want {
		t.Errorf("%d retries for %d requests, want at most %d", granted.Load(), workers*each, want)
	}
	takeAll(b)
	if taken, _ := b.Retries(); taken != workers*each/10 {
		t.Errorf("%d retries in the end, want exactly a tenth", taken)
	}
}

func BenchmarkBudget(b *testing.B) {
	budget, err := NewBudget(DefaultBudgetPercent, DefaultBudgetFloor)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		budget.Sent()
		budget.Take()
	}
}
