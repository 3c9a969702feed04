package cmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newManCommand makes the manual of packages, from the same texts as the helps. It is hidden: who installs redial has the
// pages already, or --help.
func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "man folder",
		Short:       "Write man pages into a folder",
		Long:        "Write a man page for redial and for each of its commands into a folder, which is made\nwhere it is missing.",
		Example:     "  redial man /usr/local/share/man/man1",
		Hidden:      true,
		Annotations: map[string]string{exitStatusKey: plainExitStatusHelp},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return fmt.Errorf("%d arguments, expected one: a folder (see %s --help)", len(args), c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("%s: %w, expected a folder to write to", args[0], reason(err))
			}
			return writeManual(c.Root(), args[0])
		},
	}
}

// writeManual writes the page of a command and those below it.
func writeManual(c *cobra.Command, folder string) error {
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
	err := writeWhole(filepath.Join(folder, name), func(w io.Writer) error {
		_, err := io.WriteString(w, manPage(c))
		return err
	})
	if err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			if err := writeManual(sub, folder); err != nil {
				return err
			}
		}
	}
	return nil
}

// manPage is a page in the macros of man(7). It has no date, so that the same source makes the same bytes.
func manPage(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	var b strings.Builder
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"redial %s\" \"redial\"\n", roff(strings.ToUpper(name)), roff(version()))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	line := c.UseLine()
	if c.HasAvailableSubCommands() {
		line = c.CommandPath() + " command [flags]"
	}
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(line))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", paragraphs(c.Long, c.Short))
	manFlags(&b, c)
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(sub.CommandPath()), roff(sub.Short))
			}
		}
	}
	if text := c.Annotations[exitStatusKey]; text != "" {
		_, text, _ = strings.Cut(strings.TrimSpace(text), "\n")
		fmt.Fprintf(&b, ".SH EXIT STATUS\n.nf\n%s.fi\n", verbatim(text))
	}
	if c.HasExample() {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s.fi\n", verbatim(c.Example))
	}
	if c.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(strings.ReplaceAll(c.Parent().CommandPath(), " ", "-")))
	}
	return b.String()
}

// manFlags writes the flags in the order and under the headings of the help.
func manFlags(b *strings.Builder, c *cobra.Command) {
	title := ""
	b.WriteString(".SH OPTIONS\n")
	c.LocalFlags().SortFlags = false
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		if group := f.Annotations[flagGroupKey]; len(group) > 0 && group[0] != title {
			title = group[0]
			fmt.Fprintf(b, ".SS %s\n", roff(title))
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, ".TP\n.B %s", roff(name))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fP", roff(value))
		}
		if !slices.Contains([]string{"", "false", "0", "[]"}, f.DefValue) && !strings.Contains(usage, "(default") {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, "\n%s\n", roff(usage))
	})
}

// roff makes text of one line harmless: a backslash, a hyphen that is to be typed, and a dot that would begin a request.
func roff(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll(text, "-", `\-`)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

func paragraphs(long, short string) string {
	if long == "" {
		long = short
	}
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(long), "\n") {
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	return b.String()
}

func verbatim(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		b.WriteString(roff(line) + "\n")
	}
	return b.String()
}
