package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Env is all that a command has of the world around it.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Environ        func() []string // nil = not known
	// Signals gives the signals that ask the command to stop, and a function that ends the listening.
	Signals func() (<-chan os.Signal, func())
	// BrokenPipes makes a write to a pipe whose reader left an error instead of the end of the process, until the function
	// that it gives is called.
	BrokenPipes func() func()
	// Exit ends the process at once, for a person who asks a second time.
	Exit func(status int)
}

// OSEnv is the world of a real process.
func OSEnv() Env {
	return Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Environ: os.Environ, Exit: os.Exit,
		Signals: func() (<-chan os.Signal, func()) {
			ch := make(chan os.Signal, 2)
			signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
			if !signal.Ignored(syscall.SIGHUP) { // as nohup does, so that work goes on after the terminal is closed
				signal.Notify(ch, syscall.SIGHUP)
			}
			return ch, func() { signal.Stop(ch) }
		},
		BrokenPipes: func() func() {
			signal.Ignore(syscall.SIGPIPE)
			return func() { signal.Reset(syscall.SIGPIPE) }
		},
	}
}

// interruptible calls run with a context that the first signal ends, with an *InterruptError as the cause. A second
// signal ends the process, and so does the first one where run is in a hurry and does not return.
func (env Env) interruptible(run func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	ctx, hurry := withHurry(ctx)
	signals, stop := env.Signals()
	defer stop()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		var first *InterruptError
		var late <-chan time.Time
		for {
			select {
			case sig := <-signals:
				interrupted := &InterruptError{Signal: sig}
				if ctx.Err() != nil {
					env.Exit(interrupted.Status())
				}
				cancel(interrupted)
				first, late = interrupted, time.After(patience)
			case <-late:
				if hurry.on.Load() {
					fmt.Fprintln(env.Stderr, "redial:", first)
					env.Exit(first.Status())
				}
			case <-done:
				return
			}
		}
	}()
	defer func() {
		close(done)
		<-ended
	}()
	return run(ctx)
}
