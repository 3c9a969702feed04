package cluster

import (
	"fmt"
	"testing"
)

func TestEveryItemEndsOnceWithThreeWorkers(t *testing.T) {
	const targets, hosts, items = 1000, 150, 3
	g := newGroup(t, listOf(targets, hosts), items)
	for i := range 3 {
		g.join(fmt.Sprintf("w%d", i), answering(items))
	}
	ending, err := g.serve(within(t))
	if err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	if ending.Items != targets*items || ending.Sent != targets*items || ending.Refused != 0 {
		t.Errorf("got %+v, want %d items and requests, none refused", ending, targets*items)
	}
}
