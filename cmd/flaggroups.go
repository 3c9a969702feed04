package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroups gathers a command's flags under headings, for a help that can be read.
type flagGroups struct {
	command *cobra.Command
	titles  []string
	sets    []*pflag.FlagSet
}

// newFlagGroups makes the help of c list its flags by group.
func newFlagGroups(c *cobra.Command) *flagGroups {
	g := &flagGroups{command: c}
	c.Flags().SortFlags = false
	c.SetUsageFunc(func(c *cobra.Command) error {
		_, err := fmt.Fprint(c.OutOrStderr(), g.usage())
		return err
	})
	return g
}

// add calls define with the set of a new group and puts its flags into the command.
func (g *flagGroups) add(title string, define ...func(*pflag.FlagSet)) {
	set := pflag.NewFlagSet(title, pflag.ContinueOnError)
	set.SortFlags = false
	for _, d := range define {
		d(set)
	}
	g.titles = append(g.titles, title)
	g.sets = append(g.sets, set)
	g.command.Flags().AddFlagSet(set)
}

func (g *flagGroups) usage() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", g.command.UseLine())
	if g.command.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", g.command.Example)
	}
	for i, title := range g.titles {
		fmt.Fprintf(&b, "\n%s:\n%s", title, g.sets[i].FlagUsagesWrapped(100))
	}
	b.WriteString(exitStatusHelp)
	return b.String()
}
