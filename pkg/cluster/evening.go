package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// A worker that was alone takes all there is of a short list, and one that joins later finds nothing. Then the coordinator has the first
// one hand back a part, as if it left with it: what is in flight is awaited, and nothing is asked twice.
//
//	w1 ████████   w2              8 batches, and nobody to wait for
//	w1 ████····   w2 ████         give 4

const (
	unevenFor = 3               // censuses in a row, so that nobody gives who would be done soon
	evenEvery = 5 * time.Second // so that what was handed back has come to others
	giveRest  = time.Second     // in which who has handed back takes nothing, so that it goes to others
)

// give asks a worker to hand back batches.
type give struct {
	Worker  string `json:"worker"`
	Batches int    `json:"batches"`
}

func (g *give) check() error {
	if !validID(g.Worker) || g.Batches < 1 || g.Batches > maxWorkers {
		return fmt.Errorf("%d batches of worker %.40q to be handed back, expected 1 or more", g.Batches, g.Worker)
	}
	return nil
}

// gives says who should hand back what, so that workers of a scan without a batch get some of those that are out, all of which others
// have: nothing while there is one for them to take, and nothing to those that could not run their last one.
func gives(scan string, all []WorkerStatus, out int) (list []give) {
	var ours, takers []WorkerStatus
	held := 0
	for _, w := range all {
		switch {
		case w.Scan != scan:
		case len(w.Batches) > 0:
			ours = append(ours, w)
			held += len(w.Batches)
		case !w.Failing:
			takers = append(takers, w)
		}
	}
	if len(takers) == 0 || held < out {
		return nil
	}
	n, room := len(ours)+len(takers), 0
	fair := (held + n - 1) / n
	for _, w := range takers {
		room += min(w.Slots, fair)
	}
	for _, w := range ours {
		if more := min(room, len(w.Batches)-fair); more > 0 {
			room -= more
			list = append(list, give{w.Name, more})
		}
	}
	return list
}

// even has workers hand back batches when others have had none for a while.
func (r *course) even(all []WorkerStatus, now time.Time) {
	list := gives(r.c.spec.Scan, all, len(r.out))
	if len(list) == 0 {
		r.uneven = 0
		return
	}
	if r.uneven++; r.uneven < unevenFor || now.Before(r.evened.Add(evenEvery)) {
		return
	}
	r.uneven, r.evened = 0, now
	for _, g := range list {
		r.c.cfg.Log("worker %s hands back some of its batches, for workers that have none: %d", g.Worker, g.Batches)
		_ = r.c.conn.nc.Publish(r.c.names.giveSubject(), mustEncode(g)) // it is asked again
	}
}

// hearGives hands back what this worker is asked for, until the function that it returns is called.
func (s *shift) hearGives() (stop func(), err error) {
	return hear(s.conn, s.names.giveSubject(), "give", maxHeader, s.w.cfg.Refused, func(g give, _ *nats.Msg) {
		if g.Worker == s.w.cfg.Name {
			s.giveBack(g.Batches)
		}
	})
}

// giveBack interrupts n batches, the ones begun last. Those that are on their way back, and wait for what is in flight, count.
func (s *shift) giveBack(n int) {
	s.mu.Lock()
	var some []*held
	for _, h := range s.running[max(0, len(s.running)-n):] {
		if !h.back.Swap(true) {
			some = append(some, h)
		}
	}
	s.mu.Unlock()
	for _, h := range some {
		h.interrupt(ErrHandBack)
	}
}

// begun notes a batch that interrupt can end, until the function that it returns is called.
func (s *shift) begun(h *held, interrupt context.CancelCauseFunc) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.interrupt = interrupt
	s.running = append(s.running, h)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running = slices.DeleteFunc(s.running, func(x *held) bool { return x == h })
		if h.back.Load() {
			s.rest = time.Now().Add(giveRest)
		}
	}
}
