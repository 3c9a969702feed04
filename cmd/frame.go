package cmd

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/redialscan/redial/internal/scan"
	"github.com/redialscan/redial/pkg/target"
)

// outputFailed tells of an output that fails, and stops the scan when it was the reader of standard output that left.
func outputFailed(screen *screen, stop context.CancelCauseFunc) func(error) {
	return func(err error) {
		if unread(err) {
			stop(&InterruptError{Signal: syscall.SIGPIPE}) // for nobody; what was found is in the files all the same
			return
		}
		screen.messages.fail("%v", err)
	}
}

// frame is what a scan has around it, whoever sends.
type frame struct {
	screen *screen
	opt    scan.Options // without outputs
	stop   context.CancelCauseFunc
}

// framed makes the parts of a scan, runs it by body, and says by its error how it ended.
func (o *scanOptions) framed(ctx context.Context, env Env, body func(context.Context, *frame) (scan.Ending, error)) (err error) {
	screen := o.output.screen(env, !o.watch.noProgress && !o.watch.statsJSON)
	for _, warning := range o.settings.warnings {
		screen.messages.warn("%s", warning)
	}
	opt, held, err := o.prepare(ctx, env, screen)
	if err != nil {
		return err
	}
	ended := false
	defer func() { err = errors.Join(err, held.close(ended)) }()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer env.BrokenPipes()()
	opt.OutputFailed = outputFailed(screen, stop)
	if !o.shared { // else the workers look for theirs
		if err := o.request.reachProxy(ctx, opt.Requester.DialTimeout); err != nil {
			return err
		}
	}
	in, err := o.input.open(env.Stdin, !o.shared && onlyAlone(opt.Checks), func(bad *target.LineError) { screen.messages.warn("%v", bad) })
	if err != nil {
		return err
	}
	defer in.close()
	stopRead := context.AfterFunc(ctx, in.cancel)
	defer stopRead()
	opt.Targets, opt.StopReading, opt.Requester.Refuse = in.reader, in.cancel, in.refuse
	ending, err := body(ctx, &frame{screen: screen, opt: opt, stop: stop})
	if err == nil && ending.Items == 0 && opt.Only == nil {
		err = emptyInput(in.reader)
	}
	if ending.Items > 0 && !o.output.silent {
		fmt.Fprint(screen.stderr, ending.Text())
		o.howToGoOn(ctx, screen, held)
	}
	ended = err == nil
	return o.status(ctx, ending, err)
}
