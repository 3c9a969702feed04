package cmd

import (
	"encoding/csv"
	"strings"

	"github.com/spf13/pflag"
)

// listValue is a flag that may be given several times. Unlike the lists of pflag it costs next to nothing until it is set:
// those write their default as CSV, each through a buffer of its own, at every start of the program.
type listValue struct {
	values *[]string
	split  bool // a value is itself a list, by commas
	set    bool
}

// listVar defines a flag that is given once for each value.
func listVar(fs *pflag.FlagSet, values *[]string, name, letter, usage string) {
	fs.VarP(&listValue{values: values}, name, letter, usage)
}

// commaListVar defines a flag whose values are separated by commas, and that may be given several times.
func commaListVar(fs *pflag.FlagSet, values *[]string, name, letter, usage string) {
	fs.VarP(&listValue{values: values, split: true}, name, letter, usage)
}

// String is for people; "" for an empty list keeps it out of the help as a default.
func (l *listValue) String() string {
	if l.values == nil {
		return ""
	}
	return strings.Join(*l.values, ",")
}

// Type names the value in helps.
func (l *listValue) Type() string { return "strings" }

// Set replaces the default by the first value, and appends the others.
func (l *listValue) Set(text string) error {
	values, err := l.parse(text)
	if err != nil {
		return err
	}
	if !l.set {
		*l.values = nil
	}
	l.set = true
	*l.values = append(*l.values, values...)
	return nil
}

// parse gives the values in a flag's text. Those with commas in them stand in quotes, as in CSV.
func (l *listValue) parse(text string) ([]string, error) {
	if !l.split {
		return []string{text}, nil
	}
	if text == "" {
		return nil, nil
	}
	return csv.NewReader(strings.NewReader(text)).Read()
}

// Append implements pflag.SliceValue.
func (l *listValue) Append(text string) error {
	*l.values = append(*l.values, text)
	return nil
}

// Replace implements pflag.SliceValue.
func (l *listValue) Replace(all []string) error {
	*l.values = all
	return nil
}

// GetSlice implements pflag.SliceValue.
func (l *listValue) GetSlice() []string { return *l.values }
