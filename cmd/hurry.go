package cmd

import (
	"context"
	"sync/atomic"
	"time"
)

// patience is how long a command that is in a hurry may go on after a signal.
const patience = time.Second

// hurry says that a command is where nothing is lost by an end at once, and where it may hang for ever in a call that no context ends: a
// named pipe is opened or read whose other side nobody has opened.
type hurry struct{ on atomic.Bool }

type hurryKey struct{}

func withHurry(ctx context.Context) (context.Context, *hurry) {
	h := &hurry{}
	return context.WithValue(ctx, hurryKey{}, h), h
}

// inHurry lets a signal end the process, after a moment, until calm is called.
func inHurry(ctx context.Context) (calm func()) {
	h, ok := ctx.Value(hurryKey{}).(*hurry)
	if !ok {
		return func() {}
	}
	h.on.Store(true)
	return func() { h.on.Store(false) }
}
