package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redialscan/redial/pkg/requester"
)

// bareCommand makes this program a loop that sends and does nothing else: no breaker, no pace, no order, no matching, no
// results. What redial is slower than that is what redial costs.
const bareCommand = "bare"

// bare is one run of the loop.
type bare struct {
	urls    []string // base URLs, each with a slash at its end
	paths   []string
	workers int
	timeout time.Duration
}

func runBare(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet(bareCommand, flag.ContinueOnError)
	list := fs.String("list", "", "file with a URL a line")
	paths := fs.String("paths", "", "file with a path a line")
	nethttp := fs.Bool("nethttp", false, "send by the HTTP code of the standard library")
	b := bare{paths: []string{"/"}}
	fs.IntVar(&b.workers, "workers", concurrency, "requests in flight")
	fs.DurationVar(&b.timeout, "timeout", usualTimeout, "time for an answer")
	if err := fs.Parse(args); err != nil {
		return err
	}
	var err error
	if b.urls, err = readLines(*list); err != nil {
		return err
	}
	if *paths != "" {
		if b.paths, err = readLines(*paths); err != nil {
			return err
		}
	}
	if *nethttp {
		return b.run(b.standard(ctx))
	}
	client, err := requester.New(requester.Config{Timeout: b.timeout})
	if err != nil {
		return err
	}
	defer client.Close()
	send, err := b.own(ctx, client)
	if err != nil {
		return err
	}
	return b.run(send)
}

// run asks every host for every path, the hosts in turn, and fails when a request has failed.
func (b bare) run(send func(host int, path string) error) error {
	var next, failed atomic.Int64
	var last atomic.Pointer[error]
	total := int64(len(b.urls) * len(b.paths))
	var sending sync.WaitGroup
	for range b.workers {
		sending.Go(func() {
			for i := next.Add(1) - 1; i < total; i = next.Add(1) - 1 {
				if err := send(int(i)%len(b.urls), b.paths[int(i)/len(b.urls)]); err != nil {
					failed.Add(1)
					last.Store(&err)
				}
			}
		})
	}
	sending.Wait()
	if n := failed.Load(); n > 0 {
		return fmt.Errorf("%d of %d requests failed, the last with: %w", n, total, *last.Load())
	}
	return nil
}

// own sends by redial's HTTP code.
func (b bare) own(ctx context.Context, client *requester.Client) (func(int, string) error, error) {
	hosts := make([]requester.Request, len(b.urls))
	for i, text := range b.urls {
		u, err := url.Parse(text)
		if err != nil {
			return nil, err
		}
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil {
			return nil, fmt.Errorf("%s: expected a URL with a port", text)
		}
		hosts[i] = requester.Request{Scheme: u.Scheme, Host: u.Hostname(), Port: uint16(port), WantBody: true}
	}
	return func(host int, path string) error {
		req := hosts[host]
		req.Target = path
		_, err := client.Do(ctx, &req, nil)
		if len(b.paths) == 1 { // the host is done, and its connection of no more use
			client.Forget(req.Host + ":" + strconv.Itoa(int(req.Port)))
		}
		return err
	}, nil
}

// standard sends by net/http.
func (b bare) standard(ctx context.Context) func(int, string) error {
	transport := &http.Transport{
		MaxIdleConnsPerHost: b.workers, MaxIdleConns: requester.DefaultMaxIdle, DisableCompression: true,
		DisableKeepAlives: len(b.paths) == 1, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}
	client := &http.Client{Transport: transport, Timeout: b.timeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return func(host int, path string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.urls[host]+path[1:], nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		_, err = io.ReadAll(resp.Body)
		return errors.Join(err, resp.Body.Close())
	}
}

func readLines(name string) ([]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var lines []string
	in := bufio.NewScanner(f)
	for in.Scan() {
		lines = append(lines, in.Text())
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: expected some lines", name)
	}
	return lines, nil
}
