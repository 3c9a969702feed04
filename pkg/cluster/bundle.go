package cluster

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// File is one that workers need: a check, a list of paths.
type File struct {
	Name string // on the worker, below its folder: a path with slashes
	Path string // here
}

const (
	maxFiles      = 200_000
	maxFilesBytes = 2 << 30
)

// pack uploads files as one object that is named by what is in it.
func (c *Conn) pack(ctx context.Context, scan string, files []File) (Bundle, error) {
	if len(files) == 0 {
		return Bundle{}, nil
	}
	spool, err := os.CreateTemp("", "redial-files-*")
	if err != nil {
		return Bundle{}, err
	}
	defer os.Remove(spool.Name())
	defer spool.Close()
	sum := sha256.New()
	if err := writeBundle(io.MultiWriter(spool, sum), files); err != nil {
		return Bundle{}, err
	}
	size, err := spool.Seek(0, io.SeekCurrent)
	if err != nil {
		return Bundle{}, err
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return Bundle{}, err
	}
	b := Bundle{Sum: hex.EncodeToString(sum.Sum(nil)), Size: size}
	store, err := c.js.ObjectStore(ctx, names{scan}.files())
	if err != nil {
		return b, err
	}
	info, err := store.GetInfo(ctx, b.Sum)
	if err != nil || info.Size != uint64(size) { // else it is from before the scan was stopped
		info, err = store.Put(ctx, jetstream.ObjectMeta{Name: b.Sum}, spool)
	}
	if err == nil && info.Chunks == 1 {
		b.Piece = info.NUID
	}
	return b, err
}

// writeBundle packs files. The same files give the same bytes.
func writeBundle(w io.Writer, files []File) error {
	zip := gzip.NewWriter(w)
	pack := tar.NewWriter(zip)
	var total int64
	for i, f := range files {
		n, err := writeFile(pack, f)
		if err != nil {
			return fmt.Errorf("pack %s: %w", f.Path, err)
		}
		if total += n; total > maxFilesBytes || i >= maxFiles {
			return fmt.Errorf("files of %d bytes, expected at most %d files of %d bytes", total, maxFiles, int64(maxFilesBytes))
		}
	}
	return errors.Join(pack.Close(), zip.Close())
}

func writeFile(pack *tar.Writer, f File) (int64, error) {
	in, err := os.Open(f.Path)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, errors.New("no regular file")
	}
	if err := pack.WriteHeader(&tar.Header{Name: f.Name, Mode: 0o600, Size: info.Size(), Typeflag: tar.TypeReg}); err != nil {
		return 0, err
	}
	return io.Copy(pack, in)
}

// unpack fetches the files of a scan and returns the folder that they are in, "" where the scan has none. Files that are
// there from before are used again.
func (c *Conn) unpack(ctx context.Context, spec *Spec, dir string) (string, error) {
	if spec.Bundle == (Bundle{}) {
		return "", nil
	}
	final := filepath.Join(dir, "files-"+spec.Bundle.Sum)
	if _, err := os.Stat(final); err == nil {
		return final, nil
	}
	object, err := c.bundle(ctx, spec)
	if err != nil {
		return "", err
	}
	defer object.Close()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp(dir, "unpacking-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	sum := sha256.New()
	if err := readBundle(io.TeeReader(io.LimitReader(object, spec.Bundle.Size+1), sum), folder); err != nil {
		return "", err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != spec.Bundle.Sum {
		return "", fmt.Errorf("files of sum %s, expected %s", got, spec.Bundle.Sum)
	}
	if err := os.Rename(folder, final); err != nil {
		if _, there := os.Stat(final); there == nil { // another worker was faster
			return final, nil
		}
		return "", err
	}
	return final, nil
}

// bundle opens the packed files. Those of one piece are read by one question, where the store makes a consumer and takes it away again.
func (c *Conn) bundle(ctx context.Context, spec *Spec) (io.ReadCloser, error) {
	files := names{spec.Scan}.files()
	if piece := spec.Bundle.Piece; piece != "" {
		var data []byte
		err := c.latest(ctx, "OBJ_"+files, []string{"$O." + files + ".C." + piece}, func(m *nats.Msg) { data = m.Data })
		if err == nil && int64(len(data)) == spec.Bundle.Size {
			return io.NopCloser(bytes.NewReader(data)), nil
		}
	}
	store, err := c.js.ObjectStore(ctx, files)
	if err != nil {
		return nil, err
	}
	return store.Get(ctx, spec.Bundle.Sum)
}

// readBundle unpacks files into a folder, and reads to the end.
func readBundle(r io.Reader, folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	zip, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	pack := tar.NewReader(zip)
	var total int64
	for n := 0; ; n++ {
		h, err := pack.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if total += h.Size; h.Typeflag != tar.TypeReg || total > maxFilesBytes || n >= maxFiles {
			return fmt.Errorf("entry %.100q of %d bytes, expected at most %d regular files of %d bytes", h.Name, h.Size, maxFiles, int64(maxFilesBytes))
		}
		if err := readFile(root, h.Name, pack); err != nil {
			return fmt.Errorf("unpack %.100q: %w", h.Name, err)
		}
	}
	_, err = io.Copy(io.Discard, r)
	return err
}

// readFile writes one file. The root keeps it inside the folder.
func readFile(root *os.Root, name string, r io.Reader) error {
	if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o700); err != nil {
		return err
	}
	out, err := root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, r)
	return errors.Join(err, out.Close())
}
