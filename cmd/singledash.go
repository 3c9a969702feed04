package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// longName gives the flag behind a name that people know from httpx or nuclei, "" for a name that is none of these.
// Where the two mean different things by one name (-mr), it is that of httpx.
func longName(name string) string {
	switch name {
	case "mc", "match-code":
		return "match-status"
	case "fc", "filter-code":
		return "filter-status"
	case "ms":
		return "match-string"
	case "fs":
		return "filter-string"
	case "mr":
		return "match-regex"
	case "fe":
		return "filter-regex"
	case "ml":
		return "match-length"
	case "fl":
		return "filter-length"
	case "fr":
		return "follow-redirects"
	case "etags":
		return "exclude-tags"
	case "es":
		return "exclude-severity"
	case "eid":
		return "exclude-id"
	case "pt":
		return "type"
	case "or":
		return "omit-raw"
	case "fhr":
		return "follow-host-redirects"
	case "maxr":
		return "max-redirects"
	case "rl":
		return "rate-limit"
	case "mhe":
		return "max-host-error"
	case "te":
		return "track-error"
	case "si":
		return "stats-interval"
	case "sj":
		return "stats-json"
	case "nc":
		return "no-color"
	case "json":
		return "jsonl"
	case "threads":
		return "concurrency"
	case "http-proxy":
		return "proxy"
	case "debug-req", "dreq":
		return "debug-requests"
	case "debug-resp", "dresp":
		return "debug-responses"
	case "srd", "store-response-dir", "store-resp-dir":
		return "store-responses"
	case "template-id":
		return "id"
	case "eh", "exclude-hosts":
		return "exclude"
	case "iv":
		return "ip-version"
	case "cc":
		return "client-cert"
	case "ck":
		return "client-key"
	case "mp", "metrics-port":
		return "metrics-addr"
	case "sni-name":
		return "sni"
	case "dc", "disable-clustering":
		return "no-shared-requests"
	case "deny":
		return "exclude"
	case "probe":
		return "show-failed"
	case "vv":
		return "verbose"
	}
	return longNameOfLetter(name)
}

// longNameOfLetter is the same for the single letters that are no letters here.
func longNameOfLetter(name string) string {
	switch name {
	case "s":
		return "severity"
	case "a":
		return "author"
	case "r":
		return "resolvers"
	case "x":
		return "method"
	}
	return ""
}

// moreField gives the field of --fields that a flag of httpx adds to a line of text, "" for another flag.
func moreField(name string) string {
	switch name {
	case "ip":
		return "ip"
	case "ct", "content-type":
		return "type"
	case "rt", "response-time":
		return "time"
	case "wc", "word-count":
		return "words"
	case "lc", "line-count":
		return "lines"
	}
	return ""
}

// alwaysShown says that a flag of httpx or nuclei asks for what is so in any case: a part of each line of text, status lines,
// no redirects, requests in JSON lines, no server for calls from outside, no look for a new version, lists that are read as
// they come.
func alwaysShown(name string) bool {
	switch name {
	case "sc", "status-code", "cl", "content-length", "title", "server", "web-server", "location",
		"stats", "stream", "dr", "disable-redirects", "irr", "include-rr", "ni", "no-interactsh", "duc", "disable-update-check":
		return true
	}
	return false
}

// doubleDashes rewrites what people type for other tools, long names after one dash, for the command of root that args
// name: -timeout 3 is --timeout 3, -mc 200 is --match-status 200.
func doubleDashes(root *cobra.Command, args []string) []string {
	if len(args) == 0 {
		return args
	}
	c, _, err := root.Find(args[:1])
	if err != nil {
		return args
	}
	if c.HasSubCommands() && len(args) > 1 {
		if below, _, err := root.Find(args[:2]); err == nil {
			c = below
		}
	}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	flags, out := c.Flags(), make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		arg, keep := doubleDash(flags, args[i])
		if !keep {
			continue
		}
		if value := withoutValue(flags, arg); value != "" && (i+1 == len(args) || isFlag(args[i+1])) {
			out = append(out, arg+"="+value)
			continue
		}
		out = append(out, arg)
		if takesNext(flags, arg) && i+1 < len(args) {
			i++
			out = append(out, args[i])
		}
	}
	return slices.Clip(out)
}

func doubleDash(flags *pflag.FlagSet, arg string) (string, bool) {
	if len(arg) < 2 || arg[0] != '-' || arg[1] == '-' {
		return arg, true
	}
	name, value, hasValue := strings.Cut(arg[1:], "=")
	if len(name) == 1 && (flags.ShorthandLookup(name) != nil || flags.Lookup("match-status") == nil) {
		return arg, true
	}
	long := name
	if known := longName(name); known != "" {
		long = known
	}
	switch {
	case flags.Lookup(long) != nil:
	case elsewhere(name) != "" && flags.Lookup("match-status") != nil: // refused by its name, and not by its letters
	case moreField(name) != "" && flags.Lookup("fields") != nil:
		return "--fields=+" + moreField(name), true
	case alwaysShown(name) && flags.Lookup("match-status") != nil:
		return "", false
	default:
		return arg, true
	}
	if hasValue {
		return "--" + long + "=" + value, true
	}
	return "--" + long, true
}

// takesNext says that the argument after arg is its value, whatever it looks like.
func takesNext(flags *pflag.FlagSet, arg string) bool {
	if name, ok := strings.CutPrefix(arg, "--"); ok {
		f := flags.Lookup(name) // nil for one with = and a value
		return f != nil && f.NoOptDefVal == ""
	}
	letters, ok := strings.CutPrefix(arg, "-")
	if !ok {
		return false
	}
	for i := range len(letters) {
		f := flags.ShorthandLookup(letters[i : i+1])
		if f == nil {
			return false
		}
		if f.NoOptDefVal == "" {
			return i == len(letters)-1 // else the rest is the value
		}
	}
	return false
}

// optionalKey is the annotation of a flag with the value that it has when none follows.
const optionalKey = "redial-optional"

// optionalValue lets a flag stand without its value. The library's own way would no longer take a value after a space.
func optionalValue(flags *pflag.FlagSet, name, value string) {
	_ = flags.SetAnnotation(name, optionalKey, []string{value}) // fails for a flag that is not there
}

// withoutValue is what a flag without a value has, "" for one that needs one.
func withoutValue(flags *pflag.FlagSet, arg string) string {
	f := flags.Lookup(strings.TrimPrefix(arg, "--"))
	if !strings.HasPrefix(arg, "--") || f == nil || len(f.Annotations[optionalKey]) == 0 {
		return ""
	}
	return f.Annotations[optionalKey][0]
}

// isFlag says that an argument is no value: a dash alone is one, for standard input.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }
