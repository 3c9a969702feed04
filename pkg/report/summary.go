package report

import "time"

// Summary is the end of a scan in numbers. Done, Failed and Skipped add up to
// Items, unless the scan lost something, and then the text says so.
type Summary struct {
	Time        time.Time        `json:"time"`
	Duration    Duration         `json:"duration"`
	Interrupted string           `json:"interrupted,omitempty"` // the signal or reason that stopped the scan early
	Hosts       int64            `json:"hosts"`
	Items       int64            `json:"items"` // that the input made
	Sent        int64            `json:"sent"`  // requests, repeats and redirects included
	Findings    int64            `json:"findings"`
	Checks      int64            `json:"checks,omitempty"`         // templates that were run; 0 without any
	Refused     int64            `json:"checks_refused,omitempty"` // templates that cannot be run
	Done        int64            `json:"done"`
	Failed      int64            `json:"failed"`
	Skipped     int64            `json:"skipped"`
	SkippedBy   map[string]int64 `json:"skipped_by,omitempty"` // by reason; the sum is Skipped
	// Quarantined are the worst of the hosts that ever tripped, see [Worst];
	// QuarantinedHosts counts all of them.
	Quarantined      []HostRow `json:"quarantined,omitempty"`
	QuarantinedHosts int64     `json:"quarantined_hosts"`
	// Held are the worst of the hosts that reached the limit of the failure window: State is "held" while they are at it,
	// Trips is how often they came there. HeldHosts counts all of them.
	Held      []HostRow `json:"held,omitempty"`
	HeldHosts int64     `json:"held_hosts,omitempty"`
	// ThrottledHosts is the number of hosts that asked for less.
	ThrottledHosts int64 `json:"throttled_hosts,omitempty"`
}

// Type is [TypeSummary].
func (*Summary) Type() string { return TypeSummary }

// Missing is the number of items that are neither done nor failed nor skipped. It is 0
// in a scan that kept its books.
func (s *Summary) Missing() int64 { return s.Items - s.Done - s.Failed - s.Skipped }

// HostRow is what became of a host that was quarantined, or held, at least once.
type HostRow struct {
	Host       string   `json:"host"`
	State      string   `json:"state"` // at the end
	Trips      int      `json:"trips"`
	Quarantine Duration `json:"quarantine"` // time spent in it, all trips together
	LastError  string   `json:"last_error,omitempty"`
	Done       int64    `json:"done"`
	Failed     int64    `json:"failed"`
	Skipped    int64    `json:"skipped"`
}
