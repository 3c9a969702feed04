package scan

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/executor"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/retry"
	"github.com/redialscan/redial/pkg/target"
)

// The built-in check in reports.
const (
	probeID   = "probe"
	probeName = "Answer to the built-in probe"
)

// reasonHeld is why items of a host at its failure limit are skipped.
const reasonHeld = "held"

var errLate = errors.New("the item's time was over before it could be sent")

// StoppedError is an item's last error with the rule that ended its attempts.
type StoppedError struct {
	Stop retry.Stop
	Wait time.Duration // the wait that would have come next; 0 when there was none to come
	Err  error
}

func (e *StoppedError) Error() string { return e.Err.Error() }

// Unwrap gives the error of the last attempt.
func (e *StoppedError) Unwrap() error { return e.Err }

// result is the event of an item that is done.
func (s *Scan) result(item executor.Item[job], t target.Target, a answer) *report.Result {
	if s.opt.Checks != nil {
		return s.checkResult(item, t, a)
	}
	resp := a.resp
	page := check.ReadPage(resp)
	r := s.blank(item, t)
	r.Matched = s.opt.Probe.Match(&page, resp)
	r.StatusCode, r.Title, r.WebServer, r.ContentType = page.Status, page.Title, page.WebServer, page.ContentType
	r.ContentLength, r.Words, r.Lines = page.Length, page.Words, page.Lines
	r.Location, r.FinalURL, r.TLSSubject = page.Location, page.FinalURL, page.TLSSubject
	r.RedirectSkipped, r.Hops = page.RedirectSkipped, page.Hops
	r.Time = report.Duration(resp.Took)
	r.HostIP = addressText(t.Host, resp.IP)
	return r
}

// blank is what is known of an item before its answer.
func (s *Scan) blank(item executor.Item[job], t target.Target) *report.Result {
	asked := t
	r := s.room()
	*r = report.Result{
		Target: item.Target.index, Index: item.Check, Timestamp: time.Now(),
		Input: t.Input, Host: t.Host, Attempts: item.Sends, Check: probeID,
	}
	if s.opt.Checks != nil {
		s.nameCheck(r, item.Check)
	} else {
		asked.Path, r.Method = s.opt.Probe.Target(t, item.Check), s.opt.Probe.Method()
	}
	r.URL, r.Path = asked.URL(), asked.Path
	if t.Settled() {
		r.Scheme = t.Scheme.String()
	}
	if t.Settled() || t.Port != 0 { // a part of the host's key, which its row in the summary goes by
		r.Port = portText(t)
	}
	return r
}

// room is memory for a result, which may hold an old one.
func (s *Scan) room() *report.Result {
	if s.part {
		if r, ok := s.lent.Get().(*report.Result); ok {
			return r
		}
	}
	return new(report.Result)
}

// emitResult emits a result, which is gone then.
func (s *Scan) emitResult(r *report.Result) {
	s.emit(r)
	if s.part {
		s.lent.Put(r)
	}
}

func portOf(t target.Target) uint16 {
	if t.Port == 0 {
		return t.Scheme.Port()
	}
	return t.Port
}

// portText is the port of a target that is settled or has one. It costs nothing where the port is the scheme's, or stands in the target's line.
func portText(t target.Target) string {
	switch portOf(t) {
	case 80:
		return "80"
	case 443:
		return "443"
	}
	key := t.Key()
	return key[strings.LastIndexByte(key, ':')+1:]
}

// addressText is the address of the peer, "" where it is not known. It costs nothing where the host is that address.
func addressText(host string, ip netip.Addr) string {
	if !ip.IsValid() {
		return ""
	}
	var room [64]byte
	text := ip.AppendTo(room[:0])
	if string(text) == host {
		return host
	}
	return string(text)
}

func (s *Scan) failed(f executor.Failure[job]) {
	r := s.blank(f.Item, f.Item.Target.Target)
	r.Failed = true
	r.Error = oneLine(f.Err)
	defer s.emitResult(r)
	if s.opt.Log.Verbose == nil {
		return
	}
	why := ""
	if stopped, ok := errors.AsType[*StoppedError](f.Err); ok {
		why = " (" + stopped.Stop.String() + ")"
		if stopped.Wait > 0 {
			why = fmt.Sprintf(" (%s, the next wait is %s)", stopped.Stop, stopped.Wait)
		}
	}
	s.opt.Log.verbose("%s failed in attempt %d%s: %s", r.URL, f.Item.Attempt, why, r.Error)
}

func (s *Scan) skipped(k executor.Skipped[job]) {
	e := &report.Skipped{
		Time: time.Now(), Host: k.Host, URL: k.Target.URL(), Input: k.Target.Input, Target: k.Target.index,
		Reason: string(k.Reason), LastError: oneLine(k.Err), From: k.From, To: k.To, Again: k.Again,
	}
	if k.Reason == executor.Quarantined && s.held(k.Host) && (s.breaker == nil || !s.breaker.Quarantined(k.Host)) {
		e.Reason = reasonHeld
	}
	if s.breaker != nil {
		h := s.breaker.Host(k.Host)
		e.State, e.Trips = h.State.String(), int(h.Trips)
		if h.LastError != nil {
			e.LastError = oneLine(h.LastError)
		}
	}
	s.emit(e)
	if k.Reason == executor.HostTimeout {
		s.opt.Log.verbose("%s has had its time, --host-timeout %s: %d items of %s skipped", k.Host, s.opt.HostTimeout, e.Count(), e.URL)
	}
}

// observe hears of every change of a host's state.
func (s *Scan) observe(t hosterrors.Transition) {
	if t.To == hosterrors.StateDead {
		s.dead.Add(1)
	} else if t.From == hosterrors.StateDead {
		s.dead.Add(-1)
	}
	s.emit(&report.Transition{
		At: t.At, Host: t.Key, Seq: t.Seq, From: t.From.String(), To: t.To.String(), Errors: int(t.Errors),
		Trips: int(t.Trips), Cooldown: report.Duration(t.Cooldown), Error: oneLine(t.Err), Undone: t.Undone,
	})
	if s.opt.Log.Verbose == nil {
		return
	}
	switch t.To {
	case hosterrors.StateOpen:
		s.opt.Log.verbose("%s opened for %s after %d errors: %s", t.Key, t.Cooldown, t.Errors, oneLine(t.Err))
	case hosterrors.StateHalfOpen:
		s.opt.Log.verbose("%s probing", t.Key)
	case hosterrors.StateClosed:
		if t.Undone {
			s.opt.Log.verbose("%s closed again, since the fault was on this side", t.Key)
			return
		}
		s.opt.Log.verbose("%s recovered", t.Key)
	case hosterrors.StateDead:
		s.opt.Log.verbose("%s dead after %d trips: %s", t.Key, t.Trips, oneLine(t.Err))
	}
}

func (s *Scan) waiting(hosts int, until time.Time) {
	s.emit(&report.Waiting{Time: time.Now(), Hosts: hosts, Until: until})
	noun := "hosts"
	if hosts == 1 {
		noun = "host"
	}
	s.opt.Log.info("waiting for %d quarantined %s to be called once more, %s at most", hosts, noun, time.Until(until).Round(time.Second))
}

// oneLine is an error as one line of text, "" for none.
func oneLine(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}
