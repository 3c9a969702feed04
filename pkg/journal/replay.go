package journal

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/redialscan/redial/pkg/report"
)

// ErrNoEvents is in the chain of the error for a file that does not begin as an events file.
var ErrNoEvents = errors.New("not an events file, expected what redial scan --events has written")

// FormatError says that a file is of a format that this version does not read.
type FormatError struct {
	Format int    // that of the file
	By     string // the version of redial that wrote it
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("events in format %d, written by redial %s; this version reads up to format %d", e.Format, e.By, report.FormatVersion)
}

// Replay passes the events in r to h, which it starts and finishes. onBad, when not nil, hears of each line that is left
// out: a last one that was cut short has [report.ErrTorn] in its chain. The error is [ErrNoEvents], a *[FormatError],
// an error of r, the cause of ctx's end, or what h has to say.
func Replay(ctx context.Context, r io.Reader, h report.Handler, onBad func(*report.LineError)) error {
	d := report.NewDecoder(r)
	first, err := begin(d)
	if err != nil {
		return err
	}
	return report.Run(ctx, h, func(ctx context.Context, emit func(report.Event)) error {
		emit(first)
		for ctx.Err() == nil {
			e, err := d.Next()
			if bad, ok := errors.AsType[*report.LineError](err); ok {
				if onBad != nil {
					onBad(bad)
				}
				continue
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := knownFormat(e); err != nil { // a newer version may have gone on with the scan
				return err
			}
			emit(e)
		}
		return context.Cause(ctx)
	}, nil)
}

// begin reads the event that every events file begins with.
func begin(d *report.Decoder) (*report.Started, error) {
	e, err := d.Next()
	if bad, ok := errors.AsType[*report.LineError](err); ok || errors.Is(err, io.EOF) {
		if ok {
			return nil, fmt.Errorf("%w (%w)", ErrNoEvents, bad)
		}
		return nil, fmt.Errorf("%w (it is empty)", ErrNoEvents)
	}
	if err != nil {
		return nil, err
	}
	started, ok := e.(*report.Started)
	if !ok {
		return nil, fmt.Errorf("%w (it begins with an event %q)", ErrNoEvents, e.Type())
	}
	return started, knownFormat(started)
}

// knownFormat refuses what follows the start of a scan in a format that this version does not read.
func knownFormat(e report.Event) error {
	if started, ok := e.(*report.Started); ok && started.Format > report.FormatVersion {
		return &FormatError{Format: started.Format, By: started.Version}
	}
	return nil
}
