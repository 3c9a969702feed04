package journal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redialscan/redial/pkg/report"
)

// itemOptions are the options, by their long names, that decide which items there are.
func itemOptions() []string { return []string{"ports", "strict", "method"} }

// findingOptions are those that decide what is sent for an item and what is found in the answer. All others may change: a
// scan may go on at another pace.
func findingOptions() []string {
	return []string{
		"header", "body", "var", "user-agent", "random-agent", "proxy", "follow-redirects", "follow-host-redirects", "max-redirects",
		"tls-verify", "client-cert", "sni", "resolvers", "ip-version",
		"match-status", "filter-status", "match-string", "filter-string", "match-regex", "filter-regex", "match-length", "filter-length",
	}
}

// inputKinds are the kinds of inputs that decide which items there are, those first by which a person knows a scan.
func inputKinds() []string { return []string{"list", "target", "exclude", "check", KindFromSkipped} }

// Differences says in which ways another scan would not have the same items in the same places, or would find something
// else, in words for people; none when it is the same scan.
func (p *Progress) Differences(other report.Started, checks []*report.Check) []string {
	return append(p.differentItems(other, checks), p.differentOptions(other, findingOptions())...)
}

// Differences says in which ways another scan would not have the same items in the same places, in words for people. It may
// ask them in another way.
func (m *Missing) Differences(other report.Started, checks []*report.Check) []string {
	return m.differentItems(other, checks)
}

func (p *plan) differentOptions(other report.Started, options []string) []string {
	var all []string
	for _, name := range options {
		was, is := p.started.Options[name], other.Options[name]
		switch {
		case was == is:
		case was == "":
			all = append(all, fmt.Sprintf("--%s was not given and is %q", name, is))
		case is == "":
			all = append(all, fmt.Sprintf("--%s was %q and is not given", name, was))
		default:
			all = append(all, fmt.Sprintf("--%s was %q and is %q", name, was, is))
		}
	}
	return all
}

func (p *plan) differentItems(other report.Started, checks []*report.Check) []string {
	all := p.differentOptions(other, itemOptions())
	differ := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, kind := range inputKinds() {
		was, is := ofKind(p.started.Inputs, kind), ofKind(other.Inputs, kind)
		if len(was) != len(is) {
			differ("%s: there were %d (%s) and are %d (%s)", kind, len(was), names(was), len(is), names(is))
			continue
		}
		for i := range was {
			if text := differentInput(was[i], is[i]); text != "" {
				all = append(all, text)
			}
		}
	}
	return append(all, p.differentChecks(checks)...)
}

func ofKind(inputs []report.Input, kind string) []report.Input {
	return slices.DeleteFunc(slices.Clone(inputs), func(in report.Input) bool { return in.Kind != kind })
}

func names(inputs []report.Input) string {
	var all []string
	for _, in := range inputs {
		all = append(all, in.Name)
	}
	return strings.Join(all, ", ")
}

// differentInput compares what is in two inputs; a file may have another name.
func differentInput(was, is report.Input) string {
	switch {
	case was.Kind == "list" && was.Digest == "":
		return fmt.Sprintf("the list %s was not a file: a pipe cannot be read again", was.Name)
	case is.Kind == "list" && is.Digest == "":
		return fmt.Sprintf("the list %s is not a file: a pipe cannot be compared", is.Name)
	case was.Digest != is.Digest && is.Kind == "check":
		return fmt.Sprintf("the checks or their payloads have changed (%d bytes then, %d now)", was.Size, is.Size)
	case was.Digest != is.Digest:
		return fmt.Sprintf("the %s %s has changed (%d bytes then, %d now)", was.Kind, is.Name, was.Size, is.Size)
	case was.Digest == "" && was.Name != is.Name:
		return fmt.Sprintf("the %s was %s and is %s", was.Kind, was.Name, is.Name)
	}
	return ""
}

func (p *plan) differentChecks(checks []*report.Check) []string {
	if len(checks) != len(p.checks) {
		return []string{fmt.Sprintf("each target had %d items and has %d", len(p.checks), len(checks))}
	}
	for i, was := range p.checks {
		if a, b := itemName(was), itemName(checks[i]); a != b {
			return []string{fmt.Sprintf("item %d of each target was %s and is %s", i, a, b)}
		}
	}
	return nil
}

func itemName(c *report.Check) string {
	return strings.Join(strings.Fields(c.ID+" "+c.Method+" "+c.Path+" "+c.Source), " ")
}
