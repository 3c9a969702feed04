package dsl

import (
	"regexp"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// What is read compiles, and what is refused does not.
func TestPatternsAgreeWithRegexp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.StringMatching(`([a-c.]|\\[dwspPQEb1]|[(][?]?[:=!<i]?|[)]|[*+?]|\{[0-9]{1,4},?[0-9]{0,4}\}|\[\^?[a-z]?-?|\]|\||\^|\$|\{|\x{e9}){0,12}`).Draw(t, "pattern")
		_, want := regexp.Compile(src)
		p, err := CompilePattern(src)
		if (err == nil) != (want == nil) || err != nil && err.Error() != want.Error() {
			t.Fatalf("%q: %v, want %v", src, err, want)
		}
		if err == nil && (p.Regexp().String() != src || p.String() != src) {
			t.Fatalf("%q became %q", src, p.Regexp())
		}
	})
}

func TestPatternIsCompiledOnce(t *testing.T) {
	p, err := CompilePattern("a+")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	got := make([]*regexp.Regexp, 8)
	for i := range got {
		all.Go(func() { got[i] = p.Regexp() })
	}
	all.Wait()
	for _, re := range got {
		if re == nil || re != got[0] {
			t.Errorf("%p and %p, want one", re, got[0])
		}
	}
}
