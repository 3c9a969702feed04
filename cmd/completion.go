package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/flow"
)

// shells are those that completions are made for.
func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

func newCompletionCommand(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "completion shell",
		Short: "Print the completions of a shell: " + strings.Join(shells(), ", "),
		Long: `Print a script that completes commands, flags and their values in a shell: bash, zsh,
fish or powershell. The package of a system has it installed already.`,
		Example: `  redial completion bash > /etc/bash_completion.d/redial
  redial completion zsh > "${fpath[1]}/_redial"
  redial completion fish > ~/.config/fish/completions/redial.fish
  redial completion powershell >> $PROFILE`,
		GroupID:     groupOther,
		ValidArgs:   shells(),
		Annotations: map[string]string{exitStatusKey: plainExitStatusHelp},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%d arguments, expected one: %s (see %s --help)", len(args), strings.Join(shells(), ", "), c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return completion(c.Root(), env.Stdout, args[0]) },
	}
}

// completion writes the script of a shell.
func completion(root *cobra.Command, w io.Writer, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	if meant := nearest(shell, shells()); meant != "" {
		return fmt.Errorf("no completions for %q, did you mean %s?", shell, meant)
	}
	return fmt.Errorf("no completions for %q, expected one of %s", shell, strings.Join(shells(), ", "))
}

// suggest gives the flags of a command the values that a shell can offer. A flag that it does not have is passed over: several
// commands share some of these. What is not listed here is a file, or free text.
func suggest(c *cobra.Command) {
	formats := reportFormats()
	for i := range formats {
		formats[i] += "="
	}
	severities := severityNames()
	for name, offer := range map[string]cobra.CompletionFunc{
		"report":           cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp),
		"fail-on":          oneOf(severities...),
		"severity":         listOf(severities...),
		"exclude-severity": listOf(severities...),
		"type":             listOf("http", "ssl", "tcp", "dns"),
		"fields":           listOf(fieldNames()...),
		"rate-mode":        oneOf(flow.Queue.String(), flow.WarmUp.String(), flow.WarmUpQueue.String(), flow.Reject.String()),
		"method":           oneOf("GET", "HEAD", "POST", "PUT", "OPTIONS"),
		"ip-version":       oneOf("4", "6"),
		"templates":        cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt),
		"config":           cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt),
		"store-responses":  cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
	} {
		if c.Flags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, offer) // fails for a flag that is not there, or for the second time
		}
	}
	for _, name := range []string{"target", "header", "body", "var", "user-agent", "proxy", "metrics-addr", "ports", "tags", "exclude-tags", "id", "exclude-id", "author"} {
		if c.Flags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
		}
	}
}

// severityNames are the severities from the lowest to the highest.
func severityNames() []string {
	var names []string
	for s := check.SeverityInfo; s <= check.SeverityCritical; s++ {
		names = append(names, s.String())
	}
	return names
}

func oneOf(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// listOf completes the last part of a comma list, without what stands in it.
func listOf(values ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var offers []cobra.Completion
		for _, v := range values {
			if !strings.Contains(","+before, ","+v+",") {
				offers = append(offers, before+v)
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}
