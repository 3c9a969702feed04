package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/redialscan/redial/internal/lab"
)

// arrivals is what came to a server.
type arrivals struct {
	Requests    int64     `json:"requests"`
	Connections int64     `json:"connections"`
	First       time.Time `json:"first"` // zero when none came
	Last        time.Time `json:"last"`  // the last one at a host that answers
	Unasked     int64     `json:"-"`     // checks of hosts that answer for which no request came
}

// server is a process that answers.
type server struct {
	cmd   *exec.Cmd
	urls  string // file with its hosts
	end   func() error
	stats func() (arrivals, error)
	said  *bytes.Buffer // what it printed, whole once it has ended
}

// startServer starts what a workload needs; nil for a workload without a server.
func startServer(ctx context.Context, w workload, redial, self, dir string) (*server, error) {
	switch w.server {
	case labServer:
		return startLab(ctx, w, redial, dir)
	case wideServer:
		return startWide(ctx, w, self, dir)
	}
	return nil, nil
}

func startLab(ctx context.Context, w workload, redial, dir string) (*server, error) {
	urls, stats := filepath.Join(dir, "urls.txt"), filepath.Join(dir, "stats.json")
	args := append([]string{"lab", "--list", urls, "--stats-file", stats}, w.labFlags()...)
	s := &server{cmd: exec.CommandContext(ctx, redial, args...), urls: urls}
	messages, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, _ := bufio.NewReader(messages).ReadString('\n')
	if strings.TrimSpace(line) != "ready" {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		return nil, fmt.Errorf("the lab did not start: %s", strings.TrimSpace(line))
	}
	s.end = func() error { return s.cmd.Process.Signal(os.Interrupt) }
	s.stats = func() (arrivals, error) {
		text, err := os.ReadFile(stats)
		if err != nil {
			return arrivals{}, err
		}
		return readStats(text, w.checks)
	}
	return s, nil
}

// readStats adds up what a lab says of its hosts.
func readStats(text []byte, checks int) (arrivals, error) {
	var hosts []lab.HostStats
	if err := json.Unmarshal(text, &hosts); err != nil {
		return arrivals{}, fmt.Errorf("what the lab counted: %w", err)
	}
	var a arrivals
	for _, h := range hosts {
		a.Requests += h.Requests
		a.Connections += h.Connections
		if a.First.IsZero() || !h.First.IsZero() && h.First.Before(a.First) {
			a.First = h.First
		}
		if !answers(h.Kind) {
			continue
		}
		a.Unasked += max(0, int64(checks)-h.Requests)
		if h.Last.After(a.Last) {
			a.Last = h.Last
		}
	}
	return a, nil
}

func startWide(ctx context.Context, w workload, self, dir string) (*server, error) {
	s := &server{cmd: exec.CommandContext(ctx, self, wideCommand), urls: filepath.Join(dir, "urls.txt"), said: &bytes.Buffer{}}
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	port, err := lines.ReadString('\n')
	if err == nil {
		err = writeList(s.urls, w.targets, strings.TrimSpace(port))
	}
	if err != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		return nil, fmt.Errorf("the wide server did not start: %w", err)
	}
	s.end = func() error {
		err := in.Close()
		_, readErr := s.said.ReadFrom(lines)
		return errors.Join(err, readErr)
	}
	s.stats = func() (arrivals, error) {
		var a arrivals
		if err := json.Unmarshal(s.said.Bytes(), &a); err != nil {
			return a, fmt.Errorf("what the wide server counted: %w", err)
		}
		a.Unasked = max(0, int64(w.targets)-a.Requests)
		return a, nil
	}
	return s, nil
}

func writeList(name string, n int, port string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(writeAddresses(f, n, "http://", ":"+port+"/"), f.Close())
}

// stop ends the server and says what came to it.
func (s *server) stop() (arrivals, error) {
	endErr := s.end()
	if err := errors.Join(endErr, s.cmd.Wait()); err != nil {
		return arrivals{}, fmt.Errorf("the server: %w", err)
	}
	return s.stats()
}
