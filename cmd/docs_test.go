package cmd

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages are the texts of docs, by name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../docs/*.md")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	all := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = string(text)
	}
	return all
}

// shownCommand finds redial with its arguments in a line of an example: alone, in a script of a pipeline, in quotes.
var shownCommand = regexp.MustCompile(`(?m)^ {4,}(?:.*\bsh '|- )?redial ((?:scan|report|checks) [^'\n]*)`)

const shownTemplate = `id: shown
info: {name: Shown, author: redial, severity: low, tags: panel}
http:
  - method: GET
    path: ["{{BaseURL}}/admin"]
    matchers: [{type: word, words: [Admin]}]
`

// Each command that a page shows is run, on a list and templates of the names that are shown.
func TestShownCommandsRun(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<title>Admin</title>") }))
	defer host.Close()
	texts := pages(t)
	t.Chdir(t.TempDir())
	if err := errors.Join(os.WriteFile("targets.txt", []byte(host.URL+"\n"), 0o600), os.Mkdir("templates", 0o700),
		os.WriteFile("templates/shown.yaml", []byte(shownTemplate), 0o600)); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	try := func(page string, args []string) {
		var stderr bytes.Buffer
		env := quietEnv(strings.NewReader(""), io.Discard, &stderr)
		env.Getenv = func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }
		if status := Run(args, env); status != StatusOK {
			t.Errorf("%s: redial %s ended with %d:\n%s", page, strings.Join(args, " "), status, &stderr)
		}
	}
	ran := 0
	for page, text := range texts {
		for _, found := range shownCommand.FindAllStringSubmatch(text, -1) {
			args := strings.Fields(found[1])
			if slices.Contains(args, "--from-skipped") || slices.Contains(args, "--resume") || args[0] == "report" { // they go on from a scan of theirs
				before := []string{"scan", "-l", "targets.txt", "--events", "scan.events"}
				if slices.Contains(args, "-t") {
					before = append(before, "-t", "templates/")
				}
				try(page, before)
			}
			try(page, args)
			ran++
		}
	}
	if ran < 10 {
		t.Errorf("%d commands were found, want ten or more", ran)
	}
}

// Each flag that a page names exists, and each short name of a table leads somewhere.
func TestShownFlagsExist(t *testing.T) {
	c := newScanCommand(testEnv(t))
	named := regexp.MustCompile("`(-{1,2}[a-z][a-z-]*)")
	for page, text := range pages(t) {
		for _, found := range named.FindAllStringSubmatch(text, -1) {
			word := found[1]
			name := strings.TrimLeft(word, "-")
			switch {
			case c.Flags().Lookup(name) != nil, len(name) == 1 && (c.Flags().ShorthandLookup(name) != nil || page == "moving.md"):
			case strings.HasPrefix(word, "--"):
				t.Errorf("%s names %s, which is no flag of scan", page, word)
			default:
				if arg, keep := doubleDash(c.Flags(), word); keep && arg == word {
					t.Errorf("%s names %s, which redial does not know", page, word)
				}
			}
		}
	}
}
