package report

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The temporary file of a report has the report's name in its own, so that the next run that writes the same report can
// tell what a killed one has left.
const (
	temporaryMark = ".redial-"
	// longestBase leaves room for the rest in a name of 255 bytes.
	longestBase = 200
	// youngest is the age from which a temporary file that nobody holds is taken for left behind: between its making
	// and its lock it looks the same.
	youngest = time.Minute
)

func temporaryPrefix(path string) string {
	base := filepath.Base(path)
	return "." + base[:min(len(base), longestBase)] + temporaryMark
}

// createTemporary makes the temporary file of the report at path in a folder, and holds it. Its mode is what the user's mask
// leaves, as that of any new file.
func createTemporary(folder, path string) (*os.File, error) {
	name := filepath.Join(folder, temporaryPrefix(path)+rand.Text())
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	hold(file) // where that cannot be, nobody removes it either
	return file, nil
}

// removeStale removes what killed runs have left of the report at path. What is in use, young or not ours stays; a failure
// is not worth more than a file too many.
func removeStale(path string, now time.Time) {
	folder, prefix := filepath.Dir(path), temporaryPrefix(path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) || len(entry.Name()) != len(prefix)+len(rand.Text()) {
			continue
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || now.Sub(info.ModTime()) < youngest {
			continue
		}
		name := filepath.Join(folder, entry.Name())
		if file, err := os.Open(name); err == nil {
			free := hold(file)
			_ = file.Close()
			if free {
				_ = os.Remove(name)
			}
		}
	}
}
