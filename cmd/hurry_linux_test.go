package cmd

import (
	"os"
	"testing"
)

// A signal ends what opens a named pipe whose other side nobody opens, though no context reaches such a call.
func TestInterruptedWhereNobodyOpensTheOtherSide(t *testing.T) {
	for name, args := range map[string][]string{
		"results":         {"scan", "-u", "127.0.0.1:1", "-o"},
		"excluded":        {"scan", "-u", "127.0.0.1:1", "--exclude"},
		"config":          {"scan", "-u", "127.0.0.1:1", "--config"},
		"shared excluded": {"serve", "-u", "127.0.0.1:1", "--exclude"},
		"shared config":   {"serve", "-u", "127.0.0.1:1", "--config"},
		"shared secret":   {"serve", "-u", "127.0.0.1:1", "--token-file"},
		"worker's secret": {"worker", "--token-file"},
		"secret to list":  {"workers", "--token-file"},
		"report":          {"report"},
		"lab":             {"lab", "--healthy", "1", "--list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pipe := namedPipe(t)
			signals, exit, status := make(chan os.Signal, 1), make(chan int, 1), make(chan int, 1)
			env := testEnv(t)
			env.Signals = func() (<-chan os.Signal, func()) { return signals, func() {} }
			env.Exit = func(status int) { exit <- status }
			go func() { status <- Run(append(args, pipe), env) }()
			signals <- os.Interrupt
			if got := <-exit; got != StatusInterrupted {
				t.Errorf("ended with %d, want %d", got, StatusInterrupted)
			}
			// A process would be gone; here it hangs until somebody opens the other side.
			other, err := os.OpenFile(pipe, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := other.Close(); err != nil {
				t.Error(err)
			}
			<-status
		})
	}
}
