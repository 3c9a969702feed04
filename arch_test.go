package main_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// allowed is what a room may import of ours, each with the reason. It is the
// plan of the house: change it together with the plan, or not at all.
var allowed = map[string]map[string]string{
	".": {
		"cmd": "main runs it and exits with its status",
	},
	"bench": {
		"internal/lab":  "the kinds of hosts, and what a lab says that arrived",
		"pkg/requester": "the bare loop sends by redial's HTTP code",
	},
	"cmd": {
		"internal/batch":    "what the workers of a shared scan run, and its coordinator counts",
		"pkg/cluster":       "a scan that is shared out to workers",
		"internal/capture":  "flags become the printer and the store of what is sent and comes back",
		"internal/lab":      "the lab and demo commands run one",
		"internal/metrics":  "the scan command shows its scan to Prometheus",
		"internal/scan":     "the scan command runs one",
		"pkg/check":         "flags become the probe and its filters",
		"pkg/failurewindow": "how many failures it can count bounds a flag",
		"pkg/flow":          "flags become the rates of scan and hosts",
		"pkg/hosterrors":    "flags become the breaker's settings",
		"pkg/report":        "flags become the outputs",
		"pkg/requester":     "flags become the settings of the send path",
		"pkg/retry":         "the defaults of the retry flags stand there",
		"pkg/target":        "flags become the sources of targets",
		"pkg/journal":       "the report command reads an earlier run",
		"pkg/report/page":   "one of the formats of --report",
	},
	"internal/batch": {
		"internal/scan":  "a batch is a small scan",
		"pkg/cluster":    "the batches that it runs",
		"pkg/flow":       "the permits of a rate that others keep",
		"pkg/hosterrors": "where hosts stand with the breaker",
		"pkg/hostkey":    "hosts that come from elsewhere are looked at",
		"pkg/report":     "what is told of a batch",
		"pkg/requester":  "how hosts are to be paced, and a proxy that is down",
		"pkg/retry":      "all batches have one budget",
		"pkg/target":     "targets on their way",
	},
	"internal/capture": {
		"pkg/report":    "what hosts sent is made harmless, and a failure is told like that of any output",
		"pkg/requester": "the exchanges that it shows and keeps",
	},
	"internal/metrics": {
		"pkg/hosterrors": "errors are counted by their types",
		"pkg/report":     "where the scan stands",
		"pkg/requester":  "the requests that are counted",
	},
	"internal/lab": {}, // it must not share a mistake with what is tried on it
	"internal/packing": {
		"pkg/report": "the events that it packs",
	},
	"internal/scan": {
		"pkg/check":         "what an item asks",
		"pkg/executor":      "who works, and in which order",
		"pkg/failurewindow": "hosts that fail often, though not in a row",
		"pkg/flow":          "the pace",
		"pkg/hosterrors":    "the breaker between executor and requester",
		"pkg/hostkey":       "the key that all of them share",
		"pkg/journal":       "what an earlier scan of the same items has ended",
		"pkg/report":        "what is told",
		"pkg/requester":     "how it is sent",
		"pkg/retry":         "whether it is sent again",
		"pkg/target":        "where to",
	},
	"pkg/check": {
		"pkg/hosterrors": "a host that answers in another protocol is told from one that does not",
		"pkg/check/dsl":  "the expressions in matchers, extractors and requests",
		"pkg/hostkey":    "a response is told with its host as the rest of the scan names it",
		"pkg/requester":  "a check sends through the one send path",
		"pkg/target":     "a check runs on a target",
	},
	"pkg/cluster": {
		"internal/packing": "events on their way to the coordinator",
		"pkg/hostkey":      "hosts are dealt out by name",
		"pkg/journal":      "which items have ended, in this scan and before it was stopped",
		"pkg/report":       "events come from the workers and go to the handlers",
	},
	"pkg/check/dsl":     {}, // a language and its functions; what its variables are is the caller's
	"pkg/executor":      {}, // generic: it knows neither hosts nor HTTP
	"pkg/failurewindow": {}, // pure policy
	"pkg/flow":          {}, // pure policy
	"pkg/hosterrors":    {}, // pure policy, and what others judge errors by
	"pkg/journal": {
		"pkg/report": "the events that it reads, and the handlers that it tells",
	},
	"pkg/hostkey": {}, // everybody's key, so nobody's dependent
	"pkg/report":  {}, // a record of a scan can be read without the parts of one
	"pkg/report/page": {
		"pkg/report": "the events that the page is made of",
	},
	"pkg/requester": {
		"pkg/failurewindow": "the limit of failures of each host",
		"pkg/flow":          "limits per attempt",
		"pkg/hosterrors":    "one ticket and one outcome per attempt",
		"pkg/hostkey":       "the key of each hop",
		"pkg/retry":         "Retry-After, and the pauses of a throttled host",
	},
	"pkg/retry": {}, // pure policy
	"pkg/target": {
		"pkg/hostkey": "targets are told apart by their key",
	},
}

// foreign is what a room may not import from elsewhere, with the reason.
var foreign = map[string]map[string]string{
	"pkg/cluster":       {"net/http": "what an item is, and how it is sent, is the Runner's"},
	"pkg/executor":      {"net": "it is generic", "net/http": "it is generic", "net/url": "it is generic"},
	"pkg/failurewindow": {"net": "policy is arithmetic", "context": "only callers wait"},
	"pkg/flow":          {"net": "policy is arithmetic", "context": "only callers wait"},
	"pkg/journal":       {"net/http": "it reads what was found, it asks nobody"},
	"pkg/report":        {"net/http": "it tells what was found, it asks nobody"},
	"pkg/report/page":   {"net/http": "it tells what was found, it asks nobody"},
}

func TestImports(t *testing.T) {
	report(t, importComplaints(repository(t)))
}

func TestEveryRoomOfTheTableExists(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range repository(t) {
		seen[s.room()] = true
	}
	for _, room := range slices.Sorted(maps.Keys(allowed)) {
		if !seen[room] {
			t.Errorf("%s stands in the import table and has no Go file: take it out", room)
		}
	}
}

// Tests may import more: a lab, a room that theirs works with.
func importComplaints(all []source) []string {
	var complaints []string
	for _, s := range all {
		if s.test {
			continue
		}
		may, known := allowed[s.room()]
		if !known {
			complaints = append(complaints, fmt.Sprintf("%s: %s is not in the import table: say there what it may import, and why", s.path, s.room()))
			continue
		}
		for _, p := range s.imports() {
			if reason := foreign[s.room()][p]; reason != "" {
				complaints = append(complaints, fmt.Sprintf("%s imports %s, which %s may not: %s", s.path, p, s.room(), reason))
			}
			ours, ok := strings.CutPrefix(p, module+"/")
			if ok && may[ours] == "" {
				complaints = append(complaints, fmt.Sprintf("%s imports %s, which is not in the import table for %s (allowed: %v)",
					s.path, ours, s.room(), slices.Sorted(maps.Keys(may))))
			}
		}
	}
	return complaints
}

func TestImportRulesFindTheOffender(t *testing.T) {
	for _, c := range []struct{ name, path, imports, want string }{
		{"allowed", "pkg/target/a.go", module + "/pkg/hostkey", ""},
		{"not allowed", "pkg/target/a.go", module + "/pkg/report", "pkg/target/a.go imports pkg/report"},
		{"nothing imports cmd", "internal/scan/a.go", module + "/cmd", "internal/scan/a.go imports cmd"},
		{"unknown room", "pkg/attic/a.go", "fmt", "pkg/attic is not in the import table"},
		{"room below a room", "pkg/target/deep/a.go", "fmt", "pkg/target/deep is not in the import table"},
		{"foreign", "pkg/executor/a.go", "net/http", "pkg/executor/a.go imports net/http"},
		{"test file", "pkg/target/a_test.go", module + "/internal/lab", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := importComplaints(madeUp(t, map[string]string{c.path: fmt.Sprintf("package a\n\nimport _ %q\n", c.imports)}))
			if text := strings.Join(got, "\n"); (c.want == "") != (text == "") || !strings.Contains(text, c.want) {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
}
