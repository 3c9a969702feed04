package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/redialscan/redial/pkg/report"
)

func newConfigCommand(env Env) *cobra.Command {
	c := &cobra.Command{
		Use:         "config",
		Short:       "What flags are in force, and where from",
		GroupID:     groupOther,
		Args:        noArguments,
		Annotations: map[string]string{exitStatusKey: plainExitStatusHelp},
		RunE:        func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddGroup(&cobra.Group{ID: groupOther, Title: "Commands"})
	c.AddCommand(newConfigShowCommand(env))
	return c
}

func newConfigShowCommand(env Env) *cobra.Command {
	var o scanOptions
	c := &cobra.Command{
		Use:   "show",
		Short: "Print the flags of a scan that are in force, and where from",
		Long: `Print the flags of redial scan with the values that are in force, and where each is
from: a flag, the environment, the file, or the default.

A flag that is typed outranks the environment, where --max-host-error is
REDIAL_MAX_HOST_ERROR, and that the file: YAML with the long names of flags,
config.yaml in the folder redial of $XDG_CONFIG_HOME (by default ~/.config, on macOS
~/Library/Application Support, on Windows %AppData%), or --config. What is printed may
serve as such a file; what stands at its default is a comment in it, and secrets are not
told.`,
		Example: `  redial config show
  REDIAL_RATE_LIMIT=50 redial config show --config ci.yaml --timeout 5s`,
		GroupID:     groupOther,
		Args:        noArguments,
		Annotations: map[string]string{exitStatusKey: plainExitStatusHelp},
	}
	o.addFlags(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := o.settings.apply(c.Flags(), env); err != nil {
			return err
		}
		for _, warning := range o.settings.warnings {
			fmt.Fprintln(env.Stderr, "redial:", report.Sanitize(warning))
		}
		text, err := o.settings.show(c.Flags(), cmp.Or(o.settings.file, configFile(env)))
		if err != nil {
			return err
		}
		_, err = env.Stdout.Write(text)
		return err
	}
	return c
}

// show prints the flags as YAML: those that stand at their default as comments, so that the text may serve as a file.
func (s *settings) show(flags *pflag.FlagSet, file string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# file: %s\n", cmp.Or(report.Sanitize(file), "none"))
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		if !settable(f.Name) || f.Hidden || failed != nil {
			return
		}
		value := &yaml.Node{}
		if failed = value.Encode(shownValue(f)); failed != nil {
			return
		}
		if value.Kind == yaml.SequenceNode {
			value.Style = yaml.FlowStyle
		}
		source := s.sources[f.Name]
		value.LineComment = report.Sanitize(source)
		pair := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: f.Name}, value}}
		line, err := yaml.Marshal(pair)
		if failed = err; source == "" {
			b.WriteString("# ")
		}
		b.Write(line)
	})
	return b.Bytes(), failed
}

// shownValue is a flag's value without what is secret in it.
func shownValue(f *pflag.Flag) any {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		shown := []string{}
		for _, value := range list.GetSlice() {
			shown = append(shown, withoutSecret(f.Name, value))
		}
		return shown
	}
	switch text := f.Value.String(); f.Value.Type() {
	case "bool":
		return text == "true"
	case "int", "uint64", "float64":
		return yamlNumber(text)
	default:
		return withoutSecret(f.Name, text)
	}
}

// yamlNumber is a number as it stands, not as text in quotes.
type yamlNumber string

// MarshalYAML implements yaml.Marshaler.
func (n yamlNumber) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(n)}, nil
}

// withoutSecret hides what a value may have that is nobody's business: of headers and variables all but the name, bodies, and
// passwords of proxies and targets.
func withoutSecret(flag, value string) string {
	const hidden = "***"
	if value == "" {
		return ""
	}
	switch flag {
	case "header":
		return nameAlone(value, ":", ": "+hidden, hidden)
	case "var":
		return nameAlone(value, "=", "="+hidden, hidden)
	case "body":
		return hidden
	case "proxy":
		if u, err := url.Parse(value); err == nil && strings.Contains(value, "://") {
			return u.Redacted()
		}
		return withoutUser(value)
	case "target":
		return withoutUser(value)
	}
	return value
}

// nameAlone gives what stands before the separator, with a tail; all of a value without one may be secret.
func nameAlone(value, separator, tail, otherwise string) string {
	if name, _, ok := strings.Cut(value, separator); ok {
		return name + tail
	}
	return otherwise
}
