package cmd

import (
	"github.com/spf13/pflag"

	"github.com/redialscan/redial/internal/capture"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

// captureOptions say what of the traffic is shown and kept.
type captureOptions struct {
	debugRequests, debugResponses bool
	store                         string
}

func (o *captureOptions) addFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&o.debugRequests, "debug-requests", false, "show each request on standard error, without secrets in its head")
	fs.BoolVar(&o.debugResponses, "debug-responses", false, "show each response in the same way")
	fs.StringVar(&o.store, "store-responses", "", "keep each response in a file below this `folder`, 100,000 files and 1 GiB at most; its index.txt lists them")
}

func (o *captureOptions) validate(fs *pflag.FlagSet) error {
	if o.store == "" && fs.Changed("store-responses") {
		return usageErrorf("store-responses", "an empty name, expected that of a folder")
	}
	return nil
}

// tap puts what listens to the traffic into cfg, and gives the handlers that tell of its failures. It makes the folder. goOn says
// that an earlier scan goes on.
func (o *captureOptions) tap(s *screen, cfg *requester.Config, goOn bool) ([]report.Handler, error) {
	var listeners []func(requester.Exchange)
	var handlers []report.Handler
	if o.debugRequests || o.debugResponses {
		listeners = append(listeners, capture.NewPrinter(s.stderr, o.debugRequests, o.debugResponses).Show)
	}
	if o.store != "" {
		store, err := capture.NewStore(o.store, capture.Limits{}, goOn, func(limit string) {
			s.messages.warn("--store-responses: %s is reached, later responses are not kept", limit)
		})
		if err != nil {
			return nil, err
		}
		listeners, handlers = append(listeners, store.Keep), append(handlers, store)
	}
	if len(listeners) == 0 {
		return nil, nil
	}
	cfg.KeepSent = true
	listen(cfg, listeners...)
	return handlers, nil
}

// listen adds listeners to those that cfg has.
func listen(cfg *requester.Config, listeners ...func(requester.Exchange)) {
	before := cfg.Trace
	cfg.Trace = func(e requester.Exchange) {
		if before != nil {
			before(e)
		}
		for _, hear := range listeners {
			hear(e)
		}
	}
}
