package cluster

import (
	"time"

	"github.com/redialscan/redial/pkg/hostkey"
	"github.com/redialscan/redial/pkg/journal"
	"github.com/redialscan/redial/pkg/report"
)

// left is what has not ended yet of a batch. It is not safe for concurrent use.
type left struct {
	batch     *Batch
	spec      *Spec
	places    map[int64]int // of targets in the batch
	accounts  *journal.Accounts
	cut       bool // some of it was cut off by the end of its run
	strangers int  // events of items that the batch does not have
}

func newLeft(b *Batch, spec *Spec) *left {
	l := &left{batch: b, spec: spec, places: make(map[int64]int, len(b.Targets)), accounts: journal.NewAccounts(spec.Items)}
	for i := range b.Targets {
		t := &b.Targets[i]
		l.places[t.Index] = i
		todo := make(map[int]struct{}, len(t.Again))
		for _, item := range t.Again {
			todo[item] = struct{}{}
		}
		for item := range t.From {
			if _, ok := todo[item]; !ok {
				l.accounts.Take(int64(i), item)
			}
		}
	}
	return l
}

// goesBack says that items skipped for a reason are not over, and whether that is because the run was cut off.
func goesBack(reason string, noRevisit bool) (back, cut bool) {
	switch reason {
	case "interrupted", "outage":
		return true, true
	case "quarantined", "held":
		return !noRevisit, false
	}
	return false, false
}

// take notes an event of the run, and returns what of it is to be told; nil for nothing.
func (l *left) take(e report.Event) report.Event {
	switch e := e.(type) {
	case *report.Result:
		if place, ok := l.places[e.Target]; ok && l.accounts.Take(int64(place), e.Index) {
			return e
		}
		l.strangers++
	case *report.Skipped:
		place, ok := l.places[e.Target]
		if !ok {
			l.strangers++
			return nil
		}
		back, cut := goesBack(e.Reason, l.spec.NoRevisit)
		l.cut = l.cut || cut
		if back {
			return nil
		}
		if kept := first(e, func(item int) bool { return l.accounts.Take(int64(place), item) }); kept != nil {
			return kept
		}
	default:
		if told(e) {
			return e
		}
	}
	return nil
}

// rest are the targets with what is left of them.
func (l *left) rest() []Target {
	var all []Target
	for i, t := range l.batch.Targets {
		t.From, t.Again = l.accounts.Left(int64(i))
		if t.From < l.spec.Items || len(t.Again) > 0 {
			all = append(all, t)
		}
	}
	return all
}

// breakerKeys are the keys that a breaker may have for a target's host: one, or two while its scheme is open.
func breakerKeys(key string) []string {
	if _, port, err := hostkey.Split(key); err != nil || port != 0 {
		return []string{key}
	}
	return []string{key + ":443", key + ":80"}
}

// due is how long nothing of some targets may be sent: the least wait of their hosts.
func due(targets []Target, hosts []Host) time.Duration {
	wait := make(map[string]time.Duration, len(hosts))
	for i := range hosts {
		wait[hosts[i].Key] = time.Duration(hosts[i].Left)
	}
	least := time.Duration(-1)
	for i := range targets {
		longest := time.Duration(0)
		for _, k := range breakerKeys(targets[i].Key) {
			longest = max(longest, wait[k])
		}
		if least < 0 || longest < least {
			least = longest
		}
	}
	return max(0, least)
}
