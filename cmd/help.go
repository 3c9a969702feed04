package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups of commands in the help of redial, in order.
const (
	groupScan  = "scan"
	groupTry   = "try"
	groupOther = "other"
)

func commandGroups() []*cobra.Group {
	return []*cobra.Group{
		{ID: groupScan, Title: "Scanning"},
		{ID: groupTry, Title: "Trying it out, on this machine alone"},
		{ID: groupOther, Title: "Other commands"},
	}
}

// exitStatusKey is the annotation of a command with the EXIT STATUS block of its help.
const exitStatusKey = "exit-status"

// helpWidth is where the descriptions of flags are wrapped.
const helpWidth = 100

// flagGroup is some flags of a command under one heading.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// setHelp gives root, and with it all commands, helps of one layout.
func setHelp(root *cobra.Command) {
	root.AddGroup(commandGroups()...)
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := fmt.Fprint(c.OutOrStderr(), usage(c, []flagGroup{{"Flags", c.LocalFlags()}}))
		return err
	})
	root.SetHelpCommand(&cobra.Command{
		Use:     "help [command]",
		Short:   "Help about redial or a command",
		GroupID: groupOther,
		ValidArgsFunction: func(_ *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return commandNames(root), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c, _, err := root.Find(args)
			if err != nil || c == root && len(args) > 0 {
				return unknownCommand(root, args[0])
			}
			c.InitDefaultHelpFlag()
			c.InitDefaultVersionFlag()
			return c.Help()
		},
	})
}

// usage is the help of a command below its description.
func usage(c *cobra.Command, flags []flagGroup) string {
	var b strings.Builder
	line := c.UseLine()
	if c.HasAvailableSubCommands() {
		line = c.CommandPath() + " command [flags]"
	}
	fmt.Fprintf(&b, "Usage:\n  %s\n", line)
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	for _, g := range c.Groups() {
		fmt.Fprintf(&b, "\n%s:\n%s", g.Title, commandLines(c, g.ID))
	}
	for _, g := range flags {
		if g.flags.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(helpWidth))
		}
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\"%s command --help\" says more about a command.\n", c.CommandPath())
	}
	b.WriteString(c.Annotations[exitStatusKey])
	return b.String()
}

// commandLines lists the commands of a group.
func commandLines(c *cobra.Command, group string) string {
	var b strings.Builder
	for _, sub := range c.Commands() {
		if sub.GroupID == group && (sub.IsAvailableCommand() || sub.Name() == "help") {
			fmt.Fprintf(&b, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
		}
	}
	return b.String()
}
