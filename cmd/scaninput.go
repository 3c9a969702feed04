package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/redialscan/redial/pkg/target"
)

// inputOptions say what is scanned.
type inputOptions struct {
	lists   []string
	targets []string
	ports   string
	exclude []string
	strict  bool
	from    string // an events file
}

func (o *inputOptions) addFlags(fs *pflag.FlagSet) {
	listVar(fs, &o.lists, "list", "l", "`file` with a target a line; - is standard input")
	listVar(fs, &o.targets, "target", "u", "`target`: URL, host, host:port, address, CIDR or range")
	fs.StringVar(&o.ports, "ports", "", "`ports` for targets that name none, such as 80,443,8000-8010")
	commaList(fs, "ports")
	listVar(fs, &o.exclude, "exclude", "", "never send to these `hosts`, *.names, CIDRs, ranges, or files of them")
	fs.StringVar(&o.from, "from-skipped", "", "run only what failed or was skipped in the scan of this events `file`")
	fs.BoolVar(&o.strict, "strict", false, "stop at the first bad line of a list")
}

// errNoInput has the hint in its text.
var errNoInput = errors.New("no targets: give -u URL, -l FILE, or a list on standard input")

// input is the opened input of a scan.
type input struct {
	reader *target.Reader
	refuse func(host string, port uint16) bool // what is excluded; nil = nothing
	pipes  []*pipeList
}

// cancel ends a read that is under way, and all that would come.
func (in *input) cancel() {
	for _, p := range in.pipes {
		p.cancel()
	}
}

func (in *input) close() {
	for _, p := range in.pipes {
		p.close()
	}
}

// open checks the sources and makes the reader. onBad hears of each bad line. free says that there need be no targets.
func (o *inputOptions) open(stdin io.Reader, free bool, onBad func(*target.LineError)) (*input, error) {
	in := &input{}
	var sources []target.Source
	if err := present("target", o.targets, "a URL, host, host:port, address, CIDR or range"); err != nil {
		return nil, err
	}
	// Without it, what was to be excluded would be scanned.
	if err := present("exclude", o.exclude, "a host, *.name, CIDR, range, or a file of them"); err != nil {
		return nil, err
	}
	if len(o.targets) > 0 {
		sources = append(sources, target.Values("-u", o.targets...))
	}
	lists := o.lists
	if len(lists) == 0 && len(o.targets) == 0 && isPipe(stdin) {
		lists = []string{"-"}
	}
	stdinUsed := false
	for _, list := range lists {
		switch {
		case list == "":
			return nil, usageErrorf("list", "an empty name, expected that of a file, or - for standard input")
		case list != "-" && isStream(list):
			p := &pipeList{path: list}
			in.pipes = append(in.pipes, p)
			sources = append(sources, target.Stream(list, p))
		case list != "-":
			sources = append(sources, target.File(list))
		case stdinUsed:
			return nil, usageErrorf("list", "standard input is given twice")
		default:
			stdinUsed = true
			p := newPipeList(stdin)
			in.pipes = append(in.pipes, p)
			sources = append(sources, target.Stream("standard input", p))
		}
	}
	if len(sources) == 0 && !free {
		return nil, errNoInput
	}
	ports, err := target.ParsePorts(o.ports)
	if err != nil {
		return nil, usageErrorf("ports", "%v", err)
	}
	exclude, err := target.NewExclusion(o.exclude)
	if err != nil {
		return nil, usageErrorf("exclude", "%v", err)
	}
	if len(o.exclude) > 0 {
		in.refuse = exclude.MatchPort // for what the list does not name: redirects, and what names stand for
	}
	in.reader, err = target.NewReader(target.Config{
		Sources: sources, Ports: ports, Exclude: exclude, Strict: o.strict, OnBad: onBad,
	})
	if err != nil {
		return nil, err
	}
	return in, nil
}

// emptyInput says why there was nothing to scan.
func emptyInput(r *target.Reader) error {
	switch {
	case r.Excluded() > 0:
		return fmt.Errorf("no targets: %s, all excluded", counted(r.Excluded(), "target"))
	case r.Bad() > 0:
		return fmt.Errorf("no targets: %s, expected a URL, host, host:port, address, CIDR or range in each", counted(r.Bad(), "bad line"))
	}
	return errors.New("no targets: the list is empty, expected a URL, host, host:port, address, CIDR or range a line")
}

// present refuses the value that an unset variable of a shell leaves: an empty one, or the flag that comes next.
func present(flag string, values []string, want string) error {
	for _, value := range values {
		switch {
		case value == "":
			return usageErrorf(flag, "an empty value, expected %s", want)
		case value[0] == '-':
			return usageErrorf(flag, "%q looks like a flag, expected %s", value, want)
		}
	}
	return nil
}

// isPipe says that standard input has been given a list: it is a pipe or a file, not a terminal and not nothing.
func isPipe(stdin io.Reader) bool {
	f, ok := stdin.(*os.File)
	if !ok {
		return stdin != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}
