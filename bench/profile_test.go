package main

import (
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

func TestPartOf(t *testing.T) {
	in := func(names ...string) []frame {
		var stack []frame
		for _, n := range names {
			name, file, _ := strings.Cut(n, " ")
			stack = append(stack, frame{strings.ReplaceAll(name, "$", module), file})
		}
		return stack
	}
	for _, c := range []struct {
		name  string
		stack []frame
		want  string
		own   bool
	}{
		{"a write", in("internal/runtime/syscall/linux.Syscall6", "net.(*conn).Write", "$pkg/requester.(*conn).exchange conn.go"), "kernel: sockets, polling, wake-ups", false},
		{"copying for one", in("runtime.memmove", "net.(*conn).Write", "$pkg/requester.(*conn).exchange conn.go"), "HTTP, TLS, connections", false},
		{"admission", in("sync.(*Mutex).Lock", "$pkg/requester.(*gates).enter gate.go", "$pkg/requester.(*Client).send send.go"), "pace and admission", true},
		{"memory", in("runtime.mallocgc", "$pkg/check.ReadPage page.go", "$internal/scan.(*Scan).result events.go"), "requests built, answers read and matched", true},
		{"a room below a room", in("$pkg/check/dsl.Eval eval.go"), "requests built, answers read and matched", true},
		{"an assist", in("runtime.scanobject", "runtime.gcAssistAlloc", "runtime.mallocgc", "$pkg/check.ReadPage page.go"), "garbage collection", false},
		{"the collector", in("runtime.scanobject", "runtime.gcBgMarkWorker"), "garbage collection", false},
		{"a generic function", in("$pkg/executor.(*Executor[go.shape.struct{}]).step work.go"), "scheduling", true},
		{"the runtime", in("runtime.findRunnable", "runtime.mcall"), "Go scheduler, timers, the rest", false},
		{"another's room of that name", in("example.com/pkg/executor.f f.go"), "Go scheduler, timers, the rest", false},
		{"nothing", nil, "Go scheduler, timers, the rest", false},
	} {
		if got := partOf(c.stack); got.name != c.want || got.own != c.own {
			t.Errorf("%s: got %+v, want %s, own %v", c.name, got, c.want, c.own)
		}
	}
}

func TestParts(t *testing.T) {
	at := func(name string) *profile.Location {
		return &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name, Filename: "/src/a.go"}}}}
	}
	sample := func(ns int64, stack ...*profile.Location) *profile.Sample {
		return &profile.Sample{Location: stack, Value: []int64{1, ns}}
	}
	p := &profile.Profile{Sample: []*profile.Sample{
		sample(60, at("internal/runtime/syscall/linux.Syscall6"), at(module+"pkg/requester.(*Client).Do")),
		sample(25, at("runtime.mallocgc"), at(module+"pkg/requester.(*Client).Do")),
		sample(10, at(module+"pkg/executor.(*floor).kick")),
		sample(5, at(module+"pkg/executor.(*floor).kick"), at(module+"internal/scan.New")),
	}}
	var got strings.Builder
	if err := writeParts(&got, addUp(p)); err != nil {
		t.Fatal(err)
	}
	want := strings.TrimPrefix(`
 60.0 %  kernel: sockets, polling, wake-ups
 25.0 %  HTTP, TLS, connections
 15.0 %  scheduling  (redial's own)
 15.0 %  redial's own together, at most 25 %
`, "\n")
	if got.String() != want {
		t.Errorf("got\n%q\nwant\n%q", got.String(), want)
	}
	got.Reset()
	if err := writeParts(&got, nil); err != nil || got.String() != "too short for a sample\n" {
		t.Errorf("got %q, %v for no samples", got.String(), err)
	}
}
