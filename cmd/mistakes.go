package cmd

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// farthest is how many letters a word may differ from the one that was probably meant.
const farthest = 2

// noArguments is for the commands, all of which take flags only. What stands there is a target that lacks its -u,
// or a value that was cut off from its flag.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see " + c.CommandPath() + " --help"
	if c.Flags().Lookup("target") != nil {
		hint = "expected -u in front of a target"
	}
	return fmt.Errorf("%s takes flags only, not the argument %q (%s)", c.CommandPath(), args[0], hint)
}

// commandNames are those that the help lists.
func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// unknownCommand is the error about a word that is no command of root.
func unknownCommand(root *cobra.Command, word string) error {
	names := commandNames(root)
	if meant := nearest(word, names); meant != "" {
		return fmt.Errorf("unknown command %q, did you mean %s?", word, meant)
	}
	return fmt.Errorf("unknown command %q, expected one of %s", word, strings.Join(names, ", "))
}

// flagMistake says what is wrong with a flag in our words, and what was probably meant.
func flagMistake(c *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	if word := c.Flags().Arg(0); word != "" && c.HasSubCommands() { // its flags are not at fault
		return unknownCommand(c, word)
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		word := unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); len(letters) > farthest { // a long name after one dash
			word = letters
		}
		if other := elsewhere(word); other != "" && c.Flags().Lookup("match-status") != nil {
			if why, none := strings.CutPrefix(other, nothing); none {
				return fmt.Errorf("%w, and nothing here does its work: %s", err, why)
			}
			return fmt.Errorf("%w, expected %s", err, other)
		}
		if meant := nearest(word, flagNames(c)); meant != "" {
			return fmt.Errorf("%w, did you mean --%s?", err, meant)
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return fmt.Errorf("--%s: %q, %w", invalid.GetFlag().Name, invalid.GetValue(), expectation(invalid))
	}
	return fmt.Errorf("%w (see %s --help)", err, c.CommandPath())
}

// expectation replaces what strconv says by what a person can use; our own values say it themselves.
func expectation(invalid *pflag.InvalidValueError) error {
	number, ok := errors.AsType[*strconv.NumError](invalid)
	switch {
	case !ok:
		return invalid.Unwrap()
	case errors.Is(number, strconv.ErrRange):
		return errors.New("expected a smaller number")
	}
	switch kind := invalid.GetFlag().Value.Type(); {
	case strings.HasPrefix(kind, "int"):
		return errors.New("expected a whole number")
	case strings.HasPrefix(kind, "uint"):
		return errors.New("expected a whole number, 0 or more")
	case kind == "bool":
		return errors.New("expected true or false")
	}
	return errors.New("expected a number")
}

func flagNames(c *cobra.Command) []string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// nearest gives the name that a mistyped word was probably meant to be: the one that the fewest letters part from it,
// where a name that goes on after the word counts as one letter away; "" when there is none.
func nearest(word string, names []string) string {
	best, least := "", min(farthest, len(word)-1)+1
	for _, name := range names {
		d := distance(word, name)
		if len(word) > farthest && strings.HasPrefix(name, word) {
			d = min(d, 1)
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is the edit distance of Levenshtein between two names, where a swap of neighbours counts as one.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			substitute := row[j]
			if a[i] != b[j] {
				substitute++
			}
			next[j+1] = min(substitute, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
