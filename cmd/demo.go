package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/redialscan/redial/internal/lab"
)

// demoPaths are few and known to the lab's healthy hosts, but for one.
const demoPaths = "/,/admin,/login,/robots.txt,/status,/backup.zip"

func newDemoCommand(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Start a small lab of healthy, flaky, refusing and silent hosts, and scan it",
		Long: `Start a small lab on loopback, with hosts that are healthy, refusing, silent, or away
for some seconds, and scan it with a cooldown short enough to watch: hosts trip, are
called back, and those that recover get the rest of their checks.`,
		GroupID:     groupTry,
		Args:        noArguments,
		Annotations: map[string]string{exitStatusKey: exitStatusHelp},
		RunE:        func(c *cobra.Command, _ []string) error { return demo(c.Context(), env) },
	}
}

func demo(ctx context.Context, env Env) error {
	l, err := lab.Start(lab.Config{
		Counts:    map[lab.Kind]int{lab.Healthy: 5, lab.Flaky: 2, lab.Refusing: 2, lab.Silent: 1},
		FlakyDown: 4 * time.Second,
	})
	if err != nil {
		return err
	}
	defer l.Close()
	fmt.Fprintf(env.Stderr, "A lab of %d hosts listens on loopback: 5 healthy, 2 that are away for 4 s, 2 that refuse, 1 that is silent.\n"+
		"redial asks each for 6 paths. Three errors in a row open a host's breaker; it is called again after 2 s, 4 s, ...\n\n", len(l.Hosts()))

	var list strings.Builder
	if err := l.WriteList(&list); err != nil {
		return err
	}
	env.Stdin = strings.NewReader(list.String())
	env.Getenv, env.Environ = unconfigured(env.Getenv), nil // the demo is the same for everybody
	scan := newScanCommand(env)
	scan.SetArgs([]string{
		"-l", "-", "--path", demoPaths, "-v", "--no-progress",
		"--timeout", "1s", "--retries", "0", "--cooldown", "2s", "--max-trips", "3", "--linger", "9s",
		"--max-skipped", "30",
	})
	if err := scan.ExecuteContext(ctx); err != nil {
		return err
	}
	fmt.Fprint(env.Stderr, `
What you saw: the healthy hosts were done at once. The others tripped after three errors and were left alone, so
they cost no more requests. Each was called back when its cooldown was over: the two that had come back recovered
and got all their checks, the items that had failed before included. The rest was given up and is accounted for.
`)
	return nil
}

// unconfigured is an environment that says how to print, and nothing of scans.
func unconfigured(getenv func(string) string) func(string) string {
	return func(name string) string {
		if name == "NO_COLOR" || name == "TERM" {
			return getenv(name)
		}
		return ""
	}
}
