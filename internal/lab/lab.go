package lab

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// Lab is a running set of hosts. Its methods are safe for concurrent use.
type Lab struct {
	hosts []Host
	holes []*hole
	seed  uint64
	quit  chan struct{}
	done  chan struct{} // closed when every goroutine of the lab has ended

	closing sync.Once
	err     error // what Close returns
}

// Start starts a lab and returns when all its hosts are as they should be: those
// that listen do, those that swallow SYNs are filled. The lab runs until Close.
//
// An error says which host could not be had; it wraps errors.ErrUnsupported
// when the system has no way to make a black hole.
func Start(cfg Config) (*Lab, error) {
	return start(cfg, pickLayout())
}

func start(cfg Config, how layout) (*Lab, error) {
	specs, err := cfg.specs()
	if err != nil {
		return nil, err
	}
	places, err := settleIn(specs, cfg.Port, how)
	if err != nil {
		return nil, err
	}
	l := &Lab{seed: cfg.Seed, quit: make(chan struct{}), done: make(chan struct{})}
	if err := l.furnish(cfg, specs, places); err != nil {
		leave(places)
		return nil, err
	}
	go l.run()
	return l, nil
}

// furnish makes a server of every place that is not a hole.
func (l *Lab) furnish(cfg Config, specs []Spec, places []place) error {
	var (
		pages = newSite()
		start = time.Now()
		mint  minter
	)
	for i, spec := range specs {
		at := places[i]
		s := &server{
			spec:     spec,
			addr:     at.addr,
			site:     pages.at(spec.Kind, at.addr),
			answer:   newAnswer(spec),
			count:    &counter{start: start, keepTimes: cfg.RecordTimes, keepPaths: cfg.RecordPaths, keepRaw: cfg.RecordRaw},
			switches: make(chan turn),
			quit:     l.quit,
			first:    at.listener,
		}
		if spec.Kind.overTLS() {
			var err error
			if s.tls, err = mint.config(spec, at.addr); err != nil {
				return err
			}
		}
		if at.hole != nil {
			l.holes = append(l.holes, at.hole)
		}
		l.hosts = append(l.hosts, Host{Kind: spec.Kind, Addr: at.addr, server: s})
	}
	l.aimRedirects()
	return nil
}

// aimRedirects gives the redirecting hosts their targets, now that all addresses are known.
func (l *Lab) aimRedirects() {
	healthy := l.Of(Healthy)
	for _, h := range l.Of(Redirecting) {
		if h.server.spec.Location != "" {
			h.RedirectTo(h.server.spec.Location, h.server.spec.Code)
		} else if len(healthy) > 0 {
			h.server.redirectBase = "http://" + healthy[0].Addr
		}
	}
}

// run holds the goroutines of all hosts until Close.
func (l *Lab) run() {
	defer close(l.done)
	var servers sync.WaitGroup
	for _, h := range l.hosts {
		if h.Kind != BlackHole {
			servers.Go(h.server.run)
		}
	}
	servers.Wait()
}

// Close stops all hosts, closes their connections and returns when every
// goroutine of the lab has ended. The counts stay. Calls after the first
// return what the first did: nil, or which flaky hosts could not come back.
func (l *Lab) Close() error {
	l.closing.Do(func() {
		close(l.quit)
		<-l.done
		for _, h := range l.holes {
			h.close()
		}
		for _, h := range l.hosts {
			l.err = errors.Join(l.err, h.server.err)
		}
	})
	return l.err
}

// Hosts returns all hosts, in the order of Kinds and then of Config.Hosts.
func (l *Lab) Hosts() []Host {
	return append([]Host(nil), l.hosts...)
}

// Of returns the hosts of one kind, in order.
func (l *Lab) Of(kind Kind) []Host {
	var of []Host
	for _, h := range l.hosts {
		if h.Kind == kind {
			of = append(of, h)
		}
	}
	return of
}

// Requests returns how many requests have arrived at an address of the lab; 0 for any other.
func (l *Lab) Requests(addr string) int64 {
	for _, h := range l.hosts {
		if h.Addr == addr {
			return h.Requests()
		}
	}
	return 0
}

// Stats returns what has arrived at each host, in the order of Hosts.
func (l *Lab) Stats() []HostStats {
	all := make([]HostStats, len(l.hosts))
	for i, h := range l.hosts {
		all[i] = h.Stats()
	}
	return all
}

// WriteList writes the URL of each host, one a line: in the order of Hosts, or
// shuffled by Config.Seed, the same for the same seed.
func (l *Lab) WriteList(w io.Writer) error {
	hosts := l.Hosts()
	if l.seed != 0 {
		rand.New(rand.NewPCG(l.seed, 0)).Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
	}
	out := bufio.NewWriter(w)
	for _, h := range hosts {
		_, _ = out.WriteString(h.URL() + "\n") // an error stays until Flush
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("lab: writing the list: %w", err)
	}
	return nil
}
