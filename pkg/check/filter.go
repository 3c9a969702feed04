package check

import (
	"errors"
	"fmt"
	"math"
	"regexp"
)

const (
	minStatus = 100
	maxStatus = 999
	maxLength = math.MaxInt64
)

// FilterOptions are the values of the flags that say what a finding is. The zero value takes every answer for one.
//
// A flag may be given several times. Status and length take lists of numbers and ranges: "200,300-399". An open range is written with one
// side, as in ">1000" (in quotes, for the shell); "all" is every number. Values of the other flags are taken whole: a comma is part of them.
type FilterOptions struct {
	MatchStatus, FilterStatus []string
	MatchLength, FilterLength []string // bytes of the decoded body
	MatchString, FilterString []string // without regard to the case of ASCII letters
	MatchRegex, FilterRegex   []string // of package regexp: (?i) ignores case, (?s) lets a dot match a line end

	HideNotFound bool // an answer with the status 404 is no finding unless MatchStatus has it
}

// Filter decides what is a finding. It does not change once made, and is safe for concurrent use. A nil Filter takes every answer for a
// finding, as the zero value does.
type Filter struct {
	match, drop  rules
	hideNotFound bool
}

// rules are the values of the four match flags, or of the four filter flags.
type rules struct {
	status, length spans
	texts          []string // in lower case
	patterns       []*regexp.Regexp
}

// NewFilter makes a Filter. A value that cannot be used is a [FlagError].
func NewFilter(o FilterOptions) (*Filter, error) {
	match, err := newRules("--match", o.MatchStatus, o.MatchLength, o.MatchString, o.MatchRegex)
	if err != nil {
		return nil, err
	}
	drop, err := newRules("--filter", o.FilterStatus, o.FilterLength, o.FilterString, o.FilterRegex)
	if err != nil {
		return nil, err
	}
	return &Filter{match: match, drop: drop, hideNotFound: o.HideNotFound && match.status == nil}, nil
}

func newRules(kind string, status, length, texts, patterns []string) (rules, error) {
	var r rules
	for _, text := range status {
		set, err := parseSpans(text, minStatus, maxStatus)
		if err != nil {
			return r, &FlagError{kind + "-status", text, err}
		}
		r.status = append(r.status, set...)
	}
	for _, text := range length {
		set, err := parseSpans(text, 0, maxLength)
		if err != nil {
			return r, &FlagError{kind + "-length", text, err}
		}
		r.length = append(r.length, set...)
	}
	for _, text := range texts {
		if text == "" {
			return r, &FlagError{kind + "-string", text, errors.New("an empty text is in every answer, expected some text")}
		}
		r.texts = append(r.texts, asciiLower(text))
	}
	for _, text := range patterns {
		if text == "" {
			return r, &FlagError{kind + "-regex", text, errors.New("an empty expression matches every answer, expected an expression")}
		}
		pattern, err := regexp.Compile(text)
		if err != nil {
			return r, &FlagError{kind + "-regex", text, fmt.Errorf("%w, expected an expression in the syntax of RE2", err)}
		}
		r.patterns = append(r.patterns, pattern)
	}
	return r, nil
}
