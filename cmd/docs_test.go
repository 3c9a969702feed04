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

// pages are the texts of docs and the README, by name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../docs/*.md")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	all := map[string]string{}
	for _, name := range append(names, "../README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = string(text)
	}
	return all
}

// shownCommand finds redial with its arguments in a line of an example: alone, after a prompt or a pipe, in a script of a
// pipeline, in quotes. What follows in a pipe, a redirection and a comment are not its arguments.
var shownCommand = regexp.MustCompile(`(?m)^ {4,}(.*\bsh '|- |\$ |.*\| )?redial ([a-z]+(?: [^|>'#\n]*)?)`)

// ranElsewhere are shown commands that this test does not run, with what does.
var ranElsewhere = map[string]string{
	"serve": "it waits for workers: in cluster.txtar", "worker": "likewise", "workers": "likewise",
	"lab":  "testdata/script/lab.txtar runs labs, and every script with hosts",
	"demo": ".ci/run",
}

const shownTemplate = `id: shown
info: {name: Shown, author: redial, severity: medium, tags: panel}
http:
  - method: GET
    path: ["{{BaseURL}}/admin"]
    matchers: [{type: word, words: [Admin]}]
`

// prepareShown makes what the shown commands read, in the working folder.
func prepareShown(t *testing.T, url string) {
	t.Helper()
	for name, text := range map[string]string{
		"targets.txt": url + "\n", "hosts.txt": url + "\n", "paths.txt": "/admin\n/none\n",
		"templates/shown.yaml": shownTemplate, "testdata/templates/shown.yaml": shownTemplate,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// Each command that a page shows is run, on a list and templates of the names that are shown.
func TestShownCommandsRun(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<title>Admin</title>") }))
	defer host.Close()
	texts, state := pages(t), t.TempDir()
	t.Chdir(t.TempDir())
	prepareShown(t, host.URL)
	try := func(page, stdin string, args []string) {
		var stderr bytes.Buffer
		env := quietEnv(strings.NewReader(stdin), io.Discard, &stderr)
		env.Getenv = func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }
		if status := Run(args, env); status != StatusOK {
			t.Errorf("%s: redial %s ended with %d:\n%s", page, strings.Join(args, " "), status, &stderr)
		}
	}
	// Addresses of somebody's lab are those of the host here, ports any that are free, folders of the system our own.
	ours := strings.NewReplacer("http://127.119.233.1:8080", host.URL, "127.119.233.0/28 --ports 80,8000-8090", host.URL,
		"--metrics-addr 9090", "--metrics-addr 0", "/usr/local/share/man/man1", "man1")
	ran := 0
	for page, text := range texts {
		for _, found := range shownCommand.FindAllStringSubmatch(text, -1) {
			args := strings.Fields(ours.Replace(found[2]))
			if ranElsewhere[args[0]] != "" {
				parseShown(t, page, args)
				continue
			}
			if slices.Contains(args, "--from-skipped") || slices.Contains(args, "--resume") || args[0] == "report" { // they go on from a scan of theirs
				before := []string{"scan", "-l", "targets.txt", "--events", "scan.events"}
				if slices.Contains(args, "-t") {
					before = append(before, "-t", "templates/")
				}
				if slices.Contains(args, "paths.txt") {
					before = append(before, "--path", "paths.txt")
				}
				try(page, "", before)
			}
			stdin := ""
			if strings.HasSuffix(found[1], "| ") {
				stdin = host.URL + "\n"
			}
			try(page, stdin, args)
			ran++
		}
	}
	if ran < 35 {
		t.Errorf("%d commands were found, want 35 or more", ran)
	}
}

// parseShown reads the flags of a shown command that is not run.
func parseShown(t *testing.T, page string, args []string) {
	t.Helper()
	for _, c := range newRootCommand(testEnv(t)).Commands() {
		if c.Name() != args[0] {
			continue
		}
		if err := c.ParseFlags(args[1:]); err != nil {
			t.Errorf("%s: redial %s: %v", page, strings.Join(args, " "), err)
		}
		return
	}
	t.Errorf("%s: redial %s: no such command", page, args[0])
}

// Each flag that a page names exists, and each short name of a table leads somewhere.
func TestShownFlagsExist(t *testing.T) {
	c, serve, worker := newScanCommand(testEnv(t)), newServeCommand(testEnv(t)), newWorkerCommand(testEnv(t))
	named := regexp.MustCompile("`(-{1,2}[a-z][a-z-]*)")
	for page, text := range pages(t) {
		for _, found := range named.FindAllStringSubmatch(text, -1) {
			word := found[1]
			name := strings.TrimLeft(word, "-")
			switch {
			case page == "cluster.md" && (serve.Flags().Lookup(name) != nil || worker.Flags().Lookup(name) != nil):
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
