package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/report"
)

// checkOptions say which templates are run.
type checkOptions struct {
	templates []string
	selection check.Selection
	vars      []string
	noShared  bool
}

func (o *checkOptions) addFlags(fs *pflag.FlagSet) {
	s := &o.selection
	commaListVar(fs, &o.templates, "templates", "t", "run checks in place of the probe: template `files`, and folders of them")
	commaListVar(fs, &s.Tags, "tags", "", "only checks with one of these `tags`")
	commaListVar(fs, &s.ExcludeTags, "exclude-tags", "", "no checks with one of these `tags`")
	commaListVar(fs, &s.Severities, "severity", "", "only checks of these `severities`: info, low, medium, high, critical, unknown")
	commaListVar(fs, &s.ExcludeSeverities, "exclude-severity", "", "no checks of these `severities`")
	commaListVar(fs, &s.IDs, "id", "", "only checks with these `ids`; * and ? stand for parts of one")
	commaListVar(fs, &s.ExcludeIDs, "exclude-id", "", "no checks with these `ids`")
	commaListVar(fs, &s.Authors, "author", "", "only checks by one of these `authors`")
	commaListVar(fs, &s.Protocols, "type", "", "only checks of these `protocols`: http, ssl, tcp, dns")
	listVar(fs, &o.vars, "var", "V", "value for a variable of checks, `name=value`")
}

// addScanFlags are about running them.
func (o *checkOptions) addScanFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&o.noShared, "no-shared-requests", false, "send the same request for each check that makes it, in place of once")
}

// selecting are the flags that mean nothing without templates.
var selecting = []string{"tags", "exclude-tags", "severity", "exclude-severity", "id", "exclude-id", "author", "type", "var", "omit-raw", "no-shared-requests"}

// probing are the flags of the probe, which checks do not use.
var probing = []string{
	"path", "method", "body", "match-status", "filter-status", "match-string", "filter-string", "match-regex", "filter-regex",
	"match-length", "filter-length",
}

// validate refuses flags that would do nothing.
func (o *checkOptions) validate(fs *pflag.FlagSet) error {
	for _, name := range selecting {
		if fs.Changed(name) && len(o.templates) == 0 {
			return usageErrorf(name, "expected together with --templates")
		}
	}
	for _, name := range probing {
		if fs.Changed(name) && len(o.templates) > 0 {
			return usageErrorf(name, "is about the built-in probe, which does not run with --templates")
		}
	}
	return nil
}

// variables are the values that were given.
func (o *checkOptions) variables() (map[string]string, error) {
	vars := map[string]string{}
	for _, given := range o.vars {
		name, value, ok := strings.Cut(given, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, usageErrorf("var", "expected name=value") // what stands there may be a secret
		}
		vars[name] = value
	}
	return vars, nil
}

// load reads the templates; nil without any.
func (o *checkOptions) load(ctx context.Context) (*check.Set, error) {
	if len(o.templates) == 0 {
		return nil, nil
	}
	vars, err := o.variables()
	if err != nil {
		return nil, err
	}
	set, err := check.Load(ctx, check.LoadOptions{Paths: o.templates, Vars: vars, Select: o.selection})
	if err != nil {
		if _, flag := errors.AsType[*check.FlagError](err); flag {
			return nil, err
		}
		return nil, usageErrorf("templates", "%v", err)
	}
	return set, nil
}

// onlyAlone says that all checks are self-contained, and need no targets.
func onlyAlone(set *check.Set) bool {
	return set != nil && len(set.Checks) > 0 && set.Alone == len(set.Checks)
}

// announce tells what is not run, and refuses a set with nothing to run.
func (o *checkOptions) announce(set *check.Set, strict bool, m *messages) error {
	if set == nil {
		return nil
	}
	for i := range set.Refused {
		m.warn("%v", &set.Refused[i])
		if strict {
			return errors.New("--strict: a template was refused")
		}
	}
	switch {
	case len(set.Checks) == 0 && len(set.Refused) > 0:
		return fmt.Errorf("no checks: %s, all refused", counted(len(set.Refused), "template"))
	case len(set.Checks) == 0:
		return fmt.Errorf("no checks: none of the %d templates is of those that were asked for", set.Files)
	}
	m.info("%d checks loaded, %d refused, %d not selected", len(set.Checks), len(set.Refused), set.Passed)
	return nil
}

// severityValue is a flag that is a severity.
type severityValue struct{ rank int }

func (s *severityValue) String() string {
	if s.rank == 0 {
		return ""
	}
	return check.Severity(s.rank).String()
}

// Type names the value in helps.
func (s *severityValue) Type() string { return "severity" }

// Set parses a flag's text.
func (s *severityValue) Set(text string) error {
	if s.rank = report.SeverityRank(text); s.rank == 0 {
		return errors.New("expected info, low, medium, high or critical")
	}
	return nil
}

func newChecksCommand(env Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "checks",
		Short: "Look at templates without running them",
		Long: `Look at templates without running them: which checks there are, and what keeps
redial from running others.`,
		Example: `  redial checks list -t templates/ --tags panel
  redial checks validate -t templates/ --stats`,
		GroupID:     groupScan,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{exitStatusKey: checksExitStatusHelp},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return c.Help()
		},
	}
	c.AddGroup(&cobra.Group{ID: groupScan, Title: "Commands"})
	c.AddCommand(newChecksListCommand(env), newChecksValidateCommand(env))
	return c
}
