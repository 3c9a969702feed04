package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
)

func TestStatusOf(t *testing.T) {
	incomplete := &StatusError{Status: StatusIncomplete, Err: errors.New("left out")}
	for _, c := range []struct {
		name string
		err  error
		want int
		text string
	}{
		{"nothing", nil, 0, ""},
		{"not known", errors.New("no such file"), 2, "no such file"},
		{"a status", incomplete, 3, "left out"},
		{"a status inside", fmt.Errorf("scan: %w", incomplete), 3, "scan: left out"},
		{"a status and no words", &StatusError{Status: StatusFindings}, 1, ""},
		{"Ctrl-C", &InterruptError{Signal: os.Interrupt}, 130, "interrupted"},
		{"terminated", &InterruptError{Signal: syscall.SIGTERM}, 143, "terminated"},
		{"hung up", &InterruptError{Signal: syscall.SIGHUP}, 129, "stopped: the terminal was closed"},
		{"nobody reads", &InterruptError{Signal: syscall.SIGPIPE}, 141, "stopped: the reader of standard output has left"},
		{"interrupted outranks", errors.Join(incomplete, &InterruptError{Signal: os.Interrupt}), 130, "left out\ninterrupted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := statusOf(c.err); got != c.want {
				t.Errorf("status %d, want %d", got, c.want)
			}
			if got := explain(c.err); got != c.text {
				t.Errorf("said %q, want %q", got, c.text)
			}
		})
	}
}

func TestJoinedErrorsAreSaidOneByOne(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, "[<nil>]"}, {a, "[a]"}, {errors.Join(a, errors.Join(b, c)), "[a b c]"}, {fmt.Errorf("%w (%w)", a, b), "[a (b)]"},
		{fmt.Errorf("x: %w", errors.Join(a, b)), "[x: a\nb]"},
	} {
		if got := fmt.Sprint(joined(tt.err)); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestFirstSignalIsTheCause(t *testing.T) {
	for sig, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		env, signals := testEnv(t), make(chan os.Signal, 1)
		env.Signals = func() (<-chan os.Signal, func()) { return signals, func() {} }
		err := env.interruptible(func(ctx context.Context) error {
			if ctx.Err() != nil {
				t.Error("the context has ended before a signal")
			}
			signals <- sig
			<-ctx.Done()
			return context.Cause(ctx)
		})
		interrupted, ok := errors.AsType[*InterruptError](err)
		if !ok || interrupted.Signal != sig || statusOf(err) != want {
			t.Errorf("%v: got %v with status %d, want %d", sig, err, statusOf(err), want)
		}
	}
}

func TestSecondSignalEndsTheProcess(t *testing.T) {
	env, signals, exits := testEnv(t), make(chan os.Signal, 2), make(chan int, 1)
	env.Signals = func() (<-chan os.Signal, func()) { return signals, func() {} }
	env.Exit = func(status int) { exits <- status }
	err := env.interruptible(func(ctx context.Context) error {
		signals <- os.Interrupt
		<-ctx.Done()
		signals <- syscall.SIGTERM // while the command still tidies up
		if status := <-exits; status != StatusTerminated {
			t.Errorf("ended with %d, want %d", status, StatusTerminated)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestListeningForSignalsEnds(t *testing.T) {
	env, stopped := testEnv(t), false
	env.Signals = func() (<-chan os.Signal, func()) { return nil, func() { stopped = true } }
	func() {
		defer func() {
			if got := recover(); got != "a bug" {
				t.Errorf("recovered %v: a panic must stay one", got)
			}
		}()
		_ = env.interruptible(func(context.Context) error { panic("a bug") })
	}()
	if !stopped {
		t.Error("a panic left the signals caught")
	}
}

// The demo is a scan: being stopped is not its end.
func TestInterruptedDemo(t *testing.T) {
	for sig, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		p := start(t, "demo")
		p.until("A lab of")
		if status := p.end(sig); status != want {
			t.Errorf("%v: status %d, want %d", sig, status, want)
		}
	}
}
