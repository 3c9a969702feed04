package scan

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/report"
)

// The situations in the cases files broke other tools; each test names the public reports of its own.

// moves are the changes of a host's state, in order, as "closed>open" and so on.
func moves(b *book, host string) string {
	var all []*report.Transition
	for _, tr := range of[*report.Transition](b) {
		if tr.Host == host {
			all = append(all, tr)
		}
	}
	slices.SortFunc(all, func(x, y *report.Transition) int { return int(x.Seq) - int(y.Seq) })
	var words []string
	for _, tr := range all {
		words = append(words, tr.From+">"+tr.To)
	}
	return strings.Join(words, " ")
}

// failures are the results of items that failed.
func failures(b *book) []*report.Result {
	return slices.DeleteFunc(of[*report.Result](b), func(r *report.Result) bool { return !r.Failed })
}

// The permanent-error rule of github.com/projectdiscovery/nuclei: one refusal is one of thirty errors, not the end of a host.
func TestOneRefusalDoesNotQuarantine(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.Refusing: 1}})
	opt := base()
	opt.Breaker.MaxHostError = 30
	way := &switchboard{to: map[string]string{"host.test:80": l.Of(lab.Refusing)[0].Addr}}
	way.after = func(n int) { way.route("host.test:80", l.Of(lab.Healthy)[0].Addr) }
	opt.Requester.Dial = way.dial
	b, ending := scanned(t, opt, paths(10), "http://host.test/")
	if got := moves(b, "host.test:80"); got != "" || ending.Done != 9 || ending.Failed != 1 || ending.Skipped != 0 {
		t.Errorf("moves %q, ending %+v; want none, 9 done and the one that was refused failed", got, ending.Summary)
	}
}

// github.com/projectdiscovery/nuclei/issues/4266: what is dropped for a quarantined host is no success of it.
func TestDroppedItemsKeepTheQuarantine(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Resetting: 1}})
	host := l.Of(lab.Resetting)[0]
	opt := base()
	opt.NoRevisit = true
	b, ending := scanned(t, opt, paths(50), urls(l)...)
	if got := moves(b, host.Addr); got != "closed>open" || ending.SkippedBy["quarantined"] != 50 {
		t.Errorf("moves %q, ending %+v; want one trip and 50 skipped", got, ending.Summary)
	}
	if n := host.Requests(); n != int64(opt.FirstContact) {
		t.Errorf("%d requests arrived, want those of the first contact, %d", n, opt.FirstContact)
	}
}

// github.com/projectdiscovery/nuclei/issues/5234 and /3046: a host trips, comes back, and gets the rest of its checks.
func TestHostComesBack(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1}})
	host := l.Of(lab.Healthy)[0]
	var up sync.Once
	b := &book{}
	b.on = func(e report.Event) {
		if tr, ok := e.(*report.Transition); ok && tr.Trips > 0 { // a probe has failed
			up.Do(func() { must(t, host.Up()) })
		}
	}
	opt := base()
	opt.Requester.Dial, opt.Requester.MaxIdle = goesDown(t, host, 50), -1
	opt.Breaker.MaxTrips, opt.Linger = -1, time.Minute
	ending, err := scanInto(t.Context(), t, b, opt, paths(200), urls(l)...)
	must(t, err)
	got := moves(b, host.Addr)
	if ending.Done != 200 || ending.Incomplete {
		t.Errorf("ending %+v, failed %s; want 200 done", ending.Summary, errorsOf(b))
	}
	if !strings.HasPrefix(got, "closed>open open>half-open half-open>open") || !strings.HasSuffix(got, "open>half-open half-open>closed") {
		t.Errorf("moves %q, want a trip, a probe in vain and one that brings the host back", got)
	}
	if rows := ending.Quarantined; len(rows) != 1 || rows[0].State != "closed" || rows[0].Done != 200 || rows[0].Quarantine == 0 {
		t.Errorf("summary of hosts %+v, want the one that came back", rows)
	}
}

// github.com/projectdiscovery/nuclei/issues/5564: 30 failures among 13,000 answers, never many in a row, with 200 in flight.
func TestSpreadFailuresNeverQuarantine(t *testing.T) {
	const items, every = 13_000, 433
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Firewall: 1}})
	opt := base()
	opt.Breaker.MaxHostError = 30
	opt.Concurrency, opt.HostConcurrency = 200, 200
	list := make([]string, items)
	poison := 0
	for i := range list {
		path := "page?"
		if i%every == every-1 {
			poison++
			path = "poison?"
		}
		list[i] = l.Hosts()[0].URL() + path + strconv.Itoa(i)
	}
	b, ending := scanned(t, opt, nil, list...)
	if got := moves(b, l.Hosts()[0].Addr); got != "" || ending.Done != int64(items-poison) || ending.Failed != int64(poison) || poison != 30 {
		t.Errorf("moves %q, ending %+v; want none, %d failed and the rest done", got, ending.Summary, poison)
	}
}

// github.com/projectdiscovery/nuclei/issues/7454 and /3119: a tarpit and a filtered port are hosts that do not answer.
func TestSilenceQuarantines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silent, hole = "silent.test:80", "hole.test:80"
		s := newStreet(map[string]func(int) string{silent: func(int) string { return hush }})
		opt := base()
		opt.Breaker.MaxTrips, opt.Linger = 1, time.Minute
		b := &book{}
		ending := walk(t, s, b, opt, 20, "http://"+silent+"/", "http://"+hole+"/")
		if ending.SkippedBy["dead"] != 40 || ending.Failed != 0 {
			t.Errorf("ending %+v, want all 40 skipped as those of dead hosts", ending.Summary)
		}
		phases := map[string]string{}
		for _, s := range of[*report.Skipped](b) {
			phases[s.Host] = s.LastError
		}
		for host, phase := range map[string]string{silent: "response head", hole: "dialing"} {
			if got := moves(b, host); got != "closed>open open>half-open half-open>dead" {
				t.Errorf("%s: moves %q, want a trip and a probe in vain", host, got)
			}
			if got := phases[host]; !strings.Contains(got, "timeout") || !strings.Contains(got, phase) {
				t.Errorf("%s: last error %q, want the timeout of %s", host, got, phase)
			}
		}
		if n := len(s.sent[silent]); n != 4 {
			t.Errorf("%d requests arrived at the silent host, want 3 of the first contact and the probe", n)
		}
	})
}

// github.com/projectdiscovery/nuclei/issues/122: one port of a host is dead, another lives.
func TestPortsAreScannedApart(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.Refusing: 1}})
	opt := base()
	opt.Breaker.MaxTrips = 1
	way := &switchboard{to: map[string]string{
		"host.test:80": l.Of(lab.Refusing)[0].Addr, "host.test:8080": l.Of(lab.Healthy)[0].Addr,
	}}
	opt.Requester.Dial = way.dial
	b, ending := scanned(t, opt, paths(10), "http://host.test/", "http://host.test:8080/")
	if ending.Done != 10 || ending.SkippedBy["dead"] != 10 || ending.QuarantinedHosts != 1 {
		t.Errorf("ending %+v, want 10 done at one port and 10 skipped at the other", ending.Summary)
	}
	if moves(b, "host.test:80") == "" || moves(b, "host.test:8080") != "" {
		t.Errorf("moves %q and %q, want those of port 80 alone", moves(b, "host.test:80"), moves(b, "host.test:8080"))
	}
}

// github.com/projectdiscovery/nuclei-templates/pull/15575: a URL that a check or a line of the list has spoilt is no host's fault.
func TestSpoiltURLsBlameNobody(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1}})
	host := l.Hosts()[0]
	opt := base()
	opt.Breaker.MaxHostError, opt.FirstContact = 1, 1
	b, ending := scanned(t, opt, []string{":9780", ":9780/x", "@elsewhere.test/"},
		host.URL(), "http://"+host.Addr+":9780/", "http://"+host.Addr+":9780")
	if len(of[*report.Transition](b)) != 0 || ending.Items != 3 || ending.Done != 3 {
		t.Errorf("ending %+v, want the three paths of the host alone, and nobody blamed", ending.Summary)
	}
	if got := host.Paths(); got["/:9780"] != 1 || got["/:9780/x"] != 1 || got["/@elsewhere.test/"] != 1 {
		t.Errorf("the host was asked for %v, want paths, not another port or host", got)
	}
}

// github.com/projectdiscovery/nuclei/issues/6651: an open port without HTTP. One that closes without a byte is an error of the
// host; one that talks is alive, and its items fail at once.
func TestPortsWithoutHTTP(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Mute: 1, lab.Garbage: 1}})
	mute, garbage := l.Of(lab.Mute)[0], l.Of(lab.Garbage)[0]
	opt := base()
	opt.Retries = 3
	opt.Breaker.MaxTrips = 1
	b, ending := scanned(t, opt, paths(20), urls(l)...)
	if got := moves(b, mute.Addr); got != "closed>open open>half-open half-open>dead" || mute.Requests() != 4 {
		t.Errorf("mute: moves %q after %d requests, want it dead after 4", got, mute.Requests())
	}
	if got := moves(b, garbage.Addr); got != "" || garbage.Requests() != 20 {
		t.Errorf("garbage: moves %q after %d requests, want none after one for each item", got, garbage.Requests())
	}
	for _, r := range failures(b) {
		if r.Host+":"+r.Port != garbage.Addr || r.Attempts != 1 || !strings.Contains(r.Error, "unexpected answer") {
			t.Errorf("failure %+v, want a protocol error of the host that talks, in one attempt", r)
		}
	}
	if ending.Failed != 20 || ending.SkippedBy["dead"] != 20 {
		t.Errorf("ending %+v, want 20 failed and 20 skipped", ending.Summary)
	}
}
