package cluster

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/redialscan/redial/pkg/report"
)

// What a run tells and what it leaves are together what the batch had, with nothing twice and nothing of others.
func TestWhatIsToldAndWhatIsLeftAreTheBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := testSpec()
		spec.Items = rapid.IntRange(1, 12).Draw(t, "items")
		spec.NoRevisit = rapid.Bool().Draw(t, "no revisits")
		b := &Batch{ID: "b"}
		type item [2]int64
		open := make(map[item]bool)
		for i := range rapid.IntRange(1, 4).Draw(t, "targets") {
			one := target(10*i, "h:80")
			one.From = rapid.IntRange(0, spec.Items).Draw(t, "from")
			for again := range one.From {
				if rapid.Bool().Draw(t, "again") {
					one.Again = append(one.Again, again)
				}
			}
			b.Targets = append(b.Targets, one)
		}
		all(b, spec.Items, func(t *Target, i int) { open[item{t.Index, int64(i)}] = true })
		l := newLeft(b, &spec)
		tell := func(target int64, i int) {
			if !open[item{target, int64(i)}] {
				t.Fatalf("item %d of target %d is told, which is not open", i, target)
			}
			delete(open, item{target, int64(i)})
		}
		for range rapid.IntRange(0, 30).Draw(t, "events") {
			index := 10 * rapid.Int64Range(0, 4).Draw(t, "target")
			from := rapid.IntRange(0, spec.Items-1).Draw(t, "first item")
			to := rapid.IntRange(from, spec.Items).Draw(t, "last item")
			var e report.Event
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				e = &report.Result{Target: index, Index: from}
			case 1:
				e = &report.Skipped{Target: index, Reason: "dead", From: from, To: to, Again: []int{0, spec.Items - 1}}
			case 2:
				reason := rapid.SampledFrom([]string{"quarantined", "held", "interrupted", "outage"}).Draw(t, "reason")
				e = &report.Skipped{Target: index, Reason: reason, From: from, To: to}
			case 3:
				e = &report.Summary{}
			}
			switch e := l.take(e).(type) {
			case nil:
			case *report.Result:
				tell(e.Target, e.Index)
			case *report.Skipped:
				for i := e.From; i < e.To; i++ {
					tell(e.Target, i)
				}
				for _, i := range e.Again {
					tell(e.Target, i)
				}
				if back, _ := goesBack(e.Reason, spec.NoRevisit); back {
					t.Fatalf("items that go back are told as %s", e.Reason)
				}
			default:
				t.Fatalf("a %T is told", e)
			}
		}
		left := make(map[item]bool)
		all(&Batch{Targets: l.rest()}, spec.Items, func(t *Target, i int) { left[item{t.Index, int64(i)}] = true })
		for i := range open {
			if !left[i] {
				t.Fatalf("item %d of target %d is neither told nor left", i[1], i[0])
			}
		}
		if len(left) != len(open) {
			t.Fatalf("%d items are left, %d are open", len(left), len(open))
		}
	})
}

func TestARemainderIsDueWithItsFirstHost(t *testing.T) {
	wait := func(key string, d time.Duration) Host { return Host{Key: key, State: "open", Left: report.Duration(d)} }
	hosts := []Host{wait("a:80", 3*time.Second), wait("b:443", 2*time.Second), wait("c:80", time.Second)}
	for _, c := range []struct {
		keys []string
		want time.Duration
	}{
		{[]string{"a:80"}, 3 * time.Second},
		{[]string{"a:80", "b"}, 2 * time.Second}, // b has no port yet, and one of its two is held
		{[]string{"a:80", "well:80"}, 0},
		{nil, 0},
	} {
		var targets []Target
		for i, k := range c.keys {
			targets = append(targets, target(i, k))
		}
		if got := due(targets, hosts); got != c.want {
			t.Errorf("%v: due after %s, want %s", c.keys, got, c.want)
		}
	}
	if got := hostsOf([]Target{target(0, "b")}, hosts); len(got) != 1 || got[0].Key != "b:443" {
		t.Errorf("hosts of b are %v", got)
	}
}

func TestTheLaterStateOfAHostCounts(t *testing.T) {
	host := func(key, state string, seq uint64) Host { return Host{Key: key, State: state, Seq: seq} }
	got := merge(
		[]Host{host("a", "open", 2), host("b", "open", 1), host("c", "dead", 5)},
		[]Host{host("a", "closed", 3), host("b", "closed", 1), host("c", "open", 4), host("d", "open", 1)},
	)
	want := []Host{host("a", "closed", 3), host("b", "closed", 1), host("c", "dead", 5), host("d", "open", 1)}
	if !slices.EqualFunc(got, want, func(x, y Host) bool { return x.Key == y.Key && x.State == y.State && x.Seq == y.Seq }) {
		t.Errorf("got %v, want %v", got, want)
	}
}
