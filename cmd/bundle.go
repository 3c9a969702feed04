package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/cluster"
	"github.com/redialscan/redial/pkg/target"
)

// The names of files in a bundle: what a scan needs besides its settings, on its way to workers.
const (
	bundlePaths     = "paths.txt"
	bundleExclude   = "exclude"    // a folder of lists
	bundleCert      = "client.crt" // with its key
	bundleKey       = "client.key"
	bundleTemplates = "templates"  // a folder for each folder of templates, by number
	bundleChecks    = "checks.txt" // the template of each check below that folder, in order
)

// bundle gathers files for workers. What is not a file yet is written below dir.
type bundle struct {
	dir   string
	files []cluster.File
}

func (b *bundle) file(name, at string) { b.files = append(b.files, cluster.File{Name: name, Path: at}) }

// lines writes a file of lines into the bundle.
func (b *bundle) lines(name string, lines []string) error {
	at := filepath.Join(b.dir, strings.ReplaceAll(name, "/", "-"))
	b.file(name, at)
	return os.WriteFile(at, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

// bundle gathers the files of a scan. Those that it writes itself go below dir.
func (o *scanOptions) bundle(dir string, set *check.Set) ([]cluster.File, error) {
	b := &bundle{dir: dir}
	if set != nil {
		if err := b.checks(set); err != nil {
			return nil, err
		}
	} else if err := b.paths(o.request.paths); err != nil {
		return nil, err
	}
	if err := b.exclude(o.input.exclude); err != nil {
		return nil, err
	}
	if o.request.clientCert != "" {
		b.file(bundleCert, o.request.clientCert)
		b.file(bundleKey, o.request.clientKey)
	}
	return b.files, nil
}

func (b *bundle) paths(values []string) error {
	if len(values) == 0 {
		return nil
	}
	var all []string
	for _, value := range values {
		more, err := check.ParsePaths(value)
		if err != nil {
			return err
		}
		all = append(all, more...)
	}
	return b.lines(bundlePaths, all)
}

// exclude copies the files among the values, and makes a list of the rest.
func (b *bundle) exclude(values []string) error {
	var hosts []string
	for _, value := range values {
		for item := range strings.SplitSeq(value, ",") {
			item = strings.TrimSpace(item)
			file, isFile := strings.CutPrefix(item, "@")
			if info, err := os.Stat(item); !isFile && err == nil && !info.IsDir() { // as it is read here
				file, isFile = item, true
				if _, err := target.NewExclusion([]string{"http://" + item}); err == nil {
					hosts = append(hosts, "http://"+item)
				}
			}
			if isFile {
				b.file(path.Join(bundleExclude, strconv.Itoa(len(b.files))), file)
			} else if item != "" {
				hosts = append(hosts, item)
			}
		}
	}
	if len(hosts) == 0 {
		return nil
	}
	return b.lines(path.Join(bundleExclude, "list"), hosts)
}

// checks takes the templates of all checks, and what they read, and says in which order they are.
func (b *bundle) checks(set *check.Set) error {
	number := map[string]string{} // of a folder
	taken := map[string]bool{}
	order := make([]string, 0, len(set.Checks))
	for _, c := range set.Checks {
		root, below := c.Files()
		n, known := number[root]
		if !known {
			n = strconv.Itoa(len(number))
			number[root] = n
		}
		for i, file := range below {
			name := path.Join(n, filepath.ToSlash(file))
			if i == 0 {
				if ext := path.Ext(name); ext != ".yaml" && ext != ".yml" { // named on the command line it may have any
					name += ".yaml"
				}
				order = append(order, name)
			}
			if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\r\n") {
				return fmt.Errorf("%s: expected a name without line ends, below %s", file, root)
			}
			if !taken[name] {
				taken[name] = true
				b.file(path.Join(bundleTemplates, name), filepath.Join(root, file))
			}
		}
	}
	return b.lines(bundleChecks, order)
}

// unbundle makes the options of a worker's scan name the files that came with it in dir.
func (o *scanOptions) unbundle(dir string) error {
	o.bundled = true
	there := func(name string) (string, bool) {
		at := filepath.Join(dir, filepath.FromSlash(name))
		_, err := os.Stat(at)
		return at, err == nil
	}
	if at, ok := there(bundlePaths); ok {
		o.request.paths = []string{"@" + at}
	}
	if at, ok := there(bundleCert); ok {
		o.request.clientCert, o.request.clientKey = at, filepath.Join(dir, bundleKey)
	}
	if at, ok := there(bundleExclude); ok {
		lists, err := os.ReadDir(at)
		if err != nil {
			return err
		}
		for _, list := range lists {
			o.input.exclude = append(o.input.exclude, "@"+filepath.Join(at, list.Name()))
		}
	}
	at, ok := there(bundleTemplates)
	if !ok {
		return nil
	}
	folders, err := os.ReadDir(at)
	for _, folder := range folders {
		o.checks.templates = append(o.checks.templates, filepath.Join(at, folder.Name()))
	}
	return err
}

// arrange puts the checks of a worker into the order that they have at the coordinator, by which all speak of them.
func arrange(set *check.Set, dir string) error {
	f, err := os.Open(filepath.Join(dir, bundleChecks))
	if err != nil {
		return err
	}
	defer f.Close()
	place := map[string]int{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		place[filepath.Join(dir, bundleTemplates, filepath.FromSlash(lines.Text()))] = len(place)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	for i := range set.Refused {
		return &set.Refused[i]
	}
	if len(place) != len(set.Checks) {
		return fmt.Errorf("%d checks, expected %d", len(set.Checks), len(place))
	}
	ordered := make([]*check.Check, len(place))
	for _, c := range set.Checks {
		i, ok := place[c.File()]
		if !ok {
			return fmt.Errorf("%s: expected no such check", c.File())
		}
		ordered[i] = c
	}
	if slices.Contains(ordered, nil) {
		return errors.New("a check is there twice")
	}
	set.Checks = ordered
	return nil
}

// leaveOutAlone takes the self-contained checks out of a set: they have no target, so that no worker would run them.
func leaveOutAlone(set *check.Set, m *messages) error {
	if set == nil || set.Alone == 0 {
		return nil
	}
	m.warn("%d self-contained checks are left out: they run with redial scan", set.Alone)
	set.Checks, set.Alone = set.Checks[set.Alone:], 0 // they come first
	if len(set.Checks) == 0 {
		return errors.New("no checks: all of them are self-contained, expected some that ask the targets")
	}
	return nil
}
