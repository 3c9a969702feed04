package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "github.com/redialscan/redial"

// source is one parsed Go file.
type source struct {
	path string // from the top of the repository, with slashes
	test bool
	set  *token.FileSet
	tree *ast.File
}

// room is the directory of the file, "." for the top.
func (s source) room() string { return path.Dir(s.path) }

// at names the place of a node for a message.
func (s source) at(n ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.set.Position(n.Pos()).Line)
}

// imports gives the import paths of the file.
func (s source) imports() []string {
	var paths []string
	for _, spec := range s.tree.Imports {
		p, _ := strconv.Unquote(spec.Path.Value) // the parser has seen to it
		paths = append(paths, p)
	}
	return paths
}

// sources parses every Go file of a tree, those of other systems too.
func sources(t *testing.T, tree fs.FS) []source {
	t.Helper()
	var all []source
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != "." && (name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(p) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(tree, p)
		if err != nil {
			return err
		}
		s := source{path: p, test: strings.HasSuffix(p, "_test.go"), set: token.NewFileSet()}
		s.tree, err = parser.ParseFile(s.set, p, text, parser.ParseComments|parser.SkipObjectResolution)
		all = append(all, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// repository is the tree that this test stands in.
func repository(t *testing.T) []source {
	t.Helper()
	all := sources(t, os.DirFS("."))
	if len(all) < 10 {
		t.Fatalf("found %d Go files, expected a whole repository", len(all))
	}
	return all
}

// madeUp parses files given as path and text, to try a rule on one that breaks it.
func madeUp(t *testing.T, files map[string]string) []source {
	t.Helper()
	tree := fstest.MapFS{}
	for p, text := range files {
		tree[p] = &fstest.MapFile{Data: []byte(text)}
	}
	return sources(t, tree)
}

// report fails the test with each complaint.
func report(t *testing.T, complaints []string) {
	t.Helper()
	for _, c := range complaints {
		t.Error(c)
	}
}
