package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/redialscan/redial/internal/scan"
	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/journal"
	"github.com/redialscan/redial/pkg/report"
)

// resume reads how far the scan of an events file came, and refuses one that had other items.
func (o *scanOptions) resume(ctx context.Context, opt *scan.Options, screen *screen, held *heldJournal) (*journal.Progress, error) {
	name := o.output.resume
	if name == "" {
		return nil, nil
	}
	p, err := held.left, error(nil)
	if p == nil {
		p, err = journal.Load(ctx, name, func(bad *report.LineError) { tellScannedAgain(screen, name, bad) })
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("no such file, expected the events file of a scan; --resume without a file begins one")
		}
		return nil, usageErrorf("resume", "%s: %v", name, reason(err))
	}
	if !p.Begun() { // there is nothing to lose, and maybe not all to compare
		screen.messages.info("the scan of %s had not come to anything, and begins anew", name)
		o.output.events, o.output.resume = name, ""
		return nil, nil
	}
	if all := p.Differences(opt.Started, scan.Places(*opt)); len(all) > 0 {
		text := strings.Join(all, "; ")
		if held.kept != "" {
			text += "; to begin anew, remove that file"
		}
		return nil, usageErrorf("resume", "%s is of another scan: %s", name, text)
	}
	return p, nil
}

func tellScannedAgain(screen *screen, name string, bad *report.LineError) {
	screen.messages.warn("%s: %v; what it said is scanned again", name, bad)
}

// fromSkipped reads what an earlier scan of the same items has not done.
func (o *scanOptions) fromSkipped(ctx context.Context, opt *scan.Options, screen *screen) (*journal.Missing, error) {
	name := o.input.from
	if name == "" {
		return nil, nil
	}
	m, err := journal.LoadMissing(ctx, name, func(bad *report.LineError) { screen.messages.warn("%s: %v", name, bad) })
	if err != nil {
		return nil, usageErrorf("from-skipped", "%s: %v", name, reason(err))
	}
	if all := m.Differences(opt.Started, scan.Places(*opt)); len(all) > 0 {
		return nil, usageErrorf("from-skipped", "%s is of another scan: %s", name, strings.Join(all, "; "))
	}
	if !m.Ended() {
		screen.messages.warn("%s ends before its scan did; --resume goes on with what it never came to", name)
	}
	screen.messages.info("run again is what failed or was skipped: %s of %s", counted(m.Count(), "item"), counted(m.Targets(), "target"))
	sum := sha256.New()
	n, err := hashFile(sum, name)
	if err != nil {
		return nil, err
	}
	opt.Started.Inputs = append(opt.Started.Inputs, report.Input{Kind: journal.KindFromSkipped, Name: name, Size: n, Digest: digestOf(sum)})
	return m, nil
}

// describeInputs notes in the first event what the inputs hold, so that it can be told later whether they are the same.
// Reading them takes time, and only what has to do with an events file has a use for it.
func (o *scanOptions) describeInputs(st *report.Started, set *check.Set) error {
	if o.output.events == "" && o.output.resume == "" && o.input.from == "" {
		return nil
	}
	if len(o.input.lists) == 0 && len(o.input.targets) == 0 {
		st.Inputs = append(st.Inputs, report.Input{Kind: "list", Name: "-"})
	}
	for _, value := range o.input.exclude {
		st.Inputs = append(st.Inputs, report.Input{Kind: "exclude", Name: value})
	}
	for i := range st.Inputs {
		in := &st.Inputs[i]
		if in.Kind != "list" && in.Kind != "exclude" || in.Name == "-" || !isRegular(in.Name) {
			continue
		}
		sum := sha256.New()
		n, err := hashFile(sum, in.Name)
		if err != nil {
			return err
		}
		in.Size, in.Digest = n, digestOf(sum)
	}
	if set == nil {
		return nil
	}
	all := report.Input{Kind: "check", Name: counted(len(set.Checks), "check")}
	sum := sha256.New()
	for _, c := range set.Checks {
		for _, file := range append([]string{c.File()}, c.PayloadFiles()...) {
			n, err := hashFile(sum, file)
			if err != nil {
				return err
			}
			all.Size += n
		}
	}
	all.Digest = digestOf(sum)
	st.Inputs = append(st.Inputs, all)
	return nil
}

func digestOf(sum interface{ Sum([]byte) []byte }) string {
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

func isRegular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func hashFile(sum io.Writer, name string) (int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(sum, f)
}
