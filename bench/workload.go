package main

import (
	"strconv"
	"time"

	"github.com/redialscan/redial/internal/lab"
)

// serverKind is what answers in a workload.
type serverKind uint8

const (
	labServer  serverKind = iota // redial lab
	wideServer                   // this program, on every loopback address
	noServer                     // every connection is refused
)

// workload is a piece of work that tools are given, at its full size until it is scaled.
type workload struct {
	name    string
	server  serverKind
	hosts   []hosts // of a lab
	targets int
	checks  int           // requests to each target
	timeout time.Duration // for an answer, where the tool lets one choose
	down    time.Duration // how long flaky hosts are down at the start
	flags   []string      // of redial, besides those of every workload
	tools   []string      // those that can do it
	linux   bool          // needs more of loopback than other systems have
}

// hosts are so many hosts of a kind.
type hosts struct {
	kind lab.Kind
	n    int
}

// usualTimeout is long enough to play no part where every host answers.
const usualTimeout = 10 * time.Second

func allWorkloads() []workload {
	return []workload{
		{
			name: "healthy", hosts: []hosts{{lab.Healthy, 200}}, checks: 500, timeout: usualTimeout,
			tools: []string{"redial", "bare", "nethttp", "wrk", "ffuf", "httpx", "nuclei"},
		},
		{
			name: "cluster", hosts: []hosts{{lab.Healthy, 200}}, checks: 500, timeout: usualTimeout,
			tools: []string{"serve", "redial"},
		},
		{
			name: "mixed", linux: true, checks: 50, timeout: 3 * time.Second, down: 13 * time.Second,
			hosts: []hosts{{lab.Healthy, 100}, {lab.Flaky, 20}, {lab.Refusing, 40}, {lab.BlackHole, 20}, {lab.Silent, 20}},
			flags: []string{"--retries", "0", "--cooldown", "5s"},
			tools: []string{"redial", "ffuf", "httpx", "nuclei"},
		},
		{
			name: "wide", linux: true, server: wideServer, targets: 60_000, checks: 1, timeout: usualTimeout,
			tools: []string{"redial", "bare", "nethttp", "wrk", "ffuf", "httpx"},
		},
		{
			name: "tls", hosts: []hosts{{lab.TLS, 200}}, checks: 50, timeout: usualTimeout,
			tools: []string{"redial", "bare", "nethttp", "wrk", "ffuf", "httpx", "nuclei"},
		},
		{
			name: "refused-million", linux: true, server: noServer, targets: 1_000_000, checks: 1, timeout: usualTimeout,
			flags: []string{"--max-skipped", "100%"},
			tools: []string{"redial", "ffuf", "httpx"},
		},
	}
}

func workloadNames() []string {
	var names []string
	for _, w := range allWorkloads() {
		names = append(names, w.name)
	}
	return names
}

// scaled is a share of a workload: as many hosts with fewer checks, where there are checks to take away, else fewer targets.
// Less of mixed has fewer hosts, which are down for a shorter time.
func (w workload) scaled(by float64) workload {
	share := func(n int) int { return max(1, int(float64(n)*by+0.5)) }
	switch {
	case by == 1:
	case w.down > 0:
		hosts := make([]hosts, len(w.hosts))
		for i, h := range w.hosts {
			h.n = share(h.n)
			hosts[i] = h
		}
		w.hosts = hosts
		if by < 1 {
			w.down = max(time.Second, time.Duration(float64(w.down)*by)).Round(time.Second)
		}
	case w.checks > 1:
		w.checks = share(w.checks)
	default:
		w.targets = share(w.targets)
	}
	for _, h := range w.hosts {
		w.targets += h.n
	}
	return w
}

// living is the number of targets that answer in the end.
func (w workload) living() int {
	if w.server == noServer {
		return 0
	}
	n := w.targets
	for _, h := range w.hosts {
		if !answers(h.kind) {
			n -= h.n
		}
	}
	return n
}

// answers says that hosts of a kind answer, if not at first.
func answers(kind lab.Kind) bool {
	return kind == lab.Healthy || kind == lab.Flaky || kind == lab.TLS
}

// labFlags are the flags of redial lab for it.
func (w workload) labFlags() []string {
	flags := []string{"--seed", "1"}
	for _, h := range w.hosts {
		flags = append(flags, "--"+string(h.kind), strconv.Itoa(h.n))
	}
	if w.down > 0 {
		flags = append(flags, "--flaky-down", w.down.String())
	}
	return flags
}
