package cmd

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/report"
)

// loadForChecks reads the templates of a command below checks.
func (o *checkOptions) loadForChecks(c *cobra.Command) (*check.Set, error) {
	if len(o.templates) == 0 {
		return nil, errors.New("no templates: give -t FILE or -t FOLDER")
	}
	return o.load(c.Context())
}

func newChecksListCommand(env Env) *cobra.Command {
	var o checkOptions
	var asJSON bool
	c := &cobra.Command{
		Use:         "list",
		GroupID:     groupScan,
		Short:       "List checks that can be run",
		Long:        "List the checks that can be run: id, severity, number of requests, name and file.",
		Args:        noArguments,
		Annotations: map[string]string{exitStatusKey: plainExitStatusHelp},
		RunE: func(c *cobra.Command, _ []string) error {
			set, err := o.loadForChecks(c)
			if err != nil {
				return err
			}
			out := bufio.NewWriter(env.Stdout)
			for _, one := range set.Checks {
				if err := listCheck(out, one, asJSON); err != nil {
					return err
				}
			}
			if n := len(set.Refused); n > 0 {
				fmt.Fprintf(env.Stderr, "%d templates cannot be run: redial checks validate says why\n", n)
			}
			return out.Flush()
		},
	}
	groups := newFlagGroups(c)
	groups.add("Checks", o.addFlags)
	c.Flags().BoolVarP(&asJSON, "jsonl", "j", false, "as JSON lines")
	groups.groups[0].flags.AddFlag(c.Flags().Lookup("jsonl"))
	return c
}

func listCheck(out io.Writer, c *check.Check, asJSON bool) error {
	info := c.Info()
	if !asJSON {
		_, err := fmt.Fprintf(out, "%s [%s] [%s] [%d] %s (%s)\n", report.Sanitize(c.ID()), c.Protocol(), info.Severity, c.Requests(),
			report.Sanitize(info.Name), report.Sanitize(c.File()))
		return err
	}
	line, err := json.Marshal(struct {
		ID       string   `json:"template-id"`
		File     string   `json:"template-path"`
		Type     string   `json:"type"`
		Name     string   `json:"name"`
		Severity string   `json:"severity"`
		Tags     []string `json:"tags,omitempty"`
		Authors  []string `json:"author,omitempty"`
		Requests int      `json:"requests"`
	}{c.ID(), c.File(), c.Protocol(), info.Name, info.Severity.String(), info.Tags, info.Authors, c.Requests()})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", line)
	return err
}

func newChecksValidateCommand(env Env) *cobra.Command {
	var o checkOptions
	var stats bool
	c := &cobra.Command{
		Use:     "validate",
		GroupID: groupScan,
		Short:   "Say what keeps templates from being run",
		Long: `Read templates and say of each that cannot be run why: file, line, column, field,
and what was expected there. With --stats the reasons are counted.`,
		Args:        noArguments,
		Annotations: map[string]string{exitStatusKey: checksExitStatusHelp},
		RunE: func(c *cobra.Command, _ []string) error {
			set, err := o.loadForChecks(c)
			if err != nil {
				return err
			}
			out := bufio.NewWriter(env.Stdout)
			if stats {
				fmt.Fprint(out, causes(set))
			} else {
				for _, refused := range set.Refused {
					for _, p := range refused.Problems {
						fmt.Fprintln(out, report.Sanitize(p.Error()))
					}
				}
			}
			if err := out.Flush(); err != nil {
				return err
			}
			if n := len(set.Refused); n > 0 {
				return &StatusError{Status: StatusFindings, Err: fmt.Errorf("%d of %d templates cannot be run", n, set.Files-set.Passed)}
			}
			return nil
		},
	}
	groups := newFlagGroups(c)
	groups.add("Checks", o.addFlags)
	c.Flags().BoolVar(&stats, "stats", false, "count the reasons in place of naming each")
	groups.groups[0].flags.AddFlag(c.Flags().Lookup("stats"))
	return c
}

// causes is a table of why templates are refused, each by its first problem.
func causes(set *check.Set) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%6d templates\n%6d can be run\n%6d are refused\n", set.Files-set.Passed, len(set.Checks), len(set.Refused))
	count := map[string]int{}
	for _, r := range set.Refused {
		count[r.Problems[0].Cause()]++
	}
	names := make([]string, 0, len(count))
	for name := range count {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(count[y], count[x]), cmp.Compare(x, y)) })
	for _, name := range names {
		fmt.Fprintf(&b, "%6d %s\n", count[name], report.Sanitize(name))
	}
	return b.String()
}
