package main

import (
	"strings"
	"testing"
	"time"
)

func TestTable(t *testing.T) {
	rows := []row{
		{workload: "healthy", tool: "redial", rate: 41234.6, wall: 2425 * time.Millisecond, cpu: 0.03125, peak: 36 << 20, conns: 1200, first: 21 * time.Millisecond, last: 2 * time.Second},
		{workload: "healthy", tool: "wrk", rate: 64000, wall: 2 * time.Second, cpu: 0.01, peak: 10 << 20, conns: 150, lost: unknown, first: unknown, last: unknown},
		{workload: "wide", tool: "ffuf", failed: "stopped after 5m0s"},
	}
	reached := []goal{{"one", "0.90", "at least 0.8", true}, {"the other", "0.50", "at least 0.6", false}}
	var got strings.Builder
	if err := writeTable(&got, rows, reached); err != nil {
		t.Fatal(err)
	}
	want := strings.TrimPrefix(`
  workload    tool  requests/s   wall  CPU s/1,000  peak MiB  conns  lost  first   last
   healthy  redial      41,235  2.42s       0.0312      36.0  1,200     0   21ms  2.00s
               wrk      64,000  2.00s       0.0100      10.0    150     -      -      -
      wide    ffuf      failed                                                          stopped after 5m0s

one        0.90  at least 0.8  yes
the other  0.50  at least 0.6  NO
`, "\n")
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", 1234567: "1,234,567", -123: "-123"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
