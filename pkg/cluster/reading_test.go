package cluster

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
)

// pipe is an input that says nothing for now.
type pipe struct{ ended chan struct{} }

func (p pipe) Next() (Target, error) {
	<-p.ended
	return Target{}, io.EOF
}

func TestPartitionsAreByTheLengthOfTheList(t *testing.T) {
	for _, tt := range []struct {
		name           string
		targets, hosts int
		items          int
		want           int
	}{
		{"nothing", 0, 1, 1, DefaultPartitions},
		{"few hosts", 20, 20, maxItems, fewest},
		{"two hundred hosts", 200, 200, 100_000, 17},
		{"little to do at each of two hundred hosts", 200, 200, 1000, 16},
		{"less at each of them", 200, 200, 500, fewest},
		{"many targets of few hosts", sizeTargets, 3, 1000, fewest},
		{"as many hosts as count as a short list", sizeTargets, sizeTargets, 1000, DefaultPartitions},
		{"a long list of few hosts", sizeTargets + 1, 3, 1, DefaultPartitions},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			in := newReading()
			var reading sync.WaitGroup
			reading.Go(func() { in.read(ctx, listOf(tt.targets, tt.hosts)) })
			if got := in.partitions(ctx, tt.items); got != tt.want {
				t.Errorf("%s: %d partitions, want %d", tt.name, got, tt.want)
			}
			n := 0
			for range in.targets {
				n++
			}
			if err := <-in.ended; n != tt.targets || !errors.Is(err, io.EOF) {
				t.Errorf("%s: %d targets, then %v; want %d and the end", tt.name, n, err, tt.targets)
			}
			stop()
			reading.Wait()
		})
	}
}

func TestNobodyWaitsForAPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, p := newReading(), pipe{make(chan struct{})}
		var reading sync.WaitGroup
		reading.Go(func() { in.read(t.Context(), p) })
		if got := in.partitions(t.Context(), 1); got != DefaultPartitions {
			t.Errorf("%d partitions for an input that is not there yet, want %d", got, DefaultPartitions)
		}
		close(p.ended)
		reading.Wait()
	})
}

// A scan that goes on has the partitions that it had, whatever its list is like now.
func TestPartitionsStayWhenAScanGoesOn(t *testing.T) {
	g := newGroup(t, listOf(20, 20), 1)
	g.cfg.Spec.Partitions = 0
	c, err := NewCoordinator(g.cfg)
	if err != nil {
		t.Fatal(err)
	}
	in := newReading()
	var reading sync.WaitGroup
	reading.Go(func() { in.read(t.Context(), g.cfg.Targets) })
	defer reading.Wait()
	if _, err := c.open(t.Context(), in); err != nil || c.spec.Partitions != fewest {
		t.Fatalf("%d partitions, %v, want %d", c.spec.Partitions, err, fewest)
	}
	c.spec.Partitions = 5
	if err := c.post(t.Context(), notice{Spec: c.spec, Phase: phaseRun}); err != nil {
		t.Fatal(err)
	}
	again, err := NewCoordinator(g.cfg)
	if err != nil {
		t.Fatal(err)
	}
	if before, err := again.open(t.Context(), in); !before || err != nil || again.spec.Partitions != 5 {
		t.Errorf("%d partitions of a scan from before (%v), %v; want 5", again.spec.Partitions, before, err)
	}
}

// A short list runs, by as many partitions as it gets.
func TestAShortListRuns(t *testing.T) {
	const targets, items = 40, 3
	g := newGroup(t, listOf(targets, 20), items)
	g.cfg.Spec.Partitions = 0
	g.join("w1", answering(items))
	g.join("w2", answering(items))
	if _, err := g.serve(within(t)); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
}

func TestACensusWaitsForThoseItKnows(t *testing.T) {
	g := newGroup(t, listOf(1, 1), 1)
	for _, name := range []string{"w1", "w2"} {
		g.join(name, answering(1), func(c *WorkerConfig) { c.Stay = true })
	}
	for ctx := within(t); ; {
		all, _, err := g.cfg.Conn.census(ctx, g.cfg.Refused, 0, censusWait)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == 2 {
			break
		}
	}
	all, whole, err := g.cfg.Conn.census(within(t), g.cfg.Refused, 1, censusWait)
	if err != nil || len(all) != 1 || !whole {
		t.Errorf("%d answers, whole %v, %v; want the first one, since no more are known of", len(all), whole, err)
	}
}
