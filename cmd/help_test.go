package cmd

import (
	"bytes"
	"strings"
	"testing"
)

// Every command, also one that comes later, has a help that fits a terminal, with its exit statuses.
func TestEveryCommandHasAHelp(t *testing.T) {
	for _, c := range withBelow(newRootCommand(testEnv(t))) {
		if c.Name() == "help" || strings.HasPrefix(c.Name(), "__") {
			continue // the library's own
		}
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		var stdout, stderr bytes.Buffer
		if status := Run(args, quietEnv(strings.NewReader(""), &stdout, &stderr)); status != StatusOK || stderr.Len() > 0 {
			t.Errorf("%s: status %d, said %s", args, status, &stderr)
		}
		text := stdout.String()
		if !strings.Contains(text, "Usage:\n  redial ") || !strings.Contains(text, "\nEXIT STATUS\n  0 ") {
			t.Errorf("%s: no usage or no exit statuses in\n%s", args, text)
		}
		for line := range strings.Lines(text) {
			if len(line) > helpWidth+1 {
				t.Errorf("%s: wider than %d: %s", args, helpWidth, line)
			}
		}
	}
}
