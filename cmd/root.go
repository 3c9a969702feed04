package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/redialscan/redial/pkg/report"
)

// Run runs redial with the arguments after its name and returns the exit status.
func Run(args []string, env Env) int {
	root := rootFor(env, args)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // a shell asks; every other start is spared it
		for _, c := range withBelow(root) {
			suggest(c)
		}
	}
	root.SetArgs(doubleDashes(root, args))
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := env.interruptible(func(ctx context.Context) error { return root.ExecuteContext(ctx) })
	for _, one := range joined(err) {
		if text := explain(one); text != "" {
			fmt.Fprintln(env.Stderr, "redial:", report.Sanitize(text))
		}
	}
	return statusOf(err)
}

// rootFor is the program for these arguments. A scan starts without the other commands: their hundreds of flags would cost it
// milliseconds before its first request.
func rootFor(env Env, args []string) *cobra.Command {
	if len(args) > 0 && args[0] == scanName {
		root := newBareRoot()
		root.AddCommand(newScanCommand(env))
		return root
	}
	return newRootCommand(env)
}

func newRootCommand(env Env) *cobra.Command {
	root := newBareRoot()
	root.AddCommand(newScanCommand(env), newServeCommand(env), newWorkerCommand(env), newWorkersCommand(env), newChecksCommand(env),
		newReportCommand(env), newConfigCommand(env), newDemoCommand(env), newLabCommand(env), newCompletionCommand(env),
		newManCommand(), newVersionCommand(env))
	return root
}

// newBareRoot is the program without its commands.
func newBareRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "redial",
		Short: "A scanner that hangs up on dead hosts and calls them back",
		Long: `redial scans long lists of hosts. One that stops answering is quarantined, called
again after a cooldown, and gets the rest of its checks when it comes back. Every
item is accounted for: done, failed, or skipped with the reason.`,
		Version:       version(),
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		Annotations:   map[string]string{exitStatusKey: exitStatusHelp},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return c.Help()
		},
	}
	root.SetVersionTemplate("redial {{.Version}}\n")
	root.SetFlagErrorFunc(flagMistake)
	setHelp(root)
	return root
}

// joined gives the errors that were joined to one, each to be said on a line of its own.
func joined(err error) []error {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(several.Unwrap()...).Error() != err.Error() {
		return []error{err}
	}
	var all []error
	for _, one := range several.Unwrap() {
		all = append(all, joined(one)...)
	}
	return all
}

// explain is what is said on standard error about the end of a command.
func explain(err error) string {
	if err == nil {
		return ""
	}
	if status, ok := errors.AsType[*StatusError](err); ok && status.Err == nil {
		return ""
	}
	return err.Error()
}

// withBelow gives all commands below c.
func withBelow(c *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, sub := range c.Commands() {
		all = append(append(all, sub), withBelow(sub)...)
	}
	return all
}
