package check

import (
	"errors"

	"go.yaml.in/yaml/v3"

	"github.com/redialscan/redial/pkg/check/dsl"
	"github.com/redialscan/redial/pkg/target"
)

// SelfContained says that the check asks a host of its own, and is run once per scan on its [Check.Home], whatever the targets are.
func (c *Check) SelfContained() bool { return c.alone }

// Home is the target of a self-contained check: the host of its first request. For other checks it is no target.
func (c *Check) Home() target.Target { return c.home }

// readSelfContained notes that the check or one of its blocks is self-contained.
func (t *templateReader) readSelfContained(n *yaml.Node, field string) {
	if t.bool(n, field) {
		t.check.alone, t.aloneAt = true, n
	}
}

// findHome looks where the first request of a self-contained check goes. It must be known before the scan.
func (t *templateReader) findHome() {
	if !t.check.alone || len(t.problems) > 0 {
		return
	}
	b := t.check.blocks[0]
	if b.protocol != protocolHTTP {
		t.unsupported(t.aloneAt, "self-contained", "self-contained "+b.protocol)
		return
	}
	s := &state{check: t.check, block: b, job: &Job{Vars: t.src.vars}}
	if b.payloads != nil {
		s.payload = map[string]string{}
	}
	err := errors.Join(s.define(), s.fillPayload(0))
	if err != nil {
		t.noHome(err)
		return
	}
	req, err := s.build(&b.requests[0])
	if err == nil && req.Host == "" {
		err = errors.New("its URL has none") // but that of a target, and there is none
	}
	if err != nil {
		t.noHome(err)
		return
	}
	home := target.Target{Host: req.Host, Port: req.Port, Scheme: target.SchemeHTTP}
	if req.Scheme == "https" {
		home.Scheme = target.SchemeHTTPS
	}
	home.Input = rootURL(&home)
	t.check.home = home
}

func (t *templateReader) noHome(err error) {
	if missing, ok := errors.AsType[*dsl.MissingError](err); ok {
		t.about(t.aloneAt, "self-contained", KindVariable, missing.Name, "expected a first request whose host is known before the scan: %v", err)
		return
	}
	t.problem(t.aloneAt, "self-contained", KindValue, "expected a first request whose host is known before the scan: %v", err)
}
