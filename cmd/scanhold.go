package cmd

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/redialscan/redial/pkg/failurewindow"
)

// holdOptions say when a host is held that fails often, though never often in a row.
type holdOptions struct {
	failureLimit  int
	failureWindow durationValue
}

func (o *holdOptions) addFlags(fs *pflag.FlagSet) {
	o.failureWindow = durationValue(time.Minute)
	fs.IntVar(&o.failureLimit, "failure-limit", 0, "failures within --failure-window at which a host is held until fewer are left in it; 0 is off")
	fs.Var(&o.failureWindow, "failure-window", "how long a failure counts for --failure-limit")
}

func (o *holdOptions) validate(fs *pflag.FlagSet) error {
	if err := atLeast("failure-limit", o.failureLimit, 0); err != nil {
		return err
	}
	switch {
	case o.failureLimit > failurewindow.MaxStoredFailures:
		return usageErrorf("failure-limit", "%d is out of range, expected %d or less", o.failureLimit, failurewindow.MaxStoredFailures)
	case o.failureLimit > 0 && o.failureWindow == 0:
		return usageErrorf("failure-window", "0 is out of range, expected more")
	case o.failureLimit == 0 && fs.Changed("failure-window"):
		return usageErrorf("failure-window", "expected together with --failure-limit")
	}
	return nil
}
