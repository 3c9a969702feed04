package page

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/redialscan/redial/pkg/report"
)

// history makes a track of "state@seconds" words.
func history(host string, words ...string) *track {
	t := &track{host: host}
	state := closed
	for i, w := range words {
		var seconds float64
		to, when, _ := strings.Cut(w, "@")
		fmt.Sscan(when, &seconds)
		m := report.Transition{At: at(seconds), Host: host, Seq: uint64(i + 1), From: state, To: to, Cooldown: report.Duration(10 * time.Second)}
		t.add(&m)
		state = to
	}
	return t
}

func TestTrackInWords(t *testing.T) {
	tr := history("h:1", "open@1", "half-open@11", "closed@12", "open@20", "half-open@30", "open@31", "half-open@41")
	var got []string
	for _, s := range tr.spans(noon, at(50)) {
		got = append(got, fmt.Sprintf("%s %g", s.state, s.to.Sub(s.from).Seconds()))
	}
	want := "closed 1, open 10, half-open 1, closed 8, open 10, half-open 1, open 10, half-open 9"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("spans %s, want %s", text, want)
	}
	calls := tr.calls()
	if len(calls) != 3 || !calls[0].answered || calls[1].answered || !calls[1].known || calls[2].known {
		t.Errorf("calls %+v, want one answered, one not, and one that the scan did not wait for", calls)
	}
	if tr.opened() != 2 || tr.state() != halfOpen || tr.away(noon, at(50)) != 41*time.Second {
		t.Errorf("opened %d, at the end %s, away %s", tr.opened(), tr.state(), tr.away(noon, at(50)))
	}
	if due := history("h:1", "open@5").due(); !due.Equal(at(15)) {
		t.Errorf("due at %s, want 10 s after it opened", due)
	}
}

// Whatever comes, in whatever order, the spans fill the time of the scan without a gap.
func TestSpansFillTheTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := []string{closed, open, halfOpen, dead}
		tr := &track{host: "h"}
		n := rapid.IntRange(0, maxMoves+20).Draw(t, "moves")
		moves := make([]report.Transition, n)
		when := -5
		for i := range moves {
			when += rapid.IntRange(0, 3).Draw(t, "later")
			moves[i] = report.Transition{At: at(float64(when)), Seq: uint64(i + 1),
				From: rapid.SampledFrom(states).Draw(t, "from"), To: rapid.SampledFrom(states).Draw(t, "to")}
		}
		shuffled := slices.Clone(moves)
		rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed"))).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for i := range shuffled {
			tr.add(&shuffled[i])
		}
		tr.sort()
		at0, sum := noon, time.Duration(0)
		for _, s := range tr.spans(noon, at(100)) {
			if !s.from.Equal(at0) || !s.to.After(s.from) {
				t.Fatalf("a span from %s to %s follows what ended at %s", s.from, s.to, at0)
			}
			at0, sum = s.to, sum+s.to.Sub(s.from)
		}
		if sum != 100*time.Second {
			t.Fatalf("the spans are %s together, want 100s", sum)
		}
		if n > 0 && tr.state() != moves[n-1].To {
			t.Fatalf("at the end %s, want %s", tr.state(), moves[n-1].To)
		}
		if len(tr.moves) > maxMoves {
			t.Fatalf("%d changes are kept, want %d at most", len(tr.moves), maxMoves)
		}
	})
}

func TestHints(t *testing.T) {
	options := map[string]string{
		"cooldown": "30s", "linger": "45s", "max-trips": "5", "max-cooldown": "5m0s", "timeout": "15s", "host-concurrency": "10",
		"host-rate-limit": "100", "concurrency": "150", "rate-limit": "0",
	}
	gone := history("gone:1", "open@1", "half-open@31", "open@31", "half-open@91", "open@91", "half-open@211", "dead@211")
	back := history("back:1", "open@1", "half-open@31", "closed@32")
	late := history("late:1", "open@1", "half-open@31", "open@31", "half-open@91", "open@91", "half-open@211", "closed@211")
	waits := history("waits:1", "open@1", "half-open@31", "open@295")
	again := history("again:1", "open@1", "half-open@31", "closed@31", "open@50", "half-open@80", "closed@80")
	for _, tt := range []struct {
		name   string
		e      evidence
		want   []string // a part of each hint, and a flag
		absent string
	}{
		{"nothing tripped", evidence{}, []string{"No host was quarantined"}, "Try"},
		{"all are gone", evidence{tracks: []*track{gone, gone}}, []string{"None of the 6 calls", "--no-revisit"}, "--linger 5"},
		{"too few to say", evidence{tracks: []*track{history("x", "open@1", "half-open@31", "dead@32")}}, nil, "None of"},
		{"back at once", evidence{tracks: []*track{back, back}}, []string{"Every host that recovered (2)", "--cooldown 15s"}, ""},
		{"back late", evidence{tracks: []*track{late}}, []string{"needed 3 calls", "--cooldown 2m"}, ""},
		{"still waiting", evidence{tracks: []*track{back, waits}}, []string{"1 host was still in quarantine", "within 5s", "--linger 50s"}, ""},
		{"given up alive", evidence{tracks: []*track{gone}, answered: func(string) bool { return true }},
			[]string{"1 host had answered before being given up", "--max-trips 10", "--max-cooldown 10m"}, ""},
		{"flapping", evidence{tracks: []*track{again}}, []string{"1 host recovered and went away again", "--host-concurrency 5", "--host-rate-limit 50"}, ""},
		{"throttled", evidence{throttled: 3}, []string{"3 hosts asked for fewer", "--host-rate-limit 50"}, ""},
		{"paused", evidence{pauses: 2}, []string{"held still 2 times", "--concurrency 75"}, "--rate-limit"},
		{"slow", evidence{p99: 14 * time.Second}, []string{"took 14s or longer", "--timeout 30s"}, ""},
		{"fast", evidence{p99: time.Second}, nil, "--timeout"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.e.begin, tt.e.end, tt.e.options = noon, at(300), options
			if tt.e.answered == nil {
				tt.e.answered = func(string) bool { return false }
			}
			var all []string
			for _, h := range tt.e.hints() {
				all = append(all, h.Why+" "+strings.Join(h.Try, " or "))
			}
			text := strings.Join(all, "\n")
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			if tt.absent != "" && strings.Contains(text, tt.absent) {
				t.Errorf("%q in\n%s", tt.absent, text)
			}
		})
	}
}
