package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func ids(set *Set) string {
	var all []string
	for _, c := range set.Checks {
		all = append(all, c.ID())
	}
	return strings.Join(all, " ")
}

func TestLoad(t *testing.T) {
	for _, row := range []struct {
		name  string
		paths []string
		pick  Selection
		want  string
	}{
		{"folder", []string{"../../testdata/templates"}, Selection{}, "lab-old-page lab-words lab-sign-in"},
		{"file", []string{"../../testdata/templates/lab-old-page.yaml"}, Selection{}, "lab-old-page"},
		{"each once", []string{"../../testdata/templates/lists", "../../testdata/templates", "../../testdata/templates/lists"}, Selection{}, "lab-words lab-old-page lab-sign-in"},
		{"tags", []string{"../../testdata/templates"}, Selection{Tags: []string{"Panel", "list"}}, "lab-words lab-sign-in"},
		{"no tags", []string{"../../testdata/templates"}, Selection{ExcludeTags: []string{"panel"}}, "lab-old-page lab-words"},
		{"severity", []string{"../../testdata/templates"}, Selection{Severities: []string{"HIGH", " medium "}}, "lab-old-page lab-words"},
		{"no severity", []string{"../../testdata/templates"}, Selection{ExcludeSeverities: []string{"high"}}, "lab-old-page lab-sign-in"},
		{"id", []string{"../../testdata/templates"}, Selection{IDs: []string{"LAB-s*"}}, "lab-sign-in"},
		{"no id", []string{"../../testdata/templates"}, Selection{ExcludeIDs: []string{"lab-s*"}}, "lab-old-page lab-words"},
		{"author", []string{"../../testdata/templates"}, Selection{Authors: []string{"nobody"}}, ""},
		{"type", []string{"../../testdata/templates"}, Selection{Protocols: []string{"http"}}, "lab-old-page lab-words lab-sign-in"},
		{"other type", []string{"../../testdata/templates"}, Selection{Protocols: []string{"dns"}}, ""},
		{"all agree", []string{"../../testdata/templates"}, Selection{Tags: []string{"lab"}, Severities: []string{"info"}}, "lab-sign-in"},
	} {
		t.Run(row.name, func(t *testing.T) {
			set, err := Load(context.Background(), LoadOptions{Paths: row.paths, Select: row.pick})
			if err != nil {
				t.Fatal(err)
			}
			if got := ids(set); got != row.want || len(set.Refused) > 0 || set.Passed+len(set.Checks) != set.Files {
				t.Errorf("checks %q, refused %v, want %q", got, set.Refused, row.want)
			}
		})
	}
}

// One broken template is named, and the others are loaded.
func TestLoadGoesOn(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	get := "http:\n  - path: ['{{BaseURL}}/']\n"
	write("a.yaml", template(get+ending))
	write("b.yml", template(get+"    pathes: [a]\n"+ending))
	write("c.yaml", "id: [")
	write("d.yaml", strings.Repeat("# a long comment\n", MaxTemplate/17+1))
	write(".hidden/e.yaml", "id: [")
	write("f.txt", "id: [")
	set, err := Load(context.Background(), LoadOptions{Paths: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	if set.Files != 4 || ids(set) != "made-up" || len(set.Refused) != 3 {
		t.Fatalf("%d files, checks %s, refused %v", set.Files, ids(set), set.Refused)
	}
	for i, want := range []string{"b.yml:5:5: http[0].pathes: unknown field", "c.yaml: ", fmt.Sprintf("d.yaml: expected a template of at most %d bytes", MaxTemplate)} {
		if got := set.Refused[i].Error(); !strings.Contains(got, want) {
			t.Errorf("refused %s, want %s", got, want)
		}
	}
	// What was not asked for is not complained of, where its id and tags can be read.
	set, err = Load(context.Background(), LoadOptions{Paths: []string{root}, Select: Selection{Tags: []string{"other"}}})
	if err != nil || len(set.Refused) != 2 || set.Passed != 2 {
		t.Errorf("refused %v, %d passed, %v", set.Refused, set.Passed, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	empty := t.TempDir()
	for _, row := range []struct {
		o    LoadOptions
		want string
	}{
		{LoadOptions{Paths: []string{"testdata/none"}}, "testdata/none: no such file or directory"},
		{LoadOptions{Paths: []string{empty}}, "expected templates, found no file that ends in .yaml or .yml"},
		{LoadOptions{Paths: []string{"../../testdata"}, Select: Selection{Severities: []string{"grave"}}}, `--severity "grave": expected info, low`},
		{LoadOptions{Paths: []string{"../../testdata"}, Select: Selection{IDs: []string{"["}}}, `--id "[": expected an id`},
		{LoadOptions{Paths: []string{"../../testdata"}, Select: Selection{Protocols: []string{"gopher"}}}, `--type "gopher": expected http`},
	} {
		if _, err := Load(context.Background(), row.o); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%+v: %v, want %s", row.o, err, row.want)
		}
	}
	stopped, stop := context.WithCancelCause(context.Background())
	why := errors.New("stopped")
	stop(why)
	if _, err := Load(stopped, LoadOptions{Paths: []string{"../../testdata"}}); !errors.Is(err, why) {
		t.Errorf("a stopped load ends with %v", err)
	}
}

// A link does not lead a payload out of the folder.
func TestPayloadLinks(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.txt"), []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(root, "words.txt")); err != nil {
		t.Fatal(err)
	}
	src := source{file: filepath.Join(root, "a.yaml"), root: root}
	if b, err := src.payload("words.txt"); err == nil {
		t.Errorf("read %q through a link", b)
	}
	if err := os.Mkdir(filepath.Join(root, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := src.payload("folder"); err == nil || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("a folder as a payload: %v", err)
	}
}

// A check made of several files is the same with those alone, below any other folder.
func TestFilesOfACheck(t *testing.T) {
	folder := t.TempDir()
	write := func(root, name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(folder, "far/near/one.yaml", template("http:\n  - path: ['{{BaseURL}}/{{a}}/{{b}}']\n    payloads: {a: words.txt, b: lists/more.txt}\n"+ending))
	write(folder, "far/near/lists/more.txt", "1\n2\n")
	write(folder, "far/words.txt", "x\n")
	write(folder, "words.txt", "not this one\n")
	write(folder, "far/near/other.txt", "nor this\n")
	set, err := Load(t.Context(), LoadOptions{Paths: []string{folder}})
	if err != nil || len(set.Checks) != 1 {
		t.Fatalf("%+v, %v", set, err)
	}
	root, names := set.Checks[0].Files()
	want := []string{"far/near/one.yaml", "far/words.txt", "far/near/lists/more.txt"}
	for i := range want {
		want[i] = filepath.FromSlash(want[i])
	}
	if root != folder || !slices.Equal(names, want) {
		t.Fatalf("made of %v below %s, want %v below %s", names, root, want, folder)
	}
	other := t.TempDir()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		write(other, name, string(text))
	}
	if set, err = Load(t.Context(), LoadOptions{Paths: []string{other}}); err != nil || len(set.Checks) != 1 {
		t.Errorf("elsewhere: %+v, %v", set, err)
	}
}
