package dsl

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// Pattern is a regular expression that is read when its check is loaded and compiled when it is first used: most checks of a large set
// never come to an answer in which theirs is looked for. Make one with [CompilePattern]. It is safe for concurrent use.
type Pattern struct {
	src  string
	once sync.Once
	re   *regexp.Regexp
}

// CompilePattern reads a pattern, and refuses what regexp.Compile would refuse.
func CompilePattern(src string) (*Pattern, error) {
	if _, err := syntax.Parse(src, syntax.Perl); err != nil {
		return nil, err
	}
	return &Pattern{src: strings.Clone(src)}, nil
}

// Regexp is the compiled pattern.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.src) })
	return p.re
}

// String is the source.
func (p *Pattern) String() string { return p.src }
