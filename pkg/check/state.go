package check

import (
	"errors"
	"strings"
	"time"

	"github.com/redialscan/redial/pkg/check/dsl"
	"github.com/redialscan/redial/pkg/hostkey"
	"github.com/redialscan/redial/pkg/target"
)

// state is one run of a check on one target. It belongs to the goroutine of the run, and is what its expressions see.
type state struct {
	check *Check
	job   *Job
	block *block

	now      *answer            // nil before the first
	last     map[string]*answer // by protocol, and by that with the number of the block
	past     []*answer          // of the block, in order, where something asks for them
	payload  map[string]string
	kept     map[string]string   // by internal extractors, for the rest of the run
	lists    map[string][]string // all values of those, where requests are sent for each
	found    map[string]string   // by the other extractors, for this answer
	defined  map[string]string   // the variables section
	random   map[string]string
	cookies  cookies
	outcome  Outcome
	where    *target.Target            // what the request takes for the target; nil = the target
	talk     *conversation             // of the request, where it is one
	asked    map[string]bool           // addresses that had a conversation in this round
	closed   map[string]bool           // addresses that did not answer one
	wait     func(time.Duration) error // nil: the state is not that of a run
	firstErr error                     // of a request that said nothing of the target
}

// Lookup implements [dsl.Env].
func (s *state) Lookup(name string) (any, bool) {
	for _, known := range [...]map[string]string{s.found, s.kept, s.payload, s.job.Vars, s.defined} {
		if v, ok := known[name]; ok {
			return v, true
		}
	}
	if s.now != nil {
		if v, ok := s.now.value(name); ok && name != "" {
			return v, true
		}
	}
	if v, ok := s.ofBlock(name); ok {
		return v, true
	}
	if base, n, ok := numbered(name); ok && n <= len(s.past) {
		if v, ok := s.past[n-1].value(base); ok {
			return v, true
		}
	}
	if f, ok := builtins[name]; ok {
		return s.builtin(name, f), true
	}
	if isRandomText(name) {
		v, ok := s.random[name]
		if !ok {
			v = randomText()
			put(&s.random, name, v)
		}
		return v, true
	}
	return s.ofOthers(name)
}

// builtin is a variable that every target has, or what stands in its place for the request.
func (s *state) builtin(name string, of func(t *target.Target) string) string {
	switch {
	case s.where == nil:
		return of(&s.job.Target)
	case name == "Hostname" && s.where.Port != 0:
		return hostkey.Join(s.where.Host, s.where.Port)
	}
	return of(s.where)
}

// ofOthers looks a name up in the last answers of protocols other than http, whose names are short in the blocks that follow too.
func (s *state) ofOthers(name string) (any, bool) {
	for _, protocol := range protocols {
		if a := s.last[protocol]; a != nil && a.facts != nil {
			if v, ok := a.facts[name]; ok {
				return v, true
			}
		}
	}
	return nil, false
}

// Wait implements [dsl.Waiter].
func (s *state) Wait(d time.Duration) error {
	if s.wait == nil {
		return errNoRun
	}
	return s.wait(d)
}

var errNoRun = errors.New("nothing runs that could wait")

// ofBlock looks up names such as ssl_issuer_cn and http_1_body: of the last answer of a protocol, or of one block.
func (s *state) ofBlock(name string) (any, bool) {
	protocol, rest, ok := strings.Cut(name, "_")
	if !ok || s.last[protocol] == nil {
		return nil, false
	}
	if v, ok := s.last[protocol].value(rest); ok {
		return v, true
	}
	number, rest, ok := strings.Cut(rest, "_")
	if a := s.last[protocol+"_"+number]; ok && a != nil {
		return a.value(rest)
	}
	return nil, false
}

func put(m *map[string]string, name, value string) {
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[name] = value
}

// remember keeps what an extractor found.
func (s *state) remember(name string, values []string, internal bool) {
	if internal {
		put(&s.kept, name, values[0])
		if s.block.iterateAll && len(values) > 1 {
			if s.lists == nil {
				s.lists = map[string][]string{}
			}
			s.lists[name] = values
		}
	} else {
		put(&s.found, name, values[0])
	}
}

// manyValued is the variable of a request that has several values, "" when none has.
func (s *state) manyValued(q *request) (string, []string) {
	if s.block.iterateAll {
		for _, name := range q.names {
			if list := s.lists[name]; len(list) > 1 {
				return name, list
			}
		}
	}
	return "", nil
}

// define evaluates the variables section, each variable once. One that needs what is not there yet has no value.
func (s *state) define() error {
	for _, d := range s.check.defined {
		v, err := d.text.ExpandKnown(s)
		if err != nil {
			return err
		}
		put(&s.defined, d.name, v)
	}
	return nil
}

// part is the text of a part of the answer.
func (s *state) part(name string) (string, bool) {
	if name == "" || name == "body" {
		return s.now.body, true
	}
	v, ok := s.Lookup(name)
	if !ok {
		return "", false
	}
	return dsl.String(v), true
}

// lower is a part in lower case, made once for all matchers.
func (s *state) lower(name, part string) string {
	if s.found[name] != "" || s.kept[name] != "" {
		return strings.ToLower(part)
	}
	v, ok := s.now.folded[name]
	if !ok {
		v = strings.ToLower(part)
		put(&s.now.folded, name, v)
	}
	return v
}

// document is a part as a tree, made once for all paths.
func (s *state) document(name, part string) document {
	d, ok := s.now.trees[name]
	if !ok {
		d = parseDocument(part)
		if s.now.trees == nil {
			s.now.trees = map[string]document{}
		}
		s.now.trees[name] = d
	}
	return d
}
