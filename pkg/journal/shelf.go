package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// Shelf is a folder of events files that are named after what their scans ask of whom, so that the same scan finds its
// file again. It is safe for concurrent use.
type Shelf struct {
	Folder string
}

// suffix ends the names of the files on a shelf.
const suffix = ".events"

// readable is how much of a name is for people.
const readable = 40

// Path is where the events of a scan belong: a file named after its first list or target, and after what is in all of them.
func (s Shelf) Path(started report.Started, checks []*report.Check) string {
	sum := sha256.New()
	write := json.NewEncoder(sum) // a Hash takes everything
	for _, name := range itemOptions() {
		_ = write.Encode([]string{name, started.Options[name]})
	}
	title := ""
	for _, kind := range inputKinds() {
		for _, in := range ofKind(started.Inputs, kind) {
			if title == "" {
				title = in.Name
			}
			if in.Digest != "" {
				in.Name = "" // the file may be elsewhere
			}
			_ = write.Encode([]string{kind, in.Name, in.Digest})
		}
	}
	for _, c := range checks {
		_ = write.Encode(itemName(c))
	}
	return filepath.Join(s.Folder, plain(title)+"-"+hex.EncodeToString(sum.Sum(nil)[:8])+suffix)
}

// plain is a name of a list or a target as a part of one for a file.
func plain(name string) string {
	if _, after, ok := strings.Cut(name, "://"); ok {
		name = after
	}
	name = strings.TrimRight(name, "/\\")
	name = name[strings.LastIndexAny(name, "/\\")+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	name = strings.TrimLeft(name, ".-")
	if name == "" {
		return "scan"
	}
	return name[:min(len(name), readable)]
}

// Tidy removes the files that nobody has written to since a moment, and makes the folder when there is none. Files of
// other names stay, and so do those that a scan holds.
func (s Shelf) Tidy(since time.Time) error {
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.Folder)
	if err != nil {
		return err
	}
	var failed []error
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(entry.Name(), suffix) || !info.ModTime().Before(since) {
			continue // gone meanwhile, none of ours, or of use
		}
		failed = append(failed, remove(filepath.Join(s.Folder, entry.Name())))
	}
	return errors.Join(failed...)
}

// remove removes an events file that no scan writes.
func remove(path string) error {
	lock, err := Acquire(path)
	if errors.Is(err, ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(path), lock.Release())
}
