package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/redialscan/redial/pkg/journal"
	"github.com/redialscan/redial/pkg/report"
)

// reportExitStatusHelp: what could not be read is missing in the reports.
const reportExitStatusHelp = `
EXIT STATUS
  0    the reports are written
  2    wrong usage, a file that cannot be read or written, or lines of the
       events file that are broken; the reports are made of the others
  130  interrupted (Ctrl-C)
  143  terminated
`

func newReportCommand(env Env) *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report events-file",
		Short: "Make reports of an earlier scan, from its events file",
		Long: `Make reports of an earlier scan, from the file that its --events has written; - is
standard input. Without --report the summary of the scan is printed.

A scan that was killed has an events file too: what it came to is in the reports.`,
		Example: `  redial report scan.events
  redial report scan.events --report sarif=scan.sarif --report csv=scan.csv
  redial report scan.events --report markdown=- >> "$GITHUB_STEP_SUMMARY"`,
		GroupID:     groupScan,
		Annotations: map[string]string{exitStatusKey: reportExitStatusHelp},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return fmt.Errorf("%d arguments, expected one: the events file of a scan, or - (see %s --help)", len(args), c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := o.wanted(true); err != nil {
				return err
			}
			return o.replay(c.Context(), env, args[0])
		},
	}
	groups := newFlagGroups(c)
	groups.add("Output", o.addFlags)
	return c
}

// replay makes the reports.
func (o *reportOptions) replay(ctx context.Context, env Env, name string) error {
	defer env.BrokenPipes()()
	defer inHurry(ctx)()
	messages := newMessages(env.Stderr, false, false, false)
	in, shown, err := openEvents(env, name)
	if err != nil {
		return err
	}
	defer in.Close()
	var files report.Files
	defer files.Close()
	files.Keep(name, "events file")
	handlers, err := o.handlers(env.Stdout, env.Stderr, &files)
	if err != nil {
		return err
	}
	if len(handlers) == 0 {
		handlers = append(handlers, &summaryPrinter{report.NewOverview(), env.Stdout})
	}
	broken := 0
	err = journal.Replay(ctx, in, report.NewMulti(nil, handlers...), func(bad *report.LineError) {
		if !errors.Is(bad, report.ErrTorn) {
			broken++
		}
		messages.warn("%s: %v", shown, bad)
	})
	if out, ok := errors.AsType[*report.OutputError](err); ok {
		return out
	}
	if err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	if broken > 0 {
		return &StatusError{Status: StatusUsage, Err: fmt.Errorf("%s: not in the reports: %s", shown, counted(broken, "broken line"))}
	}
	return nil
}

// openEvents opens an events file for reading, and gives its name for messages.
func openEvents(env Env, name string) (io.ReadCloser, string, error) {
	if name == "-" {
		return io.NopCloser(env.Stdin), "standard input", nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, name, fmt.Errorf("%s: %w, expected the events file of a scan", name, reason(err))
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, name, errors.Join(fmt.Errorf("%s: a directory, expected the events file of a scan", name), f.Close())
	}
	return f, name, nil
}

// summaryPrinter ends with the summary of the scan.
type summaryPrinter struct {
	*report.Overview
	w io.Writer
}

func (p *summaryPrinter) Start() error { return nil }

func (p *summaryPrinter) Event(e report.Event) error {
	p.Add(e)
	return nil
}

func (p *summaryPrinter) Finish() error {
	sum := p.Summary()
	if _, err := io.WriteString(p.w, sum.Text()); err != nil {
		return &report.OutputError{Name: standardOutput, Err: err}
	}
	return nil
}
