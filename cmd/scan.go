package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/redialscan/redial/internal/scan"
	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

// scanOptions are the flags of redial scan, in the groups of its help.
type scanOptions struct {
	input   inputOptions
	checks  checkOptions
	request requestOptions
	pace    paceOptions
	breaker breakerOptions
	hold    holdOptions
	output  outputOptions
	capture captureOptions
	watch   watchOptions
	bundled bool // the files come from a coordinator
	shared  bool // workers run the scan

	settings settings
}

const scanName = "scan"

func newScanCommand(env Env) *cobra.Command {
	var o scanOptions
	c := &cobra.Command{
		Use:   scanName,
		Short: "Scan targets",
		Long: `Scan targets: ask each host for one or more paths and print what it answers, or run
checks: templates in the format of nuclei.

A host that stops answering is quarantined, called again after a cooldown, and gets
the rest of its checks when it comes back. What was left out is counted and named.

The short names of httpx and nuclei are understood too: -mc, -fc, -ms, -fs, -mr, -fe, -ml,
-fl for what is printed, -ip, -ct, -rt for more of it, -fr, -rl, -mhe, -nc, -es, -etags, and
any long name after a single dash. A flag that has another name here is told.`,
		Example: `  redial scan -u https://example.com
  redial scan -l targets.txt --path /admin,/login --match-status 200
  redial scan -l targets.txt -t templates/ --severity high,critical --fail-on high
  cat hosts.txt | redial scan -j -o results.jsonl --events scan.events
  redial scan -l targets.txt -o results.txt --resume scan.events
  redial scan -l targets.txt -o results.txt --resume   # with a journal of its own`,
		GroupID:     groupScan,
		Args:        noArguments,
		Annotations: map[string]string{exitStatusKey: exitStatusHelp},
		RunE: func(c *cobra.Command, _ []string) error {
			calm := inHurry(c.Context())
			if err := o.settings.apply(c.Flags(), env); err != nil {
				return err
			}
			err := o.validate(c.Flags())
			if err == nil {
				err = o.run(c.Context(), env, calm)
			}
			return o.settings.blame(err)
		},
	}
	o.addFlags(c)
	return c
}

// addFlags adds the flags to a command, in the groups of its help.
func (o *scanOptions) addFlags(c *cobra.Command) *flagGroups {
	groups := newFlagGroups(c)
	groups.add("Targets", o.input.addFlags)
	groups.add("Checks", o.checks.addFlags, o.checks.addScanFlags)
	groups.add("Requests", o.request.addFlags)
	groups.add("What is printed", o.request.addFilterFlags)
	groups.add("Quarantine", o.breaker.addFlags, o.hold.addFlags)
	groups.add("Retries", o.breaker.addRetryFlags)
	groups.add("Pace", o.pace.addFlags)
	groups.add("Output", o.output.addFlags)
	groups.add("Looking closer", o.capture.addFlags)
	groups.add("Watching", o.watch.addFlags)
	groups.add("Configuration", o.settings.addFlags)
	return groups
}

// validate refuses what makes no sense, alone or together.
func (o *scanOptions) validate(flags *pflag.FlagSet) error {
	if err := o.breaker.validate(time.Duration(o.request.timeout), flags); err != nil {
		return err
	}
	if err := o.hold.validate(flags); err != nil {
		return err
	}
	if err := o.pace.validate(flags); err != nil {
		return err
	}
	if err := o.request.validate(flags); err != nil {
		return err
	}
	if err := o.checks.validate(flags); err != nil {
		return err
	}
	if err := o.output.validate(flags); err != nil {
		return err
	}
	if err := o.capture.validate(flags); err != nil {
		return err
	}
	return o.watch.validate(flags, o.output.silent)
}

// run runs the scan. It calls calm before the first request.
func (o *scanOptions) run(ctx context.Context, env Env, calm func()) error {
	return o.framed(ctx, env, func(ctx context.Context, f *frame) (ending scan.Ending, err error) {
		var s *scan.Scan
		watched, err := o.watch.measure(ctx, f.screen, &f.opt.Requester, func() report.Status { return s.Status() })
		if err != nil {
			return ending, err
		}
		defer watched.close()
		var files report.Files
		defer files.Close()
		o.keepInputs(env, &files)
		if f.opt.Handlers, err = o.output.handlers(env, f.screen, &files, f.opt.Earlier); err != nil {
			return ending, err
		}
		more, err := o.capture.tap(f.screen, &f.opt.Requester, f.opt.Earlier != nil)
		if err != nil {
			return ending, err
		}
		f.opt.Handlers = append(f.opt.Handlers, more...)
		if s, err = scan.New(f.opt); err != nil {
			return ending, err
		}
		calm()
		err = o.watched(ctx, f.screen, watched, s.Status, func(ctx context.Context) (err error) {
			ending, err = s.Run(ctx)
			return err
		})
		return ending, err
	})
}

// prepare makes what the scan is made of, but for targets and outputs, and holds its events file.
func (o *scanOptions) prepare(ctx context.Context, env Env, screen *screen) (opt scan.Options, held *heldJournal, err error) {
	if opt, err = o.parts(screen); err != nil {
		return opt, nil, err
	}
	if opt.Checks, err = o.checks.load(ctx); err != nil {
		return opt, nil, err
	}
	if err := o.checks.announce(opt.Checks, o.input.strict, screen.messages); err != nil {
		return opt, nil, err
	}
	if o.shared {
		if err := leaveOutAlone(opt.Checks, screen.messages); err != nil {
			return opt, nil, err
		}
	}
	if err := o.describeInputs(&opt.Started, opt.Checks); err != nil {
		return opt, nil, err
	}
	switch only, err := o.fromSkipped(ctx, &opt, screen); {
	case err != nil:
		return opt, nil, err
	case only != nil:
		opt.Only = only
	}
	if held, err = o.holdJournal(ctx, env, &opt, screen); err != nil {
		return opt, nil, err
	}
	if opt.Earlier, err = o.resume(ctx, &opt, screen, held); err != nil {
		return opt, nil, errors.Join(err, held.close(false))
	}
	return opt, held, nil
}

// keepInputs guards what is read, and where the results go, against an output file of the same name.
func (o *scanOptions) keepInputs(env Env, files *report.Files) {
	for _, list := range o.input.lists {
		files.Keep(list, "target list")
	}
	if o.output.resume != "" {
		files.Keep(o.output.resume, "events file")
	}
	if o.input.from != "" {
		files.Keep(o.input.from, "events file")
	}
	for _, name := range o.input.exclude {
		files.Keep(name, "list of exclusions")
	}
	for _, value := range o.request.paths {
		if name, ok := check.PathFile(value); ok {
			files.Keep(name, "list of paths")
		}
	}
	for _, value := range o.request.resolvers {
		if isResolverFile(value) {
			files.Keep(strings.TrimSpace(value), "list of resolvers")
		}
	}
	if env.Stdin == os.Stdin { // names of what a shell has redirected, where the system has such
		files.Keep("/dev/stdin", "standard input")
	}
	if env.Stdout == os.Stdout {
		files.Keep("/dev/stdout", "standard output")
	}
}

// unread says that standard output leads to a pipe whose reader has left.
func unread(err error) bool {
	out, ok := errors.AsType[*report.OutputError](err)
	return ok && out.Name == standardOutput && errors.Is(err, syscall.EPIPE)
}

// status turns the end of a scan into an exit status; the table stands in exit.go.
func (o *scanOptions) status(ctx context.Context, ending scan.Ending, err error) error {
	if interrupted, ok := errors.AsType[*InterruptError](context.Cause(ctx)); ok {
		return interrupted
	}
	if _, ok := errors.AsType[*requester.LongOutageError](err); ok {
		return &StatusError{Status: StatusIncomplete, Err: fmt.Errorf("incomplete: %w", err)}
	}
	if err != nil {
		return err
	}
	left := ending.Failed + ending.Skipped
	switch limit := &o.output.maxSkipped; {
	case limit.set && limit.exceeded(left, ending.Items):
		return &StatusError{Status: StatusIncomplete, Err: fmt.Errorf(
			"incomplete: %d of %d items failed or were skipped, more than --max-skipped %s", left, ending.Items, limit)}
	case !limit.set && ending.Silent:
		return &StatusError{Status: StatusIncomplete, Err: errors.New("incomplete: nothing answered")}
	case !limit.set && ending.Incomplete:
		return &StatusError{Status: StatusIncomplete, Err: errors.New(
			"incomplete: items of hosts that answered failed or were skipped; --max-skipped sets how many may")}
	}
	if o.output.failOn.rank > 0 && ending.Worst >= o.output.failOn.rank {
		return &StatusError{Status: StatusFindings, Err: fmt.Errorf(
			"findings of severity %s, --fail-on %s", check.Severity(ending.Worst), &o.output.failOn)}
	}
	return nil
}
