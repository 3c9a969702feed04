package report

import "time"

// Result is one finished item: one check against one target, done or failed. In
// an events file each item that the input made stands in exactly one Result or one [Skipped].
//
// The fields from Timestamp on are named, and typed, as httpx does it: the port
// and the time are strings, and words, lines, status_code, content_length and
// failed are always there.
type Result struct {
	// Target counts the targets in the order in which the input made them, Index the
	// items of a target in the order of the plan; both from 0. Together they name the item.
	// Matched tells whether the item is a finding, something to print. Those three
	// stand in the events file only.
	Target  int64 `json:"target"`
	Index   int   `json:"index"`
	Matched bool  `json:"matched"`

	Timestamp     time.Time `json:"timestamp"`
	Port          string    `json:"port,omitempty"`
	URL           string    `json:"url,omitempty"`
	Input         string    `json:"input,omitempty"` // as the user wrote it; written without a password
	Location      string    `json:"location,omitempty"`
	Title         string    `json:"title,omitempty"`
	Scheme        string    `json:"scheme,omitempty"`
	Error         string    `json:"error,omitempty"`
	WebServer     string    `json:"webserver,omitempty"`
	ContentType   string    `json:"content_type,omitempty"`
	Method        string    `json:"method,omitempty"`
	Host          string    `json:"host,omitempty"` // canonical, without port, IPv6 without brackets
	HostIP        string    `json:"host_ip,omitempty"`
	Path          string    `json:"path,omitempty"`
	FinalURL      string    `json:"final_url,omitempty"`
	Time          Duration  `json:"time,omitempty"` // from the first byte sent to the last one read, in the last attempt
	Words         int       `json:"words"`
	Lines         int       `json:"lines"`
	StatusCode    int       `json:"status_code"`
	ContentLength int64     `json:"content_length"`
	Failed        bool      `json:"failed"`

	Attempts        int    `json:"attempts"`                   // all that were sent for this item
	Check           string `json:"check,omitempty"`            // the id of the check, see Check
	TLSSubject      string `json:"tls_subject,omitempty"`      // of the certificate that was shown
	RedirectSkipped string `json:"redirect_skipped,omitempty"` // the key of a hop that is quarantined or excluded
	Hops            int    `json:"hops,omitempty"`             // redirects followed
	PassedOver      string `json:"passed_over,omitempty"`      // why there was nothing to ask of the target; the item is done

	Protocol string `json:"protocol,omitempty"`      // of the check: http, dns, ssl, tcp; in results the line of a match calls it type
	Template string `json:"template-path,omitempty"` // the file that the check came from
	// Info says what the check looks for; nil where a check says no more than its id. All results of a check may share it.
	Info *Info `json:"info,omitempty"`
	// Matches are the findings of an item that has several, or has more to say of one than its answer. In a file of results
	// each is a line of its own; in an events file they stay together, so that an item ends in one line. A
	// Result with Matched and none of them is one finding.
	Matches []Match `json:"matches,omitempty"`
}

// Info is what a finding says of its check, with the names of nuclei. The [Check] event has the rest.
type Info struct {
	Name        string   `json:"name,omitempty"`
	Author      []string `json:"author,omitempty"`
	Severity    string   `json:"severity,omitempty"` // see SeverityRank
	Tags        []string `json:"tags,omitempty"`
	Description string   `json:"description,omitempty"`
	Reference   []string `json:"reference,omitempty"`
	Remediation string   `json:"remediation,omitempty"`
}

// Match is one finding of an item. In results its fields have the names of nuclei, and template-id stands beside them.
type Match struct {
	MatchedAt     string   `json:"matched-at,omitempty"` // the URL, or host:port where there is no URL
	Type          string   `json:"type,omitempty"`       // protocol of the request, where it is not the check's
	MatcherName   string   `json:"matcher-name,omitempty"`
	ExtractorName string   `json:"extractor-name,omitempty"`
	Extracted     []string `json:"extracted-results,omitempty"`
	IP            string   `json:"ip,omitempty"`           // the address that answered
	Request       string   `json:"request,omitempty"`      // as it was sent, but for what the client adds to every request
	Response      string   `json:"response,omitempty"`     // head and body
	Curl          string   `json:"curl-command,omitempty"` // sends the same request
}

// Findings is the number of findings that a result stands for.
func (r *Result) Findings() int {
	switch {
	case r.Failed || !r.Matched:
		return 0
	case len(r.Matches) == 0:
		return 1
	}
	return len(r.Matches)
}

// Type is [TypeResult].
func (*Result) Type() string { return TypeResult }

// Skipped is what was left out of one target. The items are named exactly: a
// range of the plan, and single ones outside it that were put back.
type Skipped struct {
	Time      time.Time `json:"time"`
	Host      string    `json:"host"` // the breaker's key
	URL       string    `json:"url,omitempty"`
	Input     string    `json:"input,omitempty"` // written without a password
	Target    int64     `json:"target"`          // see Result.Target
	Reason    string    `json:"reason"`          // quarantined, dead, backlog-full, interrupted, no-route, host-timeout, proxy-failed, excluded
	State     string    `json:"state,omitempty"`
	Trips     int       `json:"trips,omitempty"`
	LastError string    `json:"last_error,omitempty"`
	// From and To are the range [From, To) of item indexes; equal ones are no range.
	From int `json:"from"`
	To   int `json:"to"`
	// Again are single indexes outside the range, of items that had been given back.
	Again []int `json:"again,omitempty"`
	// Items is written for people and jq. It is always [Skipped.Count]: the
	// encoder fills it in, and the decoder refuses another value.
	Items int64 `json:"items"`
}

// Type is [TypeSkipped].
func (*Skipped) Type() string { return TypeSkipped }

// Count is the number of items left out.
func (s *Skipped) Count() int64 {
	return int64(max(s.To-s.From, 0)) + int64(len(s.Again))
}
