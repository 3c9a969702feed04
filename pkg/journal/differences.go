package journal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redialscan/redial/pkg/report"
)

// deciding are the options, by their long names, that decide which items there are. The others may change: a scan may go
// on at another pace.
func deciding() []string { return []string{"ports", "strict", "method"} }

// Differences says in which ways another scan would not have the same items in the same places, in words for people;
// none when it is the same scan.
func (p *plan) Differences(other report.Started, checks []*report.Check) []string {
	var all []string
	differ := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, name := range deciding() {
		if was, is := p.started.Options[name], other.Options[name]; was != is {
			differ("--%s was %q and is %q", name, was, is)
		}
	}
	for _, kind := range []string{"list", "target", "exclude", "check", KindFromSkipped} {
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
