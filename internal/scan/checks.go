package scan

import (
	"context"
	"errors"
	"sync"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/executor"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/retry"
	"github.com/redialscan/redial/pkg/target"
)

// checkSender sends the requests of one run of a check, and remembers what a repeat of the run would do twice. It is safe for
// concurrent use: a check may send copies of a request at once.
type checkSender struct {
	scan   *Scan
	index  int64 // of the target
	scheme target.Scheme
	probe  bool // the run decides whether its quarantined host has recovered
	free   int  // how often the host has asked for patience before

	mu    sync.Mutex
	begun bool // a request was answered, and would be sent once more by a repeat of the run
	acted bool // one of them must not be sent twice
}

// checkSendError is the failure of one of the requests of a check.
type checkSendError struct {
	err    error
	method string // of the request that failed
	acted  bool   // a request before it must not be sent twice
}

func (e *checkSendError) Error() string { return e.err.Error() }

// Unwrap gives the error of the send.
func (e *checkSendError) Unwrap() error { return e.err }

// acted says that a request which must not be sent twice was answered before the error.
func acted(err error) bool {
	failed, ok := errors.AsType[*checkSendError](err)
	return ok && failed.acted
}

// Do implements [check.Sender].
func (c *checkSender) Do(ctx context.Context, req *requester.Request, turn requester.Turn) (*requester.Response, error) {
	begun, acted := c.so()
	// A port that a check has chosen is waited for: that it is held back by a pace does not mean that nobody is there.
	resp, err := c.scan.do(ctx, req, turn, begun || req.Talk != nil, acted)
	method := check.Method(req)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = c.begun || err == nil
	if err == nil && !c.acted {
		if held := heldBackBy(resp, c.free); held != nil {
			return nil, held
		}
	}
	if err != nil {
		return nil, &checkSendError{err: err, method: method, acted: c.acted}
	}
	c.acted = c.acted || !retry.MayRepeat(method, false)
	return resp, nil
}

// so tells what the run has done so far.
func (c *checkSender) so() (begun, acted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun, c.acted
}

// runCheck runs a check on a target. An error is one of a request to the target.
func (s *Scan) runCheck(
	ctx context.Context, item executor.Item[job], t target.Target, turn *executor.Turn, begun bool,
) (answer, error) {
	sender := &checkSender{
		scan: s, index: item.Target.index, scheme: t.Scheme, probe: item.Probe, free: item.Free, begun: begun,
	}
	out, err := s.opt.Checks.Checks[item.Check].Run(ctx, check.Job{
		Target: t, Vars: s.opt.Vars, Send: sender, Turn: turn, KeepRaw: s.opt.KeepRaw, Follow: s.opt.Follow, FollowSameHost: s.opt.FollowHost,
	})
	if failed, ok := errors.AsType[*check.SendError](err); ok {
		return answer{}, failed.Err
	}
	if err == nil {
		err = errNothingSent
	}
	return answer{resp: out.Last, findings: out.Findings, moot: err, heard: out.Heard}, nil
}

var errNothingSent = errors.New("the check had nothing to send: a variable has no value for this target")

// passed ends an item whose check makes no sense on the target: it is done, since no second try would tell more, and says
// nothing of the host.
func (s *Scan) passed(item executor.Item[job], t target.Target, why error) outcome {
	r := s.blank(item, t)
	r.PassedOver = oneLine(why)
	s.moot.Add(1)
	s.opt.Log.verbose("%s passed over by %s: %s", r.URL, r.Check, r.PassedOver)
	s.emitResult(r)
	return outcome{Kind: executor.Moot}
}

// tellChecks makes what findings say of their checks, once for all of them.
func tellChecks(set *check.Set) []*report.Info {
	if set == nil {
		return nil
	}
	told := make([]*report.Info, len(set.Checks))
	for i, c := range set.Checks {
		info := c.Info()
		told[i] = &report.Info{
			Name: info.Name, Author: info.Authors, Severity: info.Severity.String(), Tags: info.Tags,
			Description: info.Description, Reference: info.References, Remediation: info.Remediation,
		}
	}
	return told
}

// places is the number of items of each target.
func (s *Scan) places() int {
	if s.opt.Checks != nil {
		return len(s.opt.Checks.Checks)
	}
	return s.opt.Probe.Len()
}

// place describes one item of each target.
func (s *Scan) place(i int) *report.Check {
	if s.opt.Checks == nil {
		return &report.Check{
			Index: i, ID: probeID, Name: probeName, Severity: "info", Method: s.opt.Probe.Method(), Path: s.opt.Probe.Path(i),
		}
	}
	c := s.opt.Checks.Checks[i]
	info := c.Info()
	return &report.Check{
		Index: i, ID: c.ID(), Name: info.Name, Severity: info.Severity.String(), Description: info.Description, Source: c.File(),
		Tags: info.Tags, References: info.References, Authors: info.Authors, Remediation: info.Remediation, Protocol: c.Protocol(),
		CVE: info.Class("cve-id"), CWE: info.Class("cwe-id"), CVSSScore: info.Score(), CVSSMetrics: info.Vector(),
	}
}

// nameCheck says of a result which check it is of.
func (s *Scan) nameCheck(r *report.Result, i int) {
	c := s.opt.Checks.Checks[max(0, i)]
	r.Check, r.Template, r.Protocol, r.Info = c.ID(), c.File(), c.Protocol(), s.told[max(0, i)]
}

// checkResult is the event of a check that is done.
func (s *Scan) checkResult(item executor.Item[job], t target.Target, a answer) *report.Result {
	r := s.blank(item, t)
	r.StatusCode, r.ContentLength, r.Hops = a.resp.Status, a.resp.Length, a.resp.Hops
	r.FinalURL, r.RedirectSkipped, r.Time = a.resp.FinalURL, a.resp.RedirectSkipped, report.Duration(a.resp.Took)
	r.HostIP = addressText(t.Host, a.resp.IP)
	r.Matched = len(a.findings) > 0
	for _, f := range a.findings {
		r.Timestamp = f.Time
		if f.Protocol == r.Protocol {
			f.Protocol = ""
		}
		r.Matches = append(r.Matches, report.Match{
			MatchedAt: f.MatchedAt, Type: f.Protocol, MatcherName: f.Matcher, ExtractorName: f.Extractor, Extracted: f.Extracted,
			IP: f.IP, Request: f.Request, Response: f.Response, Curl: f.Curl,
		})
	}
	return r
}

// noteWorst keeps the highest severity that was found.
func (s *Scan) noteWorst(r *report.Result) {
	if r.Findings() == 0 {
		return
	}
	rank := int64(1)
	if r.Info != nil {
		rank = max(rank, int64(report.SeverityRank(r.Info.Severity)))
	}
	for {
		before := s.worst.Load()
		if rank <= before || s.worst.CompareAndSwap(before, rank) {
			return
		}
	}
}

// needsScheme says that a check, or the probe, is for a target of which the scheme is known.
func (s *Scan) needsScheme(check int) bool {
	return s.opt.Checks == nil || check < 0 || s.opt.Checks.Checks[check].NeedsScheme()
}

// survey notes what the checks need.
func (s *Scan) survey() {
	servers := 0
	s.asks, s.schemes = s.opt.Checks == nil, s.opt.Checks == nil
	for i := range s.places() {
		if s.opt.Checks == nil {
			return
		}
		c := s.opt.Checks.Checks[i]
		s.asks, s.schemes = s.asks || c.AsksTarget(), s.schemes || c.NeedsScheme()
		if c.AsksServers() {
			servers++
		}
	}
	if servers == 0 {
		return
	}
	if err := s.client.CanAsk(); err != nil {
		s.opt.Log.info("%d checks that ask DNS servers are passed over: %s", servers, oneLine(err))
	}
}

// settles says that the requests of a check tell which scheme a host speaks.
func (s *Scan) settles(check int) bool {
	return s.opt.Checks == nil || s.opt.Checks.Checks[check].Protocol() == "http"
}
