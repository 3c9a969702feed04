package cmd

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/redialscan/redial/internal/scan"
	"github.com/redialscan/redial/pkg/journal"
	"github.com/redialscan/redial/pkg/report"
)

// resumeAuto is the value of --resume without a file.
const resumeAuto = "auto"

// keptFor is how long a journal that nobody has named a file for waits for somebody who goes on with it.
const keptFor = 30 * 24 * time.Hour

// heldJournal is the events file that a scan writes, kept from others meanwhile. The zero value is none.
type heldJournal struct {
	lock *journal.Lock
	kept string            // the file, when it is removed at the end of the scan
	left *journal.Progress // what was found in it, when the scan goes on with it and nobody has named it
}

// holdJournal locks the events file, and settles what --resume without a file means: to go on with the file of --events, or
// with the journal of the same inputs in the user's folder, where that is of a scan that did not end; else to begin it.
func (o *scanOptions) holdJournal(ctx context.Context, env Env, opt *scan.Options, screen *screen) (*heldJournal, error) {
	h := &heldJournal{}
	out := &o.output
	path := out.resume
	auto := out.resume == resumeAuto
	switch {
	case auto && out.events == "":
		var err error
		if h.kept, err = o.keptJournal(env, opt); err != nil {
			return nil, err
		}
		path = h.kept
	case auto || path == "":
		path = out.events
	}
	if path == "" {
		return h, nil
	}
	var err error
	if h.lock, err = journal.Acquire(path); errors.Is(err, journal.ErrLocked) {
		return nil, usageErrorf(eventsFlag(out), "%s: %v", path, err)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) { // that is told when the file is opened
		screen.messages.warn("%s is not guarded against another scan that writes it: %v", path, err)
	}
	if !auto {
		return h, nil
	}
	out.resume, out.events = "", path
	var bad []*report.LineError
	h.left, err = unfinished(ctx, path, func(e *report.LineError) { bad = append(bad, e) })
	if err != nil {
		return nil, errors.Join(usageErrorf("resume", "%s: %v", path, reason(err)), h.lock.Release())
	}
	if h.left != nil {
		out.resume, out.events = path, ""
		for _, e := range bad {
			tellScannedAgain(screen, path, e)
		}
		screen.messages.info("goes on with the scan of %s", path)
	}
	return h, nil
}

// eventsFlag is the flag that the events file is from.
func eventsFlag(o *outputOptions) string {
	if o.resume != "" {
		return "resume"
	}
	return "events"
}

// keptJournal is the place of the scan's journal in the user's folder, which is tidied up.
func (o *scanOptions) keptJournal(env Env, opt *scan.Options) (string, error) {
	for _, in := range opt.Started.Inputs {
		if in.Kind == "list" && in.Digest == "" && (in.Name == "-" || exists(in.Name)) {
			return "", usageErrorf("resume", "the list %s is a pipe, which cannot be read again, expected a file", in.Name)
		}
	}
	folder := stateFolder(env)
	if folder == "" {
		return "", usageErrorf("resume", "this user has no folder for it (no HOME, no XDG_STATE_HOME), expected --events FILE beside it")
	}
	shelf := journal.Shelf{Folder: folder}
	if err := shelf.Tidy(time.Now().Add(-keptFor)); err != nil {
		return "", usageErrorf("resume", "%v, expected a folder that can be written, or --events FILE beside it", err)
	}
	return shelf.Path(opt.Started, scan.Places(*opt)), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// unfinished reads the events file of a scan that did not come to its end; nil when there is none.
func unfinished(ctx context.Context, path string, onBad func(*report.LineError)) (*journal.Progress, error) {
	p, err := journal.Load(ctx, path, onBad)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || !p.Begun() || p.Ended() {
		return nil, err
	}
	return p, nil
}

// close lets others have the file. One that only this scan could have gone on with goes with the end of the scan.
func (h *heldJournal) close(ended bool) error {
	var err error
	if ended && h.kept != "" {
		err = os.Remove(h.kept)
	}
	return errors.Join(err, h.lock.Release())
}

// howToGoOn says after an interruption what the events file is good for.
func (o *scanOptions) howToGoOn(ctx context.Context, screen *screen, held *heldJournal) {
	name := cmp.Or(o.output.events, o.output.resume)
	if _, interrupted := errors.AsType[*InterruptError](context.Cause(ctx)); !interrupted {
		return
	}
	switch {
	case held.kept != "":
		screen.messages.warn("the same command goes on from here")
	case name != "":
		screen.messages.warn("the same command with --resume %s goes on from here", name)
	default:
		screen.messages.warn("a scan with --resume could go on from here")
	}
}
