package cluster

import (
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
)

// Partitions that were left take turns with the others, and none is asked twice at a time.
func TestPartitionsTakeTurns(t *testing.T) {
	s := &shift{w: &worker{nudge: make(chan struct{}, 1)}, mine: make(map[int]struct{})}
	take := func(others ...int) (all []int) {
		for {
			p, ok := s.claim(&others)
			if !ok {
				return all
			}
			all = append(all, p)
		}
	}
	for _, step := range []struct {
		ends, others, want []int
	}{
		{nil, []int{2, 0, 1, 3}, []int{2, 0, 1, 3}},
		{nil, []int{0, 1, 2, 3}, nil},
		{[]int{3, 1}, nil, []int{1, 3}},
		{[]int{0, 1}, []int{2, 1, 3, 0}, []int{1, 0}},
		{[]int{0, 1, 2, 3}, []int{0, 1, 2, 3}, []int{3, 0, 2, 1}},
	} {
		s.turn = false
		for _, p := range step.ends {
			s.yield(p)
		}
		if got := take(step.others...); !slices.Equal(got, step.want) {
			t.Errorf("after %v have ended, %v of %v are asked, want %v", step.ends, got, step.others, step.want)
		}
	}
	s.release(1)
	if got := take(0, 1); !slices.Equal(got, []int{1}) {
		t.Errorf("after partition 1 had nothing, %v are asked", got)
	}
}

// A question that is taken back may have been answered by then.
func TestAnswersToWithdrawnQuestionsAreNotLost(t *testing.T) {
	server := startServer(t, EmbedConfig{})
	asker, answerer := dial(t, server, Access{}), dial(t, server, Access{})
	for _, answered := range []bool{true, false} {
		inbox, answers := asker.nc.NewInbox(), make(chan *nats.Msg, 2)
		sub, err := asker.nc.ChanSubscribe(inbox, answers)
		if err != nil {
			t.Fatal(err)
		}
		if err := asker.nc.Flush(); err != nil {
			t.Fatal(err)
		}
		if answered {
			if err := answerer.nc.Publish(inbox, []byte("a batch")); err != nil {
				t.Fatal(err)
			}
			if err := answerer.nc.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if m := withdraw(sub, answers); (m != nil) != answered {
			t.Errorf("answered %v: got %v", answered, m)
		}
		if sub.IsValid() && !answered {
			t.Error("the question still stands")
		}
	}
}
