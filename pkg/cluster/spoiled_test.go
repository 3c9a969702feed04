package cluster

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// spoil overwrites what a server keeps of its streams, but for how far their consumers have come.
func spoil(t *testing.T, dir string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "meta.inf" && filepath.Ext(path) != ".blk" {
			return err
		}
		n++
		return os.WriteFile(path, bytes.Repeat([]byte{0xa5}, 4096), 0o600)
	})
	if err != nil || n == 0 {
		t.Fatalf("%d files were spoiled, %v", n, err)
	}
}

// asAfterACrash copies the folder of a server that runs.
func asAfterACrash(t *testing.T, s *Server) string {
	t.Helper()
	var err error
	for range 100 { // a file may go while it is copied
		dir := t.TempDir()
		if err = os.CopyFS(dir, os.DirFS(s.s.StoreDir())); err == nil {
			return dir
		}
	}
	t.Fatal(err)
	return ""
}

// The folder of the server is of no use after a crash. The events file is enough.
func TestAScanGoesOnWithAServerWhoseFilesAreSpoiled(t *testing.T) {
	const targets, items = 40, 3
	path := filepath.Join(t.TempDir(), "events")
	g := newGroup(t, listOf(targets, 10), items)
	g.cfg.Spec.Partitions = 2
	g.eventsFile(path, items)
	serving, kill := context.WithCancel(within(t))
	defer kill()
	served := g.serving(serving)
	half, there := halfway(items, targets*items/2)
	leave := g.join("w1", half)
	await(t, there)
	g.book.await(t, 1)
	dir := asAfterACrash(t, g.server)
	g.cfg.Conn.Close()
	kill()
	<-served
	leave()
	spoil(t, dir)
	s, err := Embed(EmbedConfig{Dir: dir, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	g.server = s
	g.takeUp(path, listOf(targets, 10), items)
	g.join("w2", answering(items))
	if _, err := g.serve(within(t)); err != nil {
		t.Fatal(err)
	}
	wantOnceInFile(t, path, targets, items)
}
