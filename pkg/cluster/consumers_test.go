package cluster

import (
	"context"
	"slices"
	"sync"
	"testing"
)

func TestPartitionsInUse(t *testing.T) {
	const partitions = 16
	in := newReading()
	if got := in.used(partitions); len(got) != partitions || !slices.IsSorted(got) {
		t.Errorf("of an input that is not known %v are used, want all", got)
	}
	in.read(t.Context(), listOf(6, 3))
	want := map[int]bool{}
	for target := range in.targets {
		want[partitionOf(target.Key, partitions)] = true
	}
	got := in.used(partitions)
	if len(got) != len(want) || slices.ContainsFunc(got, func(p int) bool { return !want[p] }) {
		t.Errorf("%v are used, want those of the three hosts, %v", got, want)
	}
}

// A consumer is there when it was waited for, whoever makes it, and whatever became of those who were to.
func TestConsumersAreThere(t *testing.T) {
	g := newGroup(t, listOf(1, 1), 1)
	conn, spec := g.prepared()
	wantConsumer := func(c *consumers, p int) {
		t.Helper()
		if err := c.await(within(t), conn, &spec, p); err != nil {
			t.Fatal(err)
		}
		n := names{spec.Scan}
		if _, err := conn.js.Consumer(t.Context(), n.work(), n.consumer(p)); err != nil {
			t.Errorf("partition %d: %v", p, err)
		}
	}
	c := newConsumers([]int{0, 1})
	var making sync.WaitGroup
	making.Go(func() { c.run(t.Context(), conn, &spec) })
	for _, p := range []int{1, 0, 1, 3} {
		wantConsumer(c, p)
	}
	making.Wait()

	ended, stop := context.WithCancel(t.Context())
	stop()
	late := newConsumers([]int{2})
	late.run(ended, conn, &spec) // makes none
	wantConsumer(late, 2)
}
