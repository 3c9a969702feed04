package main

import (
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestOptions(t *testing.T) {
	o, err := parseOptions([]string{
		"-workloads", "tls,healthy", "-tools", "wrk,redial", "-rounds", "3", "-scale", "0.5", "-limit", "1m",
	}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := options{
		workloads: []string{"healthy", "tls"}, tools: []string{"redial", "wrk"}, rounds: 3, scale: 0.5, limit: time.Minute,
	}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("got %+v, want %+v", o, want)
	}
}

func TestOptionsAreAllByDefault(t *testing.T) {
	o, err := parseOptions(nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(o.workloads, workloadNames()) || !reflect.DeepEqual(o.tools, toolNames()) || o.rounds != 5 || o.scale != 1 {
		t.Errorf("got %+v, want all workloads and tools, 5 rounds, scale 1", o)
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-workloads odd", `-workloads: "odd" is not known, expected some of healthy, cluster, mixed, wide, tls, refused-million`},
		{"-tools curl", `-tools: "curl" is not known`},
		{"-rounds 0", "-rounds 0: expected 1 or more"},
		{"-scale 0", "-scale 0: expected a number above 0"},
		{"-scale NaN", "expected a number above 0"},
		{"-limit 0s", "-limit 0s: expected a time above 0"},
		{"-profile -redial x", "expected no -redial beside it"},
		{"healthy", `expected flags only, got "healthy"`},
	} {
		_, err := parseOptions(strings.Fields(c.args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.args, err, c.want)
		}
	}
}
