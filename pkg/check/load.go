package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// MaxTemplate is the greatest size of a template, in bytes.
const MaxTemplate = 8 << 20

// LoadOptions say which checks are loaded.
type LoadOptions struct {
	Paths  []string          // files, and folders with all their templates
	Vars   map[string]string // values for variables of checks
	Select Selection
}

// Set is what was loaded. It does not change.
type Set struct {
	Checks  []*Check  // in the order of their files, but those that ask nothing of the target come first, and those that begin with the same request stand together
	Refused []Refusal // in the order of their files
	Files   int       // templates that were read
	Alone   int       // self-contained checks, which come first in Checks
	Passed  int       // of those, the ones that were not selected
}

// Refusal is a template that is not run, with all that is known to stand against it.
type Refusal struct {
	File     string
	ID       string // "" when it could not be read
	Info     Info
	Problems []*Problem
}

// Error tells the first problem, and how many there are.
func (r *Refusal) Error() string {
	text := r.Problems[0].Error()
	if n := len(r.Problems) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	return text
}

// Load reads templates, several at a time. One that cannot be run is in the set's Refused; the error is about what was asked for: a path
// that does not exist, a folder without a template.
func Load(ctx context.Context, o LoadOptions) (*Set, error) {
	if err := o.Select.complete(); err != nil {
		return nil, err
	}
	sources, err := find(o.Paths)
	if err != nil {
		return nil, err
	}
	results := make([]loaded, len(sources))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(sources)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(sources) {
					return
				}
				sources[i].vars = o.Vars
				results[i].check, results[i].problems = load(sources[i])
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	set := gather(sources, results, &o.Select)
	set.share()
	for set.Alone < len(set.Checks) && set.Checks[set.Alone].alone {
		set.Alone++
	}
	return set, nil
}

type loaded struct {
	check    *Check
	problems []*Problem
}

func gather(sources []source, results []loaded, wanted *Selection) *Set {
	set := &Set{Files: len(sources)}
	for i, r := range results {
		switch {
		case r.check != nil && !wanted.takes(r.check):
			set.Passed++
		case len(r.problems) == 0:
			set.Checks = append(set.Checks, r.check)
		default:
			refusal := Refusal{File: sources[i].file, Problems: r.problems}
			if r.check != nil {
				refusal.ID, refusal.Info = r.check.id, r.check.info
			}
			set.Refused = append(set.Refused, refusal)
		}
	}
	return set
}

func load(src source) (*Check, []*Problem) {
	text, err := readTemplate(src.file)
	if err != nil {
		return nil, []*Problem{{File: src.file, Kind: KindUnreadable, Want: err.Error()}}
	}
	return parse(text, src)
}

func readTemplate(name string) ([]byte, error) {
	f, err := openTemplate(name)
	if err != nil {
		return nil, plainPathError(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, plainPathError(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("expected a file")
	case info.Size() > MaxTemplate:
		return nil, fmt.Errorf("expected a template of at most %d bytes", MaxTemplate)
	}
	text := make([]byte, info.Size())
	n, err := io.ReadFull(f, text)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // it has become shorter
		err = nil
	}
	return text[:n], err
}

// plainPathError leaves the name out, which stands before the message already.
func plainPathError(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// find gives the templates below paths, each once, those of a folder in the order of their names.
func find(paths []string) ([]source, error) {
	var all []source
	seen := map[string]bool{}
	add := func(file, root string) {
		if key, err := filepath.Abs(file); err != nil || !seen[key] {
			seen[key] = true
			all = append(all, source{file: file, root: root})
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, plainPathError(err))
		}
		if !info.IsDir() {
			add(path, filepath.Dir(path))
			continue
		}
		before := len(seen)
		if err := walk(path, func(file string) { add(file, path) }); err != nil {
			return nil, err
		}
		if len(seen) == before && !slices.ContainsFunc(all, func(s source) bool { return below(s.file, path) }) {
			return nil, fmt.Errorf("%s: expected templates, found no file that ends in .yaml or .yml", path)
		}
	}
	return all, nil
}

func below(file, folder string) bool {
	rel, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(rel)
}

// walk passes over what is hidden, and does not follow links to folders.
func walk(folder string, found func(file string)) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", path, plainPathError(err))
		case path != folder && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir() && isTemplate(d.Name()):
			found(path)
		}
		return nil
	})
}

func isTemplate(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".yaml" || ext == ".yml"
}
