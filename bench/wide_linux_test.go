package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

func TestWideServerAnswersOnEveryLoopbackAddress(t *testing.T) {
	in, stop := io.Pipe()
	said, out := io.Pipe()
	var serving errgroup.Group
	serving.Go(func() error {
		err := serveWide(in, out)
		_ = out.CloseWithError(err)
		return err
	})
	lines := bufio.NewReader(said)
	port, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, i := range []int{0, 59_999} {
		resp, err := client.Get("http://" + wideAddress(i) + ":" + strings.TrimSpace(port) + "/")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	_ = stop.Close()
	var came arrivals
	if err := json.NewDecoder(lines).Decode(&came); err != nil {
		t.Fatal(err)
	}
	if came.Requests != 2 || came.Connections != 2 {
		t.Errorf("got %+v, want 2 requests on 2 connections", came)
	}
	if err := serving.Wait(); err != nil {
		t.Error(err)
	}
}
