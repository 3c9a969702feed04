package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// In a scan that is shared out each flag of a scan has one place: with the workers, with the coordinator, or nowhere. A test
// holds the lists to the flags that there are.

// workerFlags are those that workers have to know, by their values. Those whose values name files are not among them: files
// travel by their own way, see bundle.
func workerFlags() []string {
	return []string{
		"no-shared-requests", "var",
		"method", "header", "body", "follow-redirects", "follow-host-redirects", "max-redirects",
		"timeout", "dial-timeout", "proxy", "user-agent", "random-agent", "tls-verify", "sni", "resolvers", "ip-version",
		"match-status", "filter-status", "match-string", "filter-string", "match-regex", "filter-regex", "match-length", "filter-length",
		"max-host-error", "first-contact", "cooldown", "max-cooldown", "max-trips", "probe-ttl", "track-error", "no-revisit",
		"host-timeout", "outage-timeout", "failure-limit", "failure-window",
		"retries", "retry-wait", "retry-max-wait", "retry-budget", "item-deadline", "max-retry-after",
		"concurrency", "host-concurrency", "dial-concurrency", "max-hosts",
		"rate-limit", "host-rate-limit", "rate-mode", "warm-up", "cold-factor", "max-queue-wait", "throttle-status",
		"jsonl", // with the same effect as here: findings tell request and response
	}
}

// homeFlags are the coordinator's own: inputs, outputs, and what becomes a file of the bundle.
func homeFlags() []string {
	return []string{
		"list", "target", "ports", "exclude", "strict", "path", "client-cert", "client-key",
		"templates", "tags", "exclude-tags", "severity", "exclude-severity", "id", "exclude-id", "author", "type",
		"linger", "output", "fields", "events", "resume", "report", "annotations", "show-failed", "max-skipped", "fail-on", "omit-raw",
		"silent", "verbose", "no-color", "no-progress", "stats-interval", "stats-json", "metrics-addr", "config",
	}
}

// lonelyFlags make sense in one process only.
func lonelyFlags() map[string]string {
	return map[string]string{
		"debug-requests":  "the requests are sent by workers",
		"debug-responses": "the responses come to workers",
		"store-responses": "the responses come to workers",
		"from-skipped":    "it goes with redial scan",
	}
}

// refuseLonely refuses by name what makes no sense in a scan that is shared out.
func refuseLonely(flags *pflag.FlagSet) error {
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range lonelyFlags() {
			if !yield(name) {
				return
			}
		}
	}) {
		if flags.Changed(name) {
			return usageErrorf(name, "not with redial serve: %s", lonelyFlags()[name])
		}
	}
	return nil
}

// workerSettings are the flags that were set, for workers: name=value each. raw says that findings are to tell request and
// response.
func (o *scanOptions) workerSettings(flags *pflag.FlagSet, raw bool) ([]string, error) {
	var all []string
	for _, name := range workerFlags() {
		f := flags.Lookup(name)
		switch {
		case name == "jsonl":
			if raw {
				all = append(all, "jsonl=true")
			}
		case !f.Changed:
		case name == "resolvers": // without the files among them
			addrs, err := resolverAddrs(o.request.resolvers)
			if err != nil {
				return nil, err
			}
			for _, addr := range addrs {
				all = append(all, "resolvers="+addr)
			}
		default:
			if list, ok := f.Value.(pflag.SliceValue); ok {
				for _, value := range list.GetSlice() {
					all = append(all, name+"="+value)
				}
				continue
			}
			all = append(all, name+"="+f.Value.String())
		}
	}
	return all, nil
}

// takeSettings sets the flags of a worker's scan as the coordinator says.
func takeSettings(flags *pflag.FlagSet, all []string) error {
	for _, setting := range all {
		name, value, _ := strings.Cut(setting, "=")
		if !slices.Contains(workerFlags(), name) {
			return fmt.Errorf("setting %.40q, expected one that workers know", name)
		}
		if err := flags.Set(name, value); err != nil {
			return fmt.Errorf("setting %s: %w", name, err)
		}
	}
	return nil
}
