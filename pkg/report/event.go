package report

import (
	"encoding/json"
	"time"
)

// The values of the type field in an events file.
const (
	TypeStarted    = "started"
	TypeCheck      = "check"
	TypeResult     = "result"
	TypeSkipped    = "skipped"
	TypeTransition = "transition"
	TypeThrottled  = "throttled"
	TypeHeld       = "held"
	TypePaused     = "paused"
	TypeWaiting    = "waiting"
	TypeSummary    = "summary"
)

// FormatVersion is the version of the events file that this package writes.
// A reader compares it with [Started.Format]; it grows when an old reader would
// misunderstand a new file, not when a type or a field is added: an old reader passes
// over what it does not know, so nothing that has to be known may come by a field alone.
const FormatVersion = 1

// Event is one thing that happened in a scan: *[Started], *[Check], *[Result],
// *[Skipped], *[Transition], *[Throttled], *[Held], *[Paused], *[Waiting], *[Summary], or
// *[Unknown] when read from a file of a newer version.
//
// An event is not changed once it was emitted: handlers may keep it.
type Event interface {
	// Type is the value of the type field.
	Type() string
}

// Duration is a time.Duration that is a string such as "1.5s" in JSON, as httpx
// writes its time field. The zero value is no time.
type Duration time.Duration

// String is the same as that of time.Duration.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes the form of [time.Duration.String].
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what [time.ParseDuration] reads.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

// Started is the first event of a scan: what is needed to say later which scan it
// was, and whether another command would be the same one.
type Started struct {
	Time    time.Time `json:"time"`
	Format  int       `json:"format"` // see FormatVersion
	Version string    `json:"version"`
	Resumed bool      `json:"resumed,omitempty"` // the scan of the events before goes on
	// Options are the options in force by their long names. Whoever fills it in
	// leaves out secrets: headers, bodies, credentials of proxies and targets.
	Options map[string]string `json:"options,omitempty"`
	Inputs  []Input           `json:"inputs,omitempty"`
}

// Input is one thing that decided which items the scan has: a list, a file of paths, a folder of checks.
type Input struct {
	Kind string `json:"kind"` // list, target, path, check, exclude
	Name string `json:"name"` // as given: a path, a value, "-"
	// Digest is empty when the input could not be read beforehand, as with a pipe.
	Digest string `json:"digest,omitempty"`
	Size   int64  `json:"size,omitempty"`
}

// Check describes the items at one place in the plan that every target goes through.
// Skipped ranges and results name places; this says what stands there.
type Check struct {
	Index       int      `json:"index"`
	ID          string   `json:"id"`
	Name        string   `json:"name,omitempty"`
	Severity    string   `json:"severity,omitempty"`
	Description string   `json:"description,omitempty"`
	Method      string   `json:"method,omitempty"`
	Path        string   `json:"path,omitempty"`
	Source      string   `json:"source,omitempty"` // the file that it came from
	Tags        []string `json:"tags,omitempty"`
	References  []string `json:"references,omitempty"`
	Authors     []string `json:"authors,omitempty"`
	Remediation string   `json:"remediation,omitempty"`
	Protocol    string   `json:"protocol,omitempty"`   // http, dns, tcp, ssl; empty: http
	CVE         []string `json:"cve,omitempty"`        // such as CVE-2021-44228
	CWE         []string `json:"cwe,omitempty"`        // such as CWE-79
	CVSSScore   float64  `json:"cvss_score,omitempty"` // 0 to 10; 0: not told
	CVSSMetrics string   `json:"cvss_metrics,omitempty"`
}

// Transition is a change of a host's state in the breaker. At and Seq put two
// transitions of one host in order: they may arrive out of it.
type Transition struct {
	At       time.Time `json:"at"`
	Host     string    `json:"host"` // the breaker's key, host:port
	Seq      uint64    `json:"seq"`
	From     string    `json:"from"` // closed, open, half-open, dead
	To       string    `json:"to"`
	Errors   int       `json:"errors"`
	Trips    int       `json:"trips"`
	Cooldown Duration  `json:"cooldown,omitempty"` // set for a move to open
	Error    string    `json:"error,omitempty"`    // empty for a recovery
	Undone   bool      `json:"undone,omitempty"`   // closed because an outage on our side was over
}

// Throttled says that a host asked for less (429, a 503, or a status that the user has named), and what was decided: once
// for each decision, not for each answer. Without Rate and Until the host is no longer held back.
type Throttled struct {
	Time       time.Time `json:"time"`
	Host       string    `json:"host"`
	StatusCode int       `json:"status_code,omitempty"` // of the answer that led to it
	Rate       float64   `json:"rate,omitempty"`        // requests per second from now on
	Wait       Duration  `json:"wait,omitempty"`        // nothing is sent to the host for so long,
	Until      time.Time `json:"until,omitzero"`        // that is to say until then
	Reason     string    `json:"reason,omitempty"`      // retry-after, halved, recovered
}

// The values of Throttled.Reason.
const (
	ReasonRetryAfter = "retry-after" // the host named the time
	ReasonHalved     = "halved"      // it named none, so its rate was halved
	ReasonRecovered  = "recovered"   // it takes its full rate again
)

// Held says that a host has reached the limit of its failure window: nothing is sent to it until then, or longer when
// requests in flight fail too.
type Held struct {
	Time  time.Time `json:"time"`
	Host  string    `json:"host"`
	Until time.Time `json:"until"`
	Limit int       `json:"limit"`           // failures
	In    Duration  `json:"in"`              // length of the window
	Error string    `json:"error,omitempty"` // the last one
}

// Paused says that the scan holds still because the fault seems to be on our side,
// or, with Resumed, that it goes on.
type Paused struct {
	Time    time.Time `json:"time"`
	Resumed bool      `json:"resumed,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Hosts   int       `json:"hosts,omitempty"`    // hosts that failed together
	Undone  int       `json:"undone,omitempty"`   // trips that were taken back
	PutBack int       `json:"put_back,omitempty"` // items that will be sent again
}

// Waiting says that only parked hosts are left, and until when the scan waits for them.
type Waiting struct {
	Time  time.Time `json:"time"`
	Hosts int       `json:"hosts"`
	Until time.Time `json:"until"`
}

// Unknown is an event of a type that this version does not know. It is kept as it was read.
type Unknown struct {
	Name string          // the type field
	Raw  json.RawMessage // the whole object
}

func (*Started) Type() string    { return TypeStarted }
func (*Check) Type() string      { return TypeCheck }
func (*Transition) Type() string { return TypeTransition }
func (*Throttled) Type() string  { return TypeThrottled }
func (*Held) Type() string       { return TypeHeld }
func (*Paused) Type() string     { return TypePaused }
func (*Waiting) Type() string    { return TypeWaiting }
func (u *Unknown) Type() string  { return u.Name }
