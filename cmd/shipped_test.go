package cmd

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/cluster"
)

// In a scan that is shared out each flag of a scan has one place. Whoever adds a flag says which.
func TestEachScanFlagHasAPlaceInACluster(t *testing.T) {
	var o scanOptions
	c := &cobra.Command{}
	o.addFlags(c)
	listed := slices.Concat(workerFlags(), homeFlags(), slices.Collect(maps.Keys(lonelyFlags())))
	count := map[string]int{}
	for _, name := range listed {
		count[name]++
		if c.Flags().Lookup(name) == nil {
			t.Errorf("--%s is no flag of redial scan any more", name)
		}
	}
	count["jsonl"]++ // of both: see workerFlags
	c.Flags().VisitAll(func(f *pflag.Flag) {
		want := 1
		if f.Name == "jsonl" {
			want = 2
		}
		if count[f.Name] != want && !f.Hidden {
			t.Errorf("--%s stands in %d of the lists of workerFlags, homeFlags and lonelyFlags, want one", f.Name, count[f.Name])
		}
	})
}

// What was set here is set there, and nothing else is taken.
func TestSettingsReachTheWorker(t *testing.T) {
	var here scanOptions
	c := &cobra.Command{}
	here.addFlags(c)
	args := []string{
		"-H", "X-One: a,b", "-H", "X-Two: \"c\"", "--timeout", "3s", "--rate-limit", "12.5", "--throttle-status", "403", "--random-agent",
		"--resolvers", "127.0.0.1,[::1]:5353", "--match-regex", "a,b", "--events", "file", "--output", "out", "-u", "host",
	}
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	all, err := here.workerSettings(c.Flags(), true)
	if err != nil {
		t.Fatal(err)
	}
	var there scanOptions
	d := &cobra.Command{}
	there.addFlags(d)
	if err := takeSettings(d.Flags(), all); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(there.request.headers, here.request.headers) || there.request.timeout != here.request.timeout ||
		there.pace.rateLimit != 12.5 || !there.request.randomAgent || !slices.Equal(there.pace.throttleStatus, here.pace.throttleStatus) ||
		!slices.Equal(there.request.filter.MatchRegex, []string{"a,b"}) || !there.output.jsonl ||
		!slices.Equal(there.request.resolvers, []string{"127.0.0.1:53", "[::1]:5353"}) {
		t.Errorf("arrived: %+v", there)
	}
	if there.output.events != "" || there.output.output != "" || there.input.targets != nil {
		t.Error("inputs and outputs went along")
	}
	for _, bad := range []string{"output=/tmp/x", "client-key=/etc/passwd", "templates=/etc", "nonsense", "timeout=soon"} {
		if err := takeSettings(d.Flags(), []string{bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// ship takes what a scan needs to a worker's folder.
func ship(t *testing.T, here *scanOptions, set *check.Set) (there scanOptions, folder string) {
	t.Helper()
	files, err := here.bundle(t.TempDir(), set)
	if err != nil {
		t.Fatal(err)
	}
	folder = put(t, files)
	if err := there.unbundle(folder); err != nil {
		t.Fatal(err)
	}
	return there, folder
}

// put copies the files of a bundle to where a worker finds them.
func put(t *testing.T, files []cluster.File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	at := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

func checkText(id, path, more string) string {
	return "id: " + id + "\ninfo: {name: n, author: a, severity: info}\nhttp:\n  - method: GET\n    path: ['{{BaseURL}}" + path + "']\n" + more +
		"    matchers: [{type: status, status: [200]}]\n"
}

// The checks of a worker are those of the coordinator, in the same order, and no more than those that were selected.
func TestBundleOfChecks(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b/z.yaml", checkText("z", "/same", ""))
	write(t, dir, "b/deep/words.txt", "1\n2\n")
	write(t, dir, "b/deep/y.yaml", checkText("y", "/{{w}}", "    payloads: {w: words.txt}\n"))
	write(t, dir, "b/broken.yaml", "id: broken\n")
	odd := write(t, dir, "a/check.tmpl", checkText("odd", "/same", ""))
	write(t, dir, "c/left.yaml", checkText("left", "/left", ""))
	here := scanOptions{}
	here.checks.templates = []string{filepath.Join(dir, "b"), odd, filepath.Join(dir, "c")}
	here.checks.selection.ExcludeIDs = []string{"left"}
	set, err := here.checks.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	there, folder := ship(t, &here, set)
	got, err := there.checks.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := arrange(got, folder); err != nil {
		t.Fatal(err)
	}
	names := func(set *check.Set) (all []string) {
		for _, c := range set.Checks {
			all = append(all, c.ID())
		}
		return all
	}
	if !slices.Equal(names(got), names(set)) || len(got.Checks) != 3 {
		t.Errorf("the worker has %v, want %v", names(got), names(set))
	}
	write(t, folder, "templates/0/more.yaml", checkText("more", "/more", ""))
	if got, err = there.checks.load(t.Context()); err == nil {
		err = arrange(got, folder)
	}
	if err == nil {
		t.Error("a check that nobody has sent is taken")
	}
}

func TestBundleOfLists(t *testing.T) {
	dir := t.TempDir()
	here := scanOptions{}
	here.request.paths = []string{"a,/b", "@" + write(t, dir, "paths", "/c\n# no\nd\n")}
	here.input.exclude = []string{"10.0.0.0/8,one.test", "@" + write(t, dir, "list", "two.test\n")}
	here.request.clientCert, here.request.clientKey = write(t, dir, "cert", "C"), write(t, dir, "key", "K")
	there, folder := ship(t, &here, nil)
	there.request.maxRedirects = 1
	probe, err := there.request.probe(func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for i := range probe.Len() {
		paths = append(paths, probe.Path(i))
	}
	if got := strings.Join(paths, " "); got != "/a /b /c /d" {
		t.Errorf("paths %s", got)
	}
	var refuse func(string, uint16) bool
	if err := there.refuse(&refuse); err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{"10.1.2.3": true, "one.test": true, "two.test": true, "three.test": false} {
		if refuse(host, 80) != want {
			t.Errorf("%s is refused: %v, want %v", host, !want, want)
		}
	}
	if there.request.clientCert != filepath.Join(folder, bundleCert) {
		t.Errorf("certificate %s", there.request.clientCert)
	}
}
