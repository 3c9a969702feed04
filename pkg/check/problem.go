package check

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Kind says in few words what is wrong with a template, for counting.
type Kind string

// What can be wrong with a template.
const (
	KindUnreadable  Kind = "cannot be read"
	KindYAML        Kind = "not YAML"
	KindNoTemplate  Kind = "not a template"
	KindField       Kind = "unknown field"
	KindValue       Kind = "unexpected value"
	KindExpression  Kind = "expression"
	KindRegexp      Kind = "regular expression"
	KindVariable    Kind = "undefined variable"
	KindPayload     Kind = "payload file"
	KindUnsupported Kind = "not supported"
)

// Problem is one thing for which a template is refused. A template with problems is never run in part.
type Problem struct {
	File         string
	Line, Column int    // from 1; 0 when it is about the whole file
	Field        string // as in http[0].matchers[1].regex[0]
	Kind         Kind
	Subject      string // what it is about, where Kind needs it for counting: the field or protocol that is not supported
	Want         string // what is wrong, and what was expected
}

// Error names the place and what was expected.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(p.Want)
	return b.String()
}

// Cause is the kind with its subject, such as "not supported: dns".
func (p *Problem) Cause() string {
	if p.Subject == "" {
		return string(p.Kind)
	}
	return string(p.Kind) + ": " + p.Subject
}

// maxProblems is how many problems of one file are gathered.
const maxProblems = 50

// reader walks one file's YAML and gathers what is wrong with it.
type reader struct {
	file     string
	problems []*Problem
	aliases  int
}

func (r *reader) problem(n *yaml.Node, field string, kind Kind, format string, args ...any) {
	r.about(n, field, kind, "", format, args...)
}

func (r *reader) about(n *yaml.Node, field string, kind Kind, subject, format string, args ...any) {
	if len(r.problems) >= maxProblems {
		return
	}
	p := &Problem{File: r.file, Field: field, Kind: kind, Subject: subject, Want: fmt.Sprintf(format, args...)}
	if n != nil {
		p.Line, p.Column = n.Line, n.Column
	}
	r.problems = append(r.problems, p)
}

func (r *reader) unsupported(n *yaml.Node, field, subject string) {
	r.about(n, field, KindUnsupported, subject, "%s is not supported", subject)
}
