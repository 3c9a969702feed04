package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/redialscan/redial/pkg/report"
)

// Run runs redial with the arguments after its name and returns the exit status.
func Run(args []string, env Env) int {
	root := newRootCommand(env)
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := env.interruptible(func(ctx context.Context) error { return root.ExecuteContext(ctx) })
	if text := explain(err); text != "" {
		fmt.Fprintln(env.Stderr, "redial:", report.Sanitize(text))
	}
	return statusOf(err)
}

func newRootCommand(env Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "redial",
		Short: "A scanner that hangs up on dead hosts and calls them back",
		Long: `redial scans long lists of hosts. One that stops answering is quarantined, called
again after a cooldown, and gets the rest of its checks when it comes back. Every
item is accounted for: done, failed, or skipped with the reason.`,
		Version:                    version(),
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		CompletionOptions:          cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetVersionTemplate("redial {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return suggestFlag(c, err) })
	root.AddCommand(newScanCommand(env), newDemoCommand(env), newLabCommand(env), newVersionCommand(env))
	return root
}

// explain is what is said on standard error about the end of a command. An interrupted scan has said it in its summary.
func explain(err error) string {
	if err == nil {
		return ""
	}
	var status *StatusError
	if errors.As(err, &status) && status.Err == nil {
		return ""
	}
	return err.Error()
}

// suggestFlag adds the name that was probably meant to an error about an unknown flag.
func suggestFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return fmt.Errorf("%w (see %s --help)", err, c.CommandPath())
	}
	typed := unknown.GetSpecifiedName()
	var best string
	least := 3
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if d := distance(typed, f.Name); d < least {
			best, least = f.Name, d
		} else if best == "" && len(typed) > 3 && strings.HasPrefix(f.Name, typed) {
			best = f.Name
		}
	})
	if best == "" {
		return fmt.Errorf("%w (see %s --help)", err, c.CommandPath())
	}
	return fmt.Errorf("%w, did you mean --%s?", err, best)
}

// distance is the edit distance of Levenshtein between two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
