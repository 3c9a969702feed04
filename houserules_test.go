package main_test

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// rules are what holds for every file, each with a file that breaks it.
var rules = []struct {
	name    string
	find    func(all []source) []string
	breaker map[string]string
}{
	{"one package doc", packageDocs, map[string]string{"a/a.go": "package a\n"}},
	{"one package doc, not two", packageDocs, map[string]string{
		"a/a.go": "// Package a is one.\npackage a\n", "a/b.go": "// Package a is two.\npackage a\n",
	}},
	{"the doc begins with the name", packageDocs, map[string]string{"a/a.go": "// This is a.\npackage a\n"}},
	{"names say what is inside", emptyNames, map[string]string{"pkg/utils/a.go": "package utils\n"}},
	{"also names of files", emptyNames, map[string]string{"pkg/a/helpers_test.go": "package a\n"}},
	{"only cmd and main packages end the process", exits, map[string]string{
		"pkg/a/a.go": "package a\n\nimport \"os\"\n\nfunc f() { os.Exit(1) }\n",
	}},
	{"log.Fatal ends it too", exits, map[string]string{
		"pkg/a/a.go": "package a\n\nimport \"log\"\n\nfunc f() { log.Fatalf(\"no\") }\n",
	}},
	{"no init", inits, map[string]string{"pkg/a/a.go": "package a\n\nfunc init() {}\n"}},
	{"tests do not sleep", sleeps, map[string]string{
		"pkg/a/a_test.go": "package a\n\nimport \"time\"\n\nvar f = time.Sleep\n",
	}},
	{"tests are not skipped", sleeps, map[string]string{
		"pkg/a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Skip() }\n",
	}},
}

func TestHouseRules(t *testing.T) {
	all := repository(t)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			report(t, r.find(all))
			if len(r.find(madeUp(t, r.breaker))) == 0 {
				t.Error("the rule finds nothing in a file that breaks it")
			}
		})
	}
}

func packageDocs(all []source) []string {
	docs := map[string][]string{} // of each room
	var complaints []string
	for _, s := range all {
		if s.test {
			continue
		}
		if _, seen := docs[s.room()]; !seen {
			docs[s.room()] = nil
		}
		if s.tree.Doc == nil {
			continue
		}
		docs[s.room()] = append(docs[s.room()], s.path)
		name := s.tree.Name.Name
		if text := s.tree.Doc.Text(); !strings.HasPrefix(text, "Package "+name+" ") && name != "main" {
			complaints = append(complaints, fmt.Sprintf("%s: a package doc begins with \"Package %s\"", s.path, name))
		}
	}
	for _, room := range slices.Sorted(maps.Keys(docs)) {
		if in := docs[room]; len(in) != 1 {
			complaints = append(complaints, fmt.Sprintf("%s has %d package docs %v, expected exactly one", room, len(in), in))
		}
	}
	return complaints
}

// emptyNames finds packages and files whose name could be that of any other.
func emptyNames(all []source) []string {
	empty := []string{"util", "utils", "common", "helper", "helpers", "type", "types", "manager", "misc"}
	var complaints []string
	for _, s := range all {
		names := strings.Split(s.room(), "/")
		names = append(names, s.tree.Name.Name, strings.TrimSuffix(strings.TrimSuffix(path.Base(s.path), ".go"), "_test"))
		for _, n := range names {
			if slices.Contains(empty, n) {
				complaints = append(complaints, fmt.Sprintf("%s: %q says nothing about what is inside", s.path, n))
			}
		}
	}
	return complaints
}

func exits(all []source) []string {
	return uses(all, func(s source, of, name string) string {
		ends := of == "os" && name == "Exit" || of == "log" && (strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Panic"))
		if s.test || !ends || s.tree.Name.Name == "main" || s.room() == "cmd" {
			return ""
		}
		return "return an error: only cmd and main packages end the process"
	})
}

func sleeps(all []source) []string {
	return uses(all, func(s source, of, name string) string {
		switch {
		case !s.test:
			return ""
		case of == "time" && name == "Sleep":
			return "wait for what the test is about, or use a timer in a synctest bubble"
		case name == "Skip" || name == "Skipf" || name == "SkipNow":
			return "a test that does not run proves nothing: use a build tag for what a system lacks"
		}
		return ""
	})
}

func inits(all []source) []string {
	var complaints []string
	for _, s := range all {
		for _, d := range s.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				complaints = append(complaints, s.at(f)+": init hides an order of events: call it by name")
			}
		}
	}
	return complaints
}

// uses asks about every of.name in every file, and collects the objections.
func uses(all []source, objection func(s source, of, name string) string) []string {
	var complaints []string
	for _, s := range all {
		ast.Inspect(s.tree, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			if why := objection(s, of.Name, sel.Sel.Name); why != "" {
				complaints = append(complaints, fmt.Sprintf("%s: %s.%s: %s", s.at(sel), of.Name, sel.Sel.Name, why))
			}
			return true
		})
	}
	return complaints
}
