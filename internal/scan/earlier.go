package scan

import (
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/journal"
	"github.com/redialscan/redial/pkg/report"
)

// earlier is what an earlier scan has left to this one.
type earlier struct {
	*journal.Progress
	counts report.Counts // that the earlier scan ended
	hosts  int64         // of which everything was ended
	host   string        // the last of them
}

// Places describes the items that each target of a scan has, in their order.
func Places(opt Options) []*report.Check {
	s := &Scan{opt: opt}
	all := make([]*report.Check, s.places())
	for i := range all {
		all[i] = s.place(i)
	}
	return all
}

// Names gives a function that says of a result which check it is of, for results that come from elsewhere and tell only the
// place of their item.
func Names(opt Options) func(*report.Result) {
	s := &Scan{opt: opt, told: tellChecks(opt.Checks)}
	return func(r *report.Result) {
		if opt.Checks != nil && r.Index < len(opt.Checks.Checks) {
			s.nameCheck(r, r.Index)
		}
	}
}

// goOn takes up an earlier scan: what it counted, and where its hosts stood.
func (s *Scan) goOn() error {
	if s.opt.Earlier == nil {
		return nil
	}
	s.earlier = &earlier{Progress: s.opt.Earlier}
	err := s.earlier.Events(func(e report.Event) error {
		if r, ok := e.(*report.Result); ok {
			s.noteWorst(r)
			if r.PassedOver != "" || s.asked(r) {
				s.moot.Add(1)
			}
		}
		return s.tally.Event(e)
	})
	s.earlier.counts = s.tally.Counts()
	if s.breaker == nil || err != nil {
		return err
	}
	for t, left := range s.earlier.Hosts() {
		s.restore(hosterrors.Memory{
			Key: t.Host, State: stateOf(t.To), Errors: int32(t.Errors), Trips: int32(t.Trips), Left: left, Seq: t.Seq, LastError: t.Error,
		})
	}
	return nil
}

// asked says that a result is of a check that asks others than the target.
func (s *Scan) asked(r *report.Result) bool {
	return s.asks && s.opt.Checks != nil && !r.Failed && r.Index >= 0 && r.Index < s.places() && !s.opt.Checks.Checks[r.Index].AsksTarget()
}

func stateOf(name string) hosterrors.State {
	for _, s := range []hosterrors.State{hosterrors.StateOpen, hosterrors.StateHalfOpen, hosterrors.StateDead} {
		if s.String() == name {
			return s
		}
	}
	return hosterrors.StateClosed
}

// left is what there is to do for a target.
func (s *Scan) left(j job) (from int, again []int) {
	switch {
	case s.opt.Only == nil && s.earlier == nil:
	case s.opt.Only == nil:
		from, again = s.earlier.Left(j.index, s.places())
	case s.earlier == nil:
		from, again = s.opt.Only.Left(j.index, s.places())
	default:
		from, again = journal.Both(j.index, s.places(), s.opt.Only, s.earlier)
	}
	return s.ofItsOwn(j, from, again)
}

// passOver says that there is nothing to do for a target: it was not asked for, or everything of it was ended by the
// earlier scan. Of those the hosts are counted: like the executor does it, once for targets that follow each other.
func (s *Scan) passOver(j job) bool {
	if from, again := s.left(j); from < s.places() || len(again) > 0 {
		return false
	}
	if s.earlier == nil {
		return true
	}
	if from, again := s.ofItsOwn(j, 0, nil); from == s.places() && len(again) == 0 {
		return true // it has no checks
	}
	if s.opt.Only != nil {
		if from, again := s.opt.Only.Left(j.index, s.places()); from == s.places() && len(again) == 0 {
			return true
		}
	}
	if key := j.Key(); key != s.earlier.host {
		s.earlier.host = key
		s.earlier.hosts++
	}
	return true
}

// withEarlier adds to a summary what the earlier scan did.
func (s *Scan) withEarlier(sum *report.Summary) {
	if s.earlier == nil {
		return
	}
	sum.Hosts += s.earlier.hosts
	sum.Items += s.earlier.items()
	sum.Sent += s.earlier.Sent()
}

func (e *earlier) items() int64 { return e.counts.Done + e.counts.Failed + e.counts.Skipped }

// withEarlierStatus adds the same to what is shown meanwhile.
func (s *Scan) withEarlierStatus(st *report.Status) {
	if s.earlier == nil {
		return
	}
	st.Items += s.earlier.items()
	st.Done += s.earlier.counts.Done
	st.Failed += s.earlier.counts.Failed
	st.Skipped += s.earlier.counts.Skipped
}
