package requester

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

var errLink = errors.New("link down")

// link is an outage detector under a clock that the test moves.
type link struct {
	*outage
	now   time.Time
	known map[string]*atomic.Bool
}

func newLink() *link {
	return &link{outage: newOutage(), now: time.Unix(1_000_000, 0), known: map[string]*atomic.Bool{}}
}

func (l *link) answer(key string) {
	if l.known[key] == nil {
		l.known[key] = &atomic.Bool{}
	}
	l.succeeded(key, origin{host: key}, l.known[key], l.now)
}

func (l *link) fail(key string) bool { return l.failed(key, l.now, errLink) }

func (l *link) answers(from, to int) {
	for i := from; i < to; i++ {
		l.answer(fmt.Sprint("h", i))
	}
}

func TestOutageNeedsEnoughHostsThatAnswered(t *testing.T) {
	for _, test := range []struct{ answered, failing, want int }{
		{answered: 0, failing: 100, want: 0}, // a list that is dead
		{answered: 1, failing: 1, want: 0},
		{answered: 2, failing: 2, want: 0},
		{answered: 3, failing: 3, want: 3},
		{answered: 9, failing: 9, want: 9}, // all of them
		{answered: 9, failing: 8, want: 0},
		{answered: 10, failing: 10, want: 10},
		{answered: 5000, failing: 10, want: 10},
		{answered: 5000, failing: 9, want: 0},
	} {
		l := newLink()
		l.answers(0, test.answered)
		declared := 0
		for i := range 2 * test.failing {
			if l.fail(fmt.Sprint("h", i%max(1, test.failing))) {
				declared = i + 1
				break
			}
		}
		if declared != test.want || l.down.Load() != (test.want > 0) {
			t.Errorf("%+v: an outage after %d failures", test, declared)
		}
	}
}

func TestFailuresOfHostsThatNeverAnsweredAreNoEvidence(t *testing.T) {
	l := newLink()
	l.answers(0, 10)
	for i := range 10_000 {
		if l.fail(fmt.Sprint("dead", i)) {
			t.Fatal("an outage, though no host that had answered failed")
		}
	}
}

func TestFailuresMustBeCloseTogether(t *testing.T) {
	for _, early := range []time.Duration{0, 1} {
		l := newLink()
		l.answers(0, 10)
		l.fail("h0")
		l.now = l.now.Add(OutageWindow - early)
		for i := 1; i < 9; i++ {
			l.fail(fmt.Sprint("h", i))
		}
		if got, want := l.fail("h9"), early > 0; got != want {
			t.Errorf("ten failures within %v: outage %v, want %v", OutageWindow-early, got, want)
		}
	}
}

func TestAnyAnswerClearsTheSuspicion(t *testing.T) {
	l := newLink()
	l.answers(0, 20)
	for i := range 9 {
		l.fail(fmt.Sprint("h", i))
	}
	l.answer("h19")
	if l.fail("h9") {
		t.Error("an outage, though a host has answered between the failures")
	}
}

func TestAnswersToEarlierRequestsClearNothing(t *testing.T) {
	for _, later := range []time.Duration{-1, 0} {
		l := newLink()
		l.answers(0, 10)
		for i := range 9 {
			l.fail(fmt.Sprint("h", i))
		}
		l.succeeded("h9", origin{}, l.known["h9"], l.now.Add(later))
		if got, want := l.fail("h9"), later < 0; got != want {
			t.Errorf("an answer to a request of %v: outage %v, want %v", later, got, want)
		}
	}
}

func TestOutageIsDescribed(t *testing.T) {
	l := newLink()
	l.answers(0, 20)
	for i := range 10 {
		l.fail(fmt.Sprint("h", i))
	}
	found, failing, others := l.parties(5)
	if want := l.now.Add(-OutageWindow); !found.Since.Equal(want) || found.Hosts != 10 || found.Err != errLink {
		t.Errorf("found %+v, want 10 hosts since %v", found, want)
	}
	if _, latest := others["h19"]; len(failing) != 10 || len(others) != 5 || !latest {
		t.Errorf("failing %v, others %v; want 10, and the last five of the others", failing, others)
	}
}

func TestHostsThatWereAtFaultAreNoEvidenceUntilTheyAnswer(t *testing.T) {
	l := newLink()
	l.answers(0, 3)
	for i := range 3 {
		l.fail(fmt.Sprint("h", i))
	}
	<-l.declared
	doubtful := l.end(false)
	if len(doubtful) != 3 || l.fail("h0") || l.fail("h1") || l.fail("h2") {
		t.Errorf("doubtful %v, want the three, and no outage by them again", doubtful)
	}
	for _, key := range doubtful {
		l.known[key].Store(false)
	}
	l.answers(0, 3)
	l.fail("h0")
	l.fail("h1")
	if !l.fail("h2") {
		t.Error("no outage, though three hosts have answered again and failed")
	}
}

func TestWitnessesAreBounded(t *testing.T) {
	l := newLink()
	l.answers(0, 2*maxWitnesses)
	if n := l.witnesses.Len(); n != maxWitnesses {
		t.Errorf("%d witnesses are kept, want %d", n, maxWitnesses)
	}
}

// The model keeps all that ever happened and counts anew each time.
func TestOutageAgreesWithAModelThatKeepsEverything(t *testing.T) {
	type event struct {
		at     time.Time
		key    string
		answer bool
	}
	rapid.Check(t, func(t *rapid.T) {
		l := newLink()
		var all []event
		t.Repeat(map[string]func(*rapid.T){
			"answer": func(t *rapid.T) {
				key := fmt.Sprint("h", rapid.IntRange(0, 14).Draw(t, "host"))
				l.answer(key)
				all = append(all, event{l.now, key, true})
			},
			"wait": func(t *rapid.T) {
				l.now = l.now.Add(time.Duration(rapid.IntRange(0, 1200).Draw(t, "ms")) * time.Millisecond)
			},
			"fail": func(t *rapid.T) {
				for range rapid.IntRange(1, 6).Draw(t, "times") {
					key := fmt.Sprint("h", rapid.IntRange(0, 14).Draw(t, "host"))
					got := l.fail(key)
					all = append(all, event{l.now, key, false})
					answered, failing := map[string]bool{}, map[string]bool{}
					for _, e := range all {
						switch {
						case e.answer:
							answered[e.key] = true
							clear(failing)
						case answered[e.key] && l.now.Sub(e.at) < OutageWindow:
							failing[e.key] = true
						}
					}
					need := 10
					if len(answered) < 10 {
						need = len(answered)
					}
					if want := answered[key] && len(answered) >= 3 && len(failing) >= need; got != want {
						t.Fatalf("outage %v, want %v: %d of %d hosts fail", got, want, len(failing), len(answered))
					}
					if got {
						<-l.declared
						l.end(true)
						all = append(all, event{l.now, key, true}) // an outage that is over clears the suspicion, as an answer does
					}
				}
			},
		})
	})
}

// Hosts that need longer to answer than the canary waits at first are heard all the same, and not taken to be at fault.
func TestCanaryHearsSlowHosts(t *testing.T) {
	for _, other := range []time.Duration{time.Second, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			needs := map[string]time.Duration{"other": other, "slow": 12 * time.Second, "lost": time.Hour}
			k := canary{
				failing: map[string]origin{"slow": {host: "slow"}, "lost": {host: "lost"}}, others: map[string]origin{"other": {host: "other"}},
				most: 20 * time.Second,
				ask: func(ctx context.Context, at origin) bool {
					select {
					case <-time.After(needs[at.host]):
						return true
					case <-ctx.Done():
						return false
					}
				},
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			answered, ours, ok := k.listen(ctx)
			if answered != "slow" || !ours || !ok {
				t.Errorf("other answers after %v: heard %q, ours %v, ok %v; want the slow one", other, answered, ours, ok)
			}
		})
	}
}
