package target

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
)

// Config says what a Reader reads. Of the zero value only Sources must be set.
type Config struct {
	// Sources are read in order, each opened when its turn comes.
	Sources []Source
	// Ports are the ports of every target that names none; none: 443 or 80 as
	// the scheme settles.
	Ports []uint16
	// Exclude is what is never given out; nil excludes nothing.
	Exclude *Exclusion
	// Strict makes Next return a bad line instead of going on.
	Strict bool
	// OnBad is told of every bad line, from within Next; nil: they are only
	// counted. With Strict it is not called.
	OnBad func(*LineError)
}

// Reader gives the targets of its sources. Next and Close must not be called
// concurrently; the counters may be read from anywhere at any time.
type Reader struct {
	cfg     Config
	hash    hasher
	window  *window
	scratch []byte // identity of the target at hand

	waiting []Source      // still to open
	file    string        // name of the open source
	closer  io.Closer     // nil: no source is open
	buf     *bufio.Reader // shared by the sources, one after another
	lines   lines
	left    expansion
	failed  error // what ended the Reader

	lineCount, targetCount, duplicateCount, excludedCount, badCount atomic.Uint64
}

// NewReader makes a Reader. It opens nothing, but looks whether each file is
// there, so that a slip in the last name is told before the first request.
func NewReader(cfg Config) (*Reader, error) {
	return newReader(cfg, windowTargets)
}

func newReader(cfg Config, remembered int) (*Reader, error) {
	if slices.Contains(cfg.Ports, 0) {
		return nil, errors.New("target: port 0 in Ports, expected 1 to 65535")
	}
	for i, source := range cfg.Sources {
		if source.open == nil {
			return nil, fmt.Errorf("target: source %d is empty, expected File, Stream or Values", i)
		}
		if source.check == nil {
			continue
		}
		if err := source.check(); err != nil {
			return nil, &SourceError{File: source.name, Err: err}
		}
	}
	return &Reader{
		cfg:     cfg,
		hash:    newHasher(),
		window:  newWindow(remembered),
		waiting: cfg.Sources,
		buf:     bufio.NewReaderSize(nil, readBuffer),
	}, nil
}

// Next gives the next target, and io.EOF after the last. A *SourceError ends
// the Reader: each further call returns it again. With Strict a *LineError is
// returned for a bad line, and the next call goes on behind it.
func (r *Reader) Next() (Target, error) {
	for {
		t, skipped, ok := r.left.next(r.cfg.Exclude)
		if skipped > 0 {
			r.excludedCount.Add(skipped)
		}
		if !ok {
			if err := r.nextLine(); err != nil {
				return Target{}, err
			}
			continue
		}
		if !r.cfg.Exclude.leave(&t) {
			r.excludedCount.Add(1)
			continue
		}
		r.scratch = t.appendIdentity(r.scratch[:0])
		if !r.window.add(r.hash.sum(r.scratch)) {
			r.duplicateCount.Add(1)
			continue
		}
		r.targetCount.Add(1)
		return t, nil
	}
}

// nextLine reads until a line stands for targets, which are then in r.left.
func (r *Reader) nextLine() error {
	for {
		if r.failed != nil {
			return r.failed
		}
		if r.closer == nil {
			r.failed = r.openNext()
			continue
		}
		line, err := r.lines.next()
		if err == io.EOF {
			r.failed = r.closeSource()
			continue
		}
		if err != nil && err != errLineTooLong {
			r.failed = &SourceError{File: r.file, Err: err}
			_ = r.closeSource() // the read error says more
			continue
		}
		r.lineCount.Add(1)
		text := content(line)
		if len(text) == 0 && err == nil {
			continue
		}
		if err == nil {
			err = r.expand(string(text))
		}
		if err == nil {
			return nil
		}
		if bad := r.badLine(text, err); r.cfg.Strict {
			return bad
		} else if r.cfg.OnBad != nil {
			r.cfg.OnBad(bad)
		}
	}
}

func (r *Reader) expand(text string) error {
	t, addresses, err := parse(text)
	if err == nil {
		err = addresses.checkSize()
	}
	if err != nil {
		return err
	}
	r.left.start(&t, addresses, r.cfg.Ports)
	return nil
}

func (r *Reader) badLine(text []byte, err error) *LineError {
	r.badCount.Add(1)
	return &LineError{File: r.file, Line: r.lines.number, Text: shown(string(text)), Err: err}
}

const maxShown = 200

// shown is the beginning of a line for a message. All before the last @ may be
// userinfo in a line that was not understood, and is hidden.
func shown(text string) string {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		text = text[:min(schemeEnd(text), at)] + "***" + text[at:]
	}
	return strings.Clone(text[:min(len(text), maxShown)])
}

// openNext opens the source whose turn it is; io.EOF when there is none.
func (r *Reader) openNext() error {
	if len(r.waiting) == 0 {
		return io.EOF
	}
	source := r.waiting[0]
	r.waiting = r.waiting[1:]
	opened, err := source.open()
	if err != nil {
		return &SourceError{File: source.name, Err: err}
	}
	r.file, r.closer = source.name, opened
	r.buf.Reset(opened)
	r.lines = lines{buf: r.buf}
	return nil
}

func (r *Reader) closeSource() error {
	if r.closer == nil {
		return nil
	}
	err := r.closer.Close()
	r.closer = nil
	if err != nil {
		return &SourceError{File: r.file, Err: err}
	}
	return nil
}

// Close closes the open source, if any. Afterwards Next returns io.EOF.
func (r *Reader) Close() error {
	r.left, r.waiting = expansion{}, nil
	if r.failed == nil {
		r.failed = io.EOF
	}
	return r.closeSource()
}

// Lines is the number of lines read so far, with blank lines and comments.
func (r *Reader) Lines() uint64 { return r.lineCount.Load() }

// Targets is the number of targets given out so far.
func (r *Reader) Targets() uint64 { return r.targetCount.Load() }

// Duplicates is the number of targets dropped because they were given out before.
func (r *Reader) Duplicates() uint64 { return r.duplicateCount.Load() }

// Excluded is the number of targets left out because of Config.Exclude.
func (r *Reader) Excluded() uint64 { return r.excludedCount.Load() }

// Bad is the number of bad lines so far.
func (r *Reader) Bad() uint64 { return r.badCount.Load() }
