package report

import (
	"cmp"
	"slices"
	"strings"
)

// Finding is one finding with what is known of its check. Its methods give text as it came, from the host too: whoever
// shows it escapes it.
type Finding struct {
	Result *Result
	Match  *Match // nil when the result has no matches
	Check  *Check // nil when the events do not describe it
}

// ID is the id of the check.
func (f Finding) ID() string { return cmp.Or(f.Result.Check, "unnamed") }

// Name is the check's name, or its id.
func (f Finding) Name() string {
	if f.Result.Info != nil && f.Result.Info.Name != "" {
		return f.Result.Info.Name
	}
	if f.Check != nil && f.Check.Name != "" {
		return f.Check.Name
	}
	return f.ID()
}

// Severity is that of the check in lower case, "" when it has none.
func (f Finding) Severity() string {
	switch {
	case f.Result.Info != nil && f.Result.Info.Severity != "":
		return strings.ToLower(f.Result.Info.Severity)
	case f.Check != nil:
		return strings.ToLower(f.Check.Severity)
	}
	return ""
}

// Tags are those of the check.
func (f Finding) Tags() []string {
	switch {
	case f.Result.Info != nil && len(f.Result.Info.Tags) > 0:
		return f.Result.Info.Tags
	case f.Check != nil:
		return f.Check.Tags
	}
	return nil
}

// URL is where it was found, without credentials.
func (f Finding) URL() string {
	if f.Match != nil && f.Match.MatchedAt != "" {
		return hideUserinfo(f.Match.MatchedAt)
	}
	return hideUserinfo(cmp.Or(f.Result.URL, f.Result.Input))
}

// Matcher names the matcher or the extractor that made it, "" for none.
func (f Finding) Matcher() string {
	if f.Match == nil {
		return ""
	}
	return cmp.Or(f.Match.MatcherName, f.Match.ExtractorName)
}

// Extracted is what the check took from the answer.
func (f Finding) Extracted() []string {
	if f.Match == nil {
		return nil
	}
	return f.Match.Extracted
}

// What is what a person wants to see of a finding beside its place: what was extracted, or the title, the server and where
// it leads to.
func (f Finding) What() string {
	if texts := f.Extracted(); len(texts) > 0 {
		return strings.Join(texts, ", ")
	}
	r := f.Result
	var parts []string
	for _, part := range []string{r.Title, r.WebServer} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if to := cmp.Or(r.Location, r.FinalURL); to != "" && to != r.URL {
		parts = append(parts, "-> "+to)
	}
	return strings.Join(parts, " · ")
}

// Key is the breaker's key of the host: host:port.
func (f Finding) Key() string { return hostKey(f.Result) }

// hostKey is host:port, with IPv6 in brackets, "host" while no port is settled.
func hostKey(r *Result) string { return string(appendHostKey(nil, r)) }

func appendHostKey(key []byte, r *Result) []byte {
	if strings.IndexByte(r.Host, ':') >= 0 {
		key = append(append(append(key, '['), r.Host...), ']')
	} else {
		key = append(key, r.Host...)
	}
	if r.Port != "" {
		key = append(append(key, ':'), r.Port...)
	}
	return key
}

// Findings gathers the findings of a scan, the most severe ones when there are more than it may keep.
// It is not safe for concurrent use; make one with [NewFindings].
type Findings struct {
	limit  int
	checks map[int]*Check
	kept   []Finding
	total  int64
	ranks  [6]int64 // by SeverityRank
}

// NewFindings keeps at most limit findings, which is positive.
func NewFindings(limit int) *Findings {
	return &Findings{limit: limit, checks: make(map[int]*Check)}
}

// What is kept of the texts that a check extracted: enough to show.
const (
	keptExtracts    = 20
	keptExtractText = 1 << 10
)

// Add takes the findings out of an event, and learns what there is to know of checks.
func (f *Findings) Add(e Event) {
	switch e := e.(type) {
	case *Check:
		f.checks[e.Index] = e
	case *Result:
		if e.Findings() == 0 {
			return
		}
		check := checkOf(f.checks, e)
		kept := *e
		kept.Matches = nil // they may hold whole answers
		if len(e.Matches) == 0 {
			f.add(Finding{Result: &kept, Check: check})
			return
		}
		for i := range e.Matches {
			f.add(Finding{Result: &kept, Check: check, Match: short(&e.Matches[i])})
		}
	}
}

// checkOf gives what was told of the check that made a result, nil for nothing.
func checkOf(checks map[int]*Check, r *Result) *Check {
	check := checks[r.Index]
	if check != nil && r.Check != "" && check.ID != r.Check {
		return nil
	}
	return check
}

// Total counts all findings, those that were not kept too.
func (f *Findings) Total() int64 { return f.total }

// OfRank counts the findings of one [SeverityRank], those that were not kept too.
func (f *Findings) OfRank(rank int) int64 { return f.ranks[rank] }

// Check gives what was told of the check at a place of the plan, nil for nothing.
func (f *Findings) Check(index int) *Check { return f.checks[index] }

// Worst gives what was kept: the most severe first, then by check, URL, matcher and item, whatever the order in which they were found.
func (f *Findings) Worst() []Finding {
	f.settle()
	return f.kept
}

func (f *Findings) add(found Finding) {
	f.total++
	f.ranks[SeverityRank(found.Severity())]++
	f.kept = append(f.kept, found)
	if len(f.kept) >= 2*f.limit { // sorting now and then costs less than keeping order
		f.settle()
	}
}

func (f *Findings) settle() {
	slices.SortStableFunc(f.kept, compareFindings)
	if len(f.kept) > f.limit {
		clear(f.kept[f.limit:])
		f.kept = f.kept[:f.limit]
	}
}

func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(SeverityRank(b.Severity()), SeverityRank(a.Severity())),
		cmp.Compare(a.ID(), b.ID()),
		cmp.Compare(a.URL(), b.URL()),
		cmp.Compare(a.Matcher(), b.Matcher()),
		cmp.Compare(a.Result.Target, b.Result.Target),
		cmp.Compare(a.Result.Index, b.Result.Index),
	)
}

// short is what is kept of a match: not the whole request and answer, and not all that was extracted when that is much.
func short(m *Match) *Match {
	cutMatch := *m
	cutMatch.Request, cutMatch.Response, cutMatch.Curl, cutMatch.Extracted = "", "", "", nil
	for _, text := range m.Extracted[:min(len(m.Extracted), keptExtracts)] {
		if len(text) > keptExtractText {
			text = strings.ToValidUTF8(text[:keptExtractText], "") + "…"
		}
		cutMatch.Extracted = append(cutMatch.Extracted, text)
	}
	return &cutMatch
}
