package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// options are the flags of the bench.
type options struct {
	workloads []string
	tools     []string
	rounds    int
	scale     float64
	limit     time.Duration
	redial    string
	profile   bool
}

func parseOptions(args []string, messages io.Writer) (options, error) {
	o := options{}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(messages)
	loads := fs.String("workloads", "", "comma `list` of workloads: "+strings.Join(workloadNames(), ", ")+" (default: all)")
	tools := fs.String("tools", "", "comma `list` of tools: "+strings.Join(toolNames(), ", ")+" (default: all)")
	fs.IntVar(&o.rounds, "rounds", 5, "runs of each tool; the figures are their medians")
	fs.Float64Var(&o.scale, "scale", 1, "share of the work, above 0; 1 is what the goals are for")
	fs.DurationVar(&o.limit, "limit", 5*time.Minute, "time after which a run is stopped")
	fs.StringVar(&o.redial, "redial", "", "measure this `program`; without it, redial is built")
	fs.BoolVar(&o.profile, "profile", false, "tell where redial's CPU time goes too, by one more run of each workload")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	var err error
	if o.workloads, err = chosen("workloads", *loads, workloadNames()); err != nil {
		return o, err
	}
	if o.tools, err = chosen("tools", *tools, toolNames()); err != nil {
		return o, err
	}
	switch {
	case fs.NArg() > 0:
		return o, fmt.Errorf("expected flags only, got %q", fs.Arg(0))
	case o.rounds < 1:
		return o, fmt.Errorf("-rounds %d: expected 1 or more", o.rounds)
	case !(o.scale > 0 && o.scale <= 10):
		return o, fmt.Errorf("-scale %v: expected a number above 0, 10 at most", o.scale)
	case o.limit <= 0:
		return o, fmt.Errorf("-limit %v: expected a time above 0", o.limit)
	case o.profile && o.redial != "":
		return o, fmt.Errorf("-profile builds a redial that can be profiled: expected no -redial beside it")
	}
	return o, nil
}

// chosen takes a comma list apart, all of which must be known; an empty one chooses all. The order is that of known.
func chosen(name, list string, known []string) ([]string, error) {
	if list == "" {
		return known, nil
	}
	wanted := strings.Split(list, ",")
	for _, w := range wanted {
		if !slices.Contains(known, w) {
			return nil, fmt.Errorf("-%s: %q is not known, expected some of %s", name, w, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !slices.Contains(wanted, k) }), nil
}
