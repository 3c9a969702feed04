package executor

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// rowsOf are the lengths of the runs of items in a row at one host.
func rowsOf(runs []string) (rows []int) {
	last := ""
	for _, run := range runs {
		host, _, _ := strings.Cut(run, "#")
		if host != last {
			rows = append(rows, 0)
		}
		rows[len(rows)-1]++
		last = host
	}
	return rows
}

func TestRows(t *testing.T) {
	tests := []struct {
		name string
		took time.Duration // by an item
		kind Kind          // of each but the first of a host
		set  func(*Config[string])
		rows []int // of two hosts with 40 checks each
	}{
		// The contact of the second host waits for the worker while the first has its own.
		{"fast hosts", time.Millisecond, Done, nil, []int{1, 32, 32, 8, 7}},
		{"slower hosts", 30 * time.Millisecond, Done, nil, slices.Concat([]int{1, 3}, slices.Repeat([]int{4}, 18), []int{3, 1})},
		{"slow hosts", 100 * time.Millisecond, Done, nil, slices.Repeat([]int{1}, 80)},
		{"checks that fail", time.Millisecond, CheckError, nil, slices.Concat([]int{1, 2}, slices.Repeat([]int{1}, 77))},
		{"under a pace", time.Millisecond, Done, func(cfg *Config[string]) {
			cfg.Pace = func(now time.Time) (time.Time, int) { return now, 100 }
		}, slices.Repeat([]int{1}, 80)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld()
			cfg := w.config()
			cfg.Concurrency, cfg.DialConcurrency, cfg.Checks = 1, 1, 40
			if tt.set != nil {
				tt.set(&cfg)
			}
			w.respond = func(_ *world, item Item[string]) Outcome[string] {
				hang(tt.took)
				if item.Check == 0 {
					return Outcome[string]{}
				}
				return Outcome[string]{Kind: tt.kind}
			}
			scan(t, cfg, func(Tally, error) {
				if rows := rowsOf(w.runs); !slices.Equal(rows, tt.rows) {
					t.Errorf("rows %v, want %v", rows, tt.rows)
				}
			}, "a", "b")
		})
	}
}
