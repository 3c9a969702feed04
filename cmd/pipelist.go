package cmd

import (
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/muesli/cancelreader"
)

// isStream says that what is at path may keep a reader waiting: a pipe, a terminal, a socket.
func isStream(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice|fs.ModeSocket) != 0
}

// pipeList is a list whose reads end when the scan is stopped, however long its writer has nothing to say. A named pipe
// is opened when its turn has come. Read belongs to one goroutine; cancel may be called from any.
type pipeList struct {
	path string // of a named pipe; "" = standard input, which is open

	mu        sync.Mutex
	cancelled bool
	opening   chan struct{} // closed when the named pipe is open; nil before somebody opens it
	file      *os.File
	reader    cancelreader.CancelReader // nil before the first read of a named pipe
}

func newPipeList(r io.Reader) *pipeList { return &pipeList{reader: cancellable(r)} }

// cancellable makes reads of r end when they are cancelled. A plain file or a null device cannot be waited for, and need not.
func cancellable(r io.Reader) cancelreader.CancelReader {
	c, err := cancelreader.NewReader(r)
	if err != nil {
		return alwaysReady{r}
	}
	return c
}

type alwaysReady struct{ io.Reader }

func (alwaysReady) Cancel() bool { return false }
func (alwaysReady) Close() error { return nil }

// Read implements io.Reader.
func (p *pipeList) Read(b []byte) (int, error) {
	r, err := p.opened()
	if err != nil {
		return 0, err
	}
	return r.Read(b)
}

// opened opens the pipe, which may wait for somebody who writes to it.
func (p *pipeList) opened() (io.Reader, error) {
	p.mu.Lock()
	r, cancelled := p.reader, p.cancelled
	if r == nil && !cancelled {
		p.opening = make(chan struct{})
	}
	p.mu.Unlock()
	switch {
	case cancelled:
		return nil, cancelreader.ErrCanceled
	case r != nil:
		return r, nil
	}
	f, err := os.Open(p.path)
	close(p.opening)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.file, p.reader = f, cancellable(f)
	if p.cancelled {
		return nil, cancelreader.ErrCanceled
	}
	return p.reader, nil
}

func (p *pipeList) cancel() {
	p.mu.Lock()
	p.cancelled = true
	r, opening := p.reader, p.opening
	p.mu.Unlock()
	if r != nil {
		r.Cancel()
		return
	}
	for opening != nil && !wakeOpen(p.path) { // it may be just about to
		select {
		case <-opening:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func (p *pipeList) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reader != nil {
		_ = p.reader.Close() // nothing was written that it could lose
	}
	if p.file != nil {
		_ = p.file.Close()
	}
}
