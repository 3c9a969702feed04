package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// Progress is how far the scan of an events file came: which items are finished, and where its hosts stood. An item is
// finished when the file says how it ended, except for those that the end of the scan itself cut off.
// Make one with [Load]; afterwards it does not change, and is safe for concurrent use.
type Progress struct {
	plan
	path string

	whole   targets
	partial map[int64]*items
	hosts   map[string]*report.Transition
	last    time.Time
	sent    int64
	lost    bool // a target has both done items and others
	begun   bool // the file tells of an item, or of a host
	ended   bool // the scan came to its end
	loose   int  // lines that have to go before more is appended
}

// unfinished says that a reason for skipping is the end of the scan and not the item's.
func unfinished(reason string) bool { return reason == "interrupted" || reason == "outage" }

// Load reads the events file of a scan that is to go on. onBad hears of lines that are left out, as with [Replay].
func Load(ctx context.Context, path string, onBad func(*report.LineError)) (*Progress, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no file, expected the events file of a scan: a pipe cannot be resumed", path))
	}
	blank, err := isBlank(f)
	if err != nil {
		return nil, err
	}
	p := &Progress{path: path, partial: make(map[int64]*items), hosts: make(map[string]*report.Transition)}
	if blank {
		return p, nil
	}
	leftOut := 0 // apart from p, which belongs to the handler's goroutine until the end
	err = Replay(ctx, f, collector{p}, func(bad *report.LineError) {
		leftOut++
		if onBad != nil {
			onBad(bad)
		}
	})
	if err != nil {
		return nil, err
	}
	p.loose += leftOut
	return p, nil
}

// isBlank says that a file holds nothing, or a part of its first line: the scan was killed when it had hardly begun.
func isBlank(f io.ReadSeeker) (bool, error) {
	const first = `{"type":"started",`
	line, err := bufio.NewReader(f).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	n := min(len(line), len(first))
	blank := errors.Is(err, io.EOF) && string(line[:n]) == first[:n]
	_, err = f.Seek(0, io.SeekStart)
	return blank, err
}

// collector is the handler that fills a Progress.
type collector struct{ p *Progress }

func (c collector) Start() error  { return nil }
func (c collector) Finish() error { return nil }

func (c collector) Event(e report.Event) error {
	p := c.p
	p.learn(e)
	p.begun = p.begun || e.Type() != report.TypeStarted && e.Type() != report.TypeCheck
	switch e := e.(type) {
	case *report.Started:
		p.ended = false
		p.see(e.Time)
	case *report.Result:
		p.sent += int64(e.Attempts)
		p.see(e.Timestamp)
		p.mark(e.Target, e.Index, e.Index+1, !e.Failed && e.PassedOver == "", e.Failed)
	case *report.Skipped:
		p.see(e.Time)
		if unfinished(e.Reason) {
			p.loose++
			break
		}
		p.mark(e.Target, e.From, e.To, false, true)
		for _, i := range e.Again {
			p.mark(e.Target, i, i+1, false, true)
		}
	case *report.Transition:
		p.see(e.At)
		if before := p.hosts[e.Host]; before == nil || e.Seq > before.Seq {
			p.hosts[e.Host] = e
		}
	case *report.Summary:
		p.sent = e.Sent // it knows of those of skipped items too
		p.ended = e.Interrupted == ""
		p.see(e.Time)
		p.loose++
	}
	return nil
}

func (p *Progress) see(t time.Time) {
	if t.After(p.last) {
		p.last = t
	}
}

// mark notes that items of a target are finished: done with an answer, lost, or neither.
func (p *Progress) mark(target int64, from, to int, done, lost bool) {
	if p.whole.has(target) || from >= to {
		return
	}
	s := p.partial[target]
	if s == nil {
		s = &items{}
		p.partial[target] = s
	}
	for i := from; i < to; i++ {
		s.add(i)
	}
	s.done, s.lost = s.done || done, s.lost || lost
	p.lost = p.lost || s.done && s.lost
	if len(p.checks) > 0 && s.n >= len(p.checks) {
		p.whole.add(target)
		delete(p.partial, target)
	}
}

// Left says what is left of a target, by its place in the input and the number of items that it has: all items from on,
// and those in again, which come before.
func (p *Progress) Left(target int64, all int) (from int, again []int) {
	if p.whole.has(target) {
		return all, nil
	}
	s := p.partial[target]
	if s == nil {
		return 0, nil
	}
	return s.left(all)
}

// Sent is the number of requests that the earlier scan is known to have sent.
func (p *Progress) Sent() int64 { return p.sent }

// Begun says that the file tells of an item or a host. Without that there is nothing to go on with, and what the file says of
// the plan of the scan may be cut short.
func (p *Progress) Begun() bool { return p.begun }

// Ended says that the earlier scan came to its end: nothing is left of it.
func (p *Progress) Ended() bool { return p.ended }

// Incomplete says that a target of which items were done has others that failed or were skipped.
func (p *Progress) Incomplete() bool { return p.lost }

// Hosts gives the last change of each host that ever tripped, and what was left of its cooldown when the earlier scan
// was heard of last.
func (p *Progress) Hosts() iter.Seq2[*report.Transition, time.Duration] {
	return func(yield func(*report.Transition, time.Duration) bool) {
		for h := range maps.Values(p.hosts) {
			left := h.At.Add(time.Duration(h.Cooldown)).Sub(p.last)
			if !yield(h, max(0, left)) {
				return
			}
		}
	}
}

// Events passes on what the file says, without what [Progress.Trim] takes away.
func (p *Progress) Events(pass func(report.Event) error) error {
	f, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer f.Close()
	return Replay(context.Background(), f, passer{pass, false}, nil)
}

// passer passes on all, or what is to stay when the scan goes on.
type passer struct {
	pass func(report.Event) error
	all  bool
}

func (h passer) Start() error  { return nil }
func (h passer) Finish() error { return nil }

func (h passer) Event(e report.Event) error {
	if !h.all && loose(e) {
		return nil
	}
	return h.pass(e)
}

// loose says that an event goes when the scan goes on.
func loose(e report.Event) bool {
	switch e := e.(type) {
	case *report.Summary:
		return true
	case *report.Skipped:
		return unfinished(e.Reason)
	}
	return false
}

// Trim takes out of the file what the end of the earlier scan left there: a last line that was cut short, lines that are
// broken, its summary, and the items that it skipped because it ended. The other lines stay as they are, with what a newer
// version has put into them. The file is replaced as a whole, or not at all.
func (p *Progress) Trim() error {
	if p.loose == 0 {
		return nil
	}
	var files report.Files
	whole, err := files.OpenWhole(p.path, "events file")
	if err != nil {
		return err
	}
	defer whole.Discard()
	if err := p.copyKept(whole); err != nil {
		return err
	}
	return whole.Commit()
}

// copyKept writes the lines that stay.
func (p *Progress) copyKept(w io.Writer) error {
	f, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer f.Close()
	d := report.NewDecoder(f)
	for {
		e, err := d.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if _, bad := errors.AsType[*report.LineError](err); bad || err == nil && loose(e) {
			continue
		}
		if err == nil {
			_, err = w.Write(d.Raw())
		}
		if err == nil {
			_, err = io.WriteString(w, "\n")
		}
		if err != nil {
			return err
		}
	}
}
