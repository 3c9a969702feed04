package check

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Severity is how much a finding of a check matters. The zero value is unknown; greater matters more.
type Severity uint8

// The severities, by weight.
const (
	SeverityUnknown Severity = iota
	SeverityInfo
	SeverityLow
	SeverityMedium
	SeverityHigh
	SeverityCritical
)

var severities = [...]string{"unknown", "info", "low", "medium", "high", "critical"}

// String gives the name in lower case.
func (s Severity) String() string { return severities[min(int(s), len(severities)-1)] }

// ParseSeverity reads a name in any case.
func ParseSeverity(name string) (Severity, bool) {
	for i, known := range severities {
		if strings.EqualFold(strings.TrimSpace(name), known) {
			return Severity(i), true
		}
	}
	return SeverityUnknown, false
}

// Info is what a check says about itself. It is not to be changed.
type Info struct {
	Name           string
	Authors        []string
	Tags           []string // in lower case
	Description    string
	Impact         string
	Remediation    string
	References     []string
	Severity       Severity
	Metadata       map[string]any // plain values: text, numbers, lists
	Classification map[string]any
}

func (r *reader) info(n *yaml.Node, field string, into *Info) {
	text := func(s *string) taker {
		return func(n *yaml.Node, field string) {
			v, _ := r.text(n, field)
			*s = strings.TrimSpace(v)
		}
	}
	r.walk(n, field, func(name string) taker {
		switch name {
		case "name":
			return text(&into.Name)
		case "description":
			return text(&into.Description)
		case "impact":
			return text(&into.Impact)
		case "remediation":
			return text(&into.Remediation)
		case "author":
			return func(n *yaml.Node, field string) { into.Authors = r.texts(n, field, true) }
		case "reference":
			return func(n *yaml.Node, field string) { into.References = r.texts(n, field, false) }
		case "tags":
			return func(n *yaml.Node, field string) { into.Tags = r.tags(n, field) }
		case "severity":
			return func(n *yaml.Node, field string) { into.Severity = r.severity(n, field) }
		case "metadata":
			return func(n *yaml.Node, field string) { into.Metadata = r.facts(n, field) }
		case "classification":
			return func(n *yaml.Node, field string) { into.Classification = r.facts(n, field) }
		}
		return nil
	})
	if into.Name == "" {
		r.problem(n, field+".name", KindValue, "expected a name, got nothing")
	}
}

func (r *reader) tags(n *yaml.Node, field string) []string {
	tags := r.texts(n, field, true)
	for i := range tags {
		tags[i] = strings.ToLower(tags[i])
	}
	return tags
}

func (r *reader) severity(n *yaml.Node, field string) Severity {
	severity, ok := ParseSeverity(n.Value)
	if !ok && !strings.EqualFold(n.Value, "undefined") {
		r.problem(n, field, KindValue, "expected info, low, medium, high, critical or unknown, got %s", nature(n))
	}
	return severity
}

// facts reads a mapping of plain values, which is kept for reports alone.
func (r *reader) facts(n *yaml.Node, field string) map[string]any {
	all := map[string]any{}
	r.each(n, field, func(key, value *yaml.Node, name string) {
		switch value.Kind {
		case yaml.ScalarNode:
			var v any
			if err := value.Decode(&v); err != nil {
				v = value.Value
			}
			all[key.Value] = v
		case yaml.SequenceNode:
			all[key.Value] = r.texts(value, name, false)
		default:
			all[key.Value] = r.facts(value, name)
		}
	})
	return all
}

// Class gives the values of one field of the classification, such as cve-id, in upper case.
func (i *Info) Class(name string) []string {
	var all []string
	switch v := i.Classification[name].(type) {
	case string:
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				all = append(all, strings.ToUpper(part))
			}
		}
	case []string:
		for _, part := range v {
			all = append(all, strings.ToUpper(part))
		}
	}
	return all
}

// Score is the CVSS score, 0 when none is told.
func (i *Info) Score() float64 {
	switch v := i.Classification["cvss-score"].(type) {
	case float64:
		return v
	case int:
		return float64(v)
	}
	return 0
}

// Vector is the CVSS vector, "" when none is told.
func (i *Info) Vector() string {
	v, _ := i.Classification["cvss-metrics"].(string)
	return v
}
