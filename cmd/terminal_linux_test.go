package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/redialscan/redial/internal/lab"
)

// terminal opens a pseudo-terminal: what a program sees, and what a person would.
func terminal(t *testing.T) (program, person *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close() })
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return program, person
}

// A dumb terminal gets status lines, and no escape sequence; any other the bar.
func TestProgressGoesByTheTerminal(t *testing.T) {
	l, err := lab.Start(lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, escapes := range map[string]bool{"dumb": false, "xterm": true} {
		t.Run(name, func(t *testing.T) {
			program, person := terminal(t)
			env := quietEnv(nil, program, program)
			env.Getenv = func(variable string) string {
				if variable == "TERM" {
					return name
				}
				return ""
			}
			if status := Run([]string{"scan", "-u", l.Hosts()[0].URL()}, env); status != 0 {
				t.Errorf("status %d, want 0", status)
			}
			if err := program.Close(); err != nil {
				t.Fatal(err)
			}
			shown, err := io.ReadAll(person)
			if !errors.Is(err, unix.EIO) { // how a terminal ends
				t.Fatal(err)
			}
			if got := bytes.ContainsRune(shown, '\x1b'); got != escapes || !bytes.Contains(shown, []byte("1/1 items")) {
				t.Errorf("shown is %q, want the state of the scan, and escape sequences: %t", shown, escapes)
			}
		})
	}
}
