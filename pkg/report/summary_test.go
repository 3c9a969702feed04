package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestSummaryText(t *testing.T) {
	var rows []HostRow
	for i := range 25 {
		rows = append(rows, HostRow{
			Host: fmt.Sprintf("127.0.0.%d:8080", i), State: "closed", Trips: 1 + i%3,
			Quarantine: Duration(time.Duration(i) * 1234567 * time.Microsecond), Done: int64(50 - i), Skipped: int64(i),
		})
	}
	rows[3].State, rows[3].LastError = "dead", "dial tcp 127.0.0.3:8080: connect: connection refused"
	rows[4].State, rows[4].LastError = "open", "read: \x1b[2J"+strings.Repeat("long ", 30)
	rows[5].Host = "a-very-long-name-of-a-host-in-some-department.of.some.company.example:8443"
	rows[5].State, rows[5].Quarantine, rows[5].Skipped = "half-open", Duration(123*time.Hour), 123456789
	worst, total := Worst(slices.Values(rows), ShownHosts)

	for _, tt := range []struct {
		golden  string
		summary Summary
	}{
		{"summary.txt", Summary{
			Duration: Duration(41234 * time.Millisecond), Hosts: 200, Items: 10_000, Sent: 7450, Findings: 120,
			Done: 6000, Failed: 12, Skipped: 3988, SkippedBy: map[string]int64{"dead": 88, "quarantined": 3900},
			Quarantined: worst, QuarantinedHosts: total, ThrottledHosts: 3, HeldHosts: 1,
			Held: []HostRow{{Host: "127.0.0.9:8080", State: "held", Trips: 2, Quarantine: Duration(90 * time.Second), Done: 4, Skipped: 46,
				LastError: "connection failed while waiting for a response head: EOF"}},
		}},
		{"summary-interrupted.txt", Summary{
			Duration: Duration(95 * time.Second), Interrupted: "SIGTERM", Hosts: 1, Items: 10, Sent: 4, Done: 3, Failed: 1, Skipped: 5,
			SkippedBy: map[string]int64{"interrupted": 5},
		}},
		{"summary-checks.txt", Summary{Hosts: 1, Items: 5, Done: 5, Sent: 9, Findings: 2, Checks: 5, Refused: 3}},
		{"summary-empty.txt", Summary{}},
	} {
		text := tt.summary.Text()
		golden(t, tt.golden, text)
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if utf8.RuneCountInString(line) > 80 || Sanitize(line) != line {
				t.Errorf("%s: %q is wider than 80 columns, or steers", tt.golden, line)
			}
		}
	}
}
