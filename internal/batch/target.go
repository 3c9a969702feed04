package batch

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/redialscan/redial/internal/scan"
	"github.com/redialscan/redial/pkg/cluster"
	"github.com/redialscan/redial/pkg/hostkey"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/target"
)

// line is a target on its way from one process to another. It holds its credentials, which the target itself keeps out of JSON.
type line struct {
	Input  string        `json:"input,omitempty"`
	Host   string        `json:"host"`
	Path   string        `json:"path,omitempty"`
	User   string        `json:"user,omitempty"`
	Port   uint16        `json:"port,omitempty"`
	Scheme target.Scheme `json:"scheme,omitempty"`
}

// Line writes a target for [cluster.Target]. Credentials are in it.
func Line(t target.Target) (json.RawMessage, error) {
	return json.Marshal(line{Input: t.Input, Host: t.Host, Path: t.Path, User: t.User, Port: t.Port, Scheme: t.Scheme})
}

func parseLine(text json.RawMessage) (target.Target, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return target.Target{}, err
	}
	if host, err := hostkey.Host(l.Host); err != nil || host != l.Host {
		return target.Target{}, fmt.Errorf("host %.80q, expected one in its canonical form", l.Host)
	}
	if l.Scheme > target.SchemeHTTPS {
		return target.Target{}, fmt.Errorf("scheme %d, expected 0 to %d", l.Scheme, target.SchemeHTTPS)
	}
	return target.Target{Input: l.Input, Host: l.Host, Path: l.Path, User: l.User, Port: l.Port, Scheme: l.Scheme}, nil
}

// work is what a batch holds, as a scan reads it. It is used by the scan's reader alone.
type work struct {
	targets []target.Target
	numbers []int64 // of the targets in the whole scan
	next    int
	left    map[int64]*cluster.Target
	hosts   int
}

func newWork(b *cluster.Batch) (*work, error) {
	w := &work{left: make(map[int64]*cluster.Target, len(b.Targets))}
	keys := make(map[string]struct{})
	for i := range b.Targets {
		t := &b.Targets[i]
		parsed, err := parseLine(t.Line)
		if err != nil {
			return nil, fmt.Errorf("target %d: %w", t.Index, err)
		}
		w.targets, w.numbers = append(w.targets, parsed), append(w.numbers, t.Index)
		w.left[t.Index] = t
		keys[t.Key] = struct{}{}
	}
	w.hosts = len(keys)
	return w, nil
}

// Next implements [scan.Targets].
func (w *work) Next() (target.Target, error) {
	if w.next == len(w.targets) {
		return target.Target{}, io.EOF
	}
	w.next++
	return w.targets[w.next-1], nil
}

func (w *work) index(n int64) int64 { return w.numbers[n] }

// Left implements [scan.Left].
func (w *work) Left(number int64, all int) (from int, again []int) {
	t := w.left[number]
	if t == nil {
		return all, nil
	}
	return t.From, t.Again
}

// Name says of items that were skipped elsewhere than in a scan which target they are of.
func Name(t cluster.Target, s *report.Skipped) {
	if parsed, err := parseLine(t.Line); err == nil {
		s.URL, s.Input = parsed.URL(), parsed.Input
	}
}

// Feed gives the targets of a list to a coordinator, numbered from 0. It is used by one goroutine.
type Feed struct {
	From scan.Targets
	read int64
}

// Next gives the next target, and io.EOF after the last one.
func (f *Feed) Next() (cluster.Target, error) {
	t, err := f.From.Next()
	if err != nil {
		return cluster.Target{}, err
	}
	text, err := Line(t)
	if err != nil {
		return cluster.Target{}, err
	}
	f.read++
	return cluster.Target{Index: f.read - 1, Key: t.Key(), Line: text}, nil
}
