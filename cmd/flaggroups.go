package cmd

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroups gathers a command's flags under headings, for a help that can be read.
type flagGroups struct {
	command *cobra.Command
	groups  []flagGroup
}

// newFlagGroups makes the help of c list its flags by group.
func newFlagGroups(c *cobra.Command) *flagGroups {
	g := &flagGroups{command: c}
	c.Flags().SortFlags = false
	c.SetUsageFunc(func(c *cobra.Command) error {
		_, err := fmt.Fprint(c.OutOrStderr(), usage(c, g.groups))
		return err
	})
	return g
}

// flagGroupKey is the annotation of a flag with the heading that it stands under.
const flagGroupKey = "redial-group"

// add calls define with the set of a new group and puts its flags into the command.
func (g *flagGroups) add(title string, define ...func(*pflag.FlagSet)) {
	set := pflag.NewFlagSet(title, pflag.ContinueOnError)
	set.SortFlags = false
	for _, d := range define {
		d(set)
	}
	set.VisitAll(func(f *pflag.Flag) {
		if f.Annotations == nil {
			f.Annotations = make(map[string][]string)
		}
		f.Annotations[flagGroupKey] = []string{title}
	})
	g.groups = append(g.groups, flagGroup{title, set})
	g.command.Flags().AddFlagSet(set)
}
