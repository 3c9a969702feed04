package check

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Selection says which checks of a set are wanted. The zero value takes all. Each list that is given must agree; what is excluded is out
// whatever else says. Words are compared without regard to case.
type Selection struct {
	Tags, ExcludeTags             []string // any of them
	Severities, ExcludeSeverities []string
	IDs, ExcludeIDs               []string // * and ? stand for parts of an id
	Authors                       []string
	Protocols                     []string // http, ssl, tcp, dns
}

// complete puts the lists into the form that takes compares, and refuses words that nothing can match.
func (s *Selection) complete() error {
	for _, list := range [...]*[]string{
		&s.Tags, &s.ExcludeTags, &s.Severities, &s.ExcludeSeverities, &s.IDs, &s.ExcludeIDs, &s.Authors, &s.Protocols,
	} {
		lower := make([]string, 0, len(*list))
		for _, word := range *list {
			if word = strings.ToLower(strings.TrimSpace(word)); word != "" {
				lower = append(lower, word)
			}
		}
		*list = lower
	}
	for _, name := range slices.Concat(s.Severities, s.ExcludeSeverities) {
		if _, ok := ParseSeverity(name); !ok {
			return &FlagError{"--severity", name, fmt.Errorf("expected info, low, medium, high, critical or unknown")}
		}
	}
	for _, pattern := range slices.Concat(s.IDs, s.ExcludeIDs) {
		if _, err := path.Match(pattern, ""); err != nil {
			return &FlagError{"--id", pattern, fmt.Errorf("expected an id, with * and ? for parts of it")}
		}
	}
	for _, name := range s.Protocols {
		if !slices.Contains(protocols[:], name) && !slices.Contains(notNow[:], name) {
			return &FlagError{"--type", name, fmt.Errorf("expected http, ssl, tcp or dns")}
		}
	}
	return nil
}

func (s *Selection) takes(c *Check) bool {
	id, info := strings.ToLower(c.id), &c.info
	matches := func(pattern string) bool {
		ok, _ := path.Match(pattern, id)
		return ok
	}
	among := func(list []string) func(string) bool {
		return func(word string) bool {
			return slices.ContainsFunc(list, func(other string) bool { return strings.EqualFold(word, other) })
		}
	}
	severity := info.Severity.String()
	switch {
	case slices.ContainsFunc(s.ExcludeTags, among(info.Tags)),
		slices.Contains(s.ExcludeSeverities, severity),
		slices.ContainsFunc(s.ExcludeIDs, matches):
		return false
	case len(s.Tags) > 0 && !slices.ContainsFunc(s.Tags, among(info.Tags)),
		len(s.Severities) > 0 && !slices.Contains(s.Severities, severity),
		len(s.IDs) > 0 && !slices.ContainsFunc(s.IDs, matches),
		len(s.Authors) > 0 && !slices.ContainsFunc(s.Authors, among(info.Authors)),
		len(s.Protocols) > 0 && !slices.Contains(s.Protocols, c.Protocol()):
		return false
	}
	return true
}
