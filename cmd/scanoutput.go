package cmd

import (
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/redialscan/redial/pkg/journal"
	"github.com/redialscan/redial/pkg/report"
)

// standardOutput names the results on it in errors.
const standardOutput = "standard output"

// outputOptions say what is told, where and how.
type outputOptions struct {
	output     string
	jsonl      bool
	events     string
	resume     string
	reports    reportOptions
	showFailed bool
	maxSkipped shareValue
	failOn     severityValue
	omitRaw    bool
	fields     fieldsValue

	silent, verbose bool
	noColor         bool
}

func (o *outputOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVarP(&o.output, "output", "o", "", "write the results to this `file` too")
	fs.BoolVarP(&o.jsonl, "jsonl", "j", false, "results as JSON lines")
	fs.Var(&o.fields, "fields", "what stands in a line of text after the URL: "+strings.Join(fieldNames()[1:], ", ")+
		"; +`names` are added to what stands there in any case")
	commaList(fs, "fields")
	fs.StringVar(&o.events, "events", "", "write every event of the scan to this `file`, as JSON lines")
	fs.StringVar(&o.resume, "resume", "", "go on with the scan of this events `file`; without one, with that of --events or an own one of the same inputs")
	optionalValue(fs, "resume", resumeAuto)
	o.reports.addFlags(fs)
	fs.BoolVar(&o.showFailed, "show-failed", false, "items that failed are results too")
	fs.Var(&o.maxSkipped, "max-skipped", "exit 3 when more items than this were failed or skipped (default: see EXIT STATUS)")
	fs.Var(&o.failOn, "fail-on", "exit 1 when there is a finding of this severity or a higher one")
	fs.BoolVar(&o.omitRaw, "omit-raw", false, "leave request and response of findings out of JSON lines")
	fs.BoolVar(&o.silent, "silent", false, "results and errors only")
	fs.BoolVarP(&o.verbose, "verbose", "v", false, "tell each decision about a host and each failure")
	fs.BoolVar(&o.noColor, "no-color", false, "no colours")
}

// validate refuses names of files that are none: an unset variable of a shell, or - where results go in any case.
func (o *outputOptions) validate(fs *pflag.FlagSet) error {
	for _, f := range []struct{ flag, name string }{{"output", o.output}, {"events", o.events}, {"resume", o.resume}} {
		switch {
		case f.name == "" && fs.Changed(f.flag):
			return usageErrorf(f.flag, "an empty name, expected that of a file to write")
		case f.name == "-":
			return usageErrorf(f.flag, "-, expected a file to write; the results go to standard output without it")
		}
	}
	if o.events != "" && o.resume != "" && o.resume != resumeAuto {
		return usageErrorf("resume", "expected without --events: the file that it names is written on")
	}
	if o.jsonl && fs.Changed("fields") {
		return usageErrorf("fields", "expected without --jsonl, whose lines have every field")
	}
	_, err := o.reports.wanted(false)
	return err
}

// isTerminal says that a stream is a terminal that a person looks at.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// color says whether escape sequences may go to a stream.
func (o *outputOptions) color(env Env, stream any) bool {
	return !o.noColor && env.Getenv("NO_COLOR") == "" && !dumb(env) && isTerminal(stream)
}

// dumb says that the terminal knows no escape sequences, so that no line can be written anew either.
func dumb(env Env) bool { return env.Getenv("TERM") == "dumb" }

// screen is where people look: messages and progress on standard error, results on standard output.
type screen struct {
	messages *messages
	stdout   io.Writer
	progress *report.Progress // nil without a terminal
	stderr   io.Writer
}

// screen finds out where people look; bar says whether a progress bar is wanted.
func (o *outputOptions) screen(env Env, bar bool) *screen {
	s := &screen{stdout: env.Stdout, stderr: env.Stderr}
	if isTerminal(env.Stderr) && bar && !o.silent && !dumb(env) {
		f := env.Stderr.(*os.File)
		s.progress = report.NewProgress(f, func() int {
			width, _, err := term.GetSize(int(f.Fd()))
			if err != nil {
				return 0
			}
			return width
		})
		s.stderr = s.progress.Writer(env.Stderr)
		if isTerminal(env.Stdout) {
			s.stdout = s.progress.Writer(env.Stdout)
		}
	}
	s.messages = newMessages(s.stderr, o.color(env, env.Stderr), o.verbose, o.silent)
	return s
}

// handlers opens the outputs. It comes last before a scan, so that nothing is created for one that cannot start.
//
// An earlier scan that goes on is in its events file already; the other files are written anew, so that they agree with it.
func (o *outputOptions) handlers(env Env, s *screen, files *report.Files, earlier *journal.Progress) ([]report.Handler, error) {
	whole := func(h report.Handler) report.Handler {
		if earlier == nil {
			return h
		}
		return report.NewAfter(h, earlier.Events)
	}
	stdout := report.NewOutput(standardOutput, s.stdout, isTerminal(env.Stdout))
	handlers := []report.Handler{o.results(stdout, o.color(env, env.Stdout))}
	if o.output != "" {
		out, err := files.Open(o.output, "results file")
		if err != nil {
			return nil, err
		}
		handlers = append(handlers, whole(o.results(out, false)))
	}
	if o.events != "" {
		out, err := files.Open(o.events, "events file")
		if err != nil {
			return nil, err
		}
		handlers = append(handlers, report.NewEventsFile(out))
	}
	more, err := o.reports.handlers(s.stdout, s.stderr, files)
	for _, h := range more {
		handlers = append(handlers, whole(h))
	}
	if err != nil || earlier == nil {
		return handlers, err
	}
	if err := earlier.Trim(); err != nil { // last: nothing is changed for a scan that cannot start
		return nil, err
	}
	out, err := files.OpenEnd(o.resume, "events file")
	if err != nil {
		return nil, err
	}
	return append(handlers, report.NewEventsFile(out)), nil
}

func (o *outputOptions) results(out *report.Output, color bool) report.Handler {
	if o.jsonl {
		return report.NewJSONL(out, o.showFailed)
	}
	return report.NewText(out, report.TextOptions{
		Color: color, ShowFailed: o.showFailed, Fields: o.fields.only, MoreFields: o.fields.more,
	})
}
