package scan

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/target"
)

// keys are the hosts of all changes of state, sorted, each once.
func keys(b *book) []string {
	var all []string
	for _, tr := range of[*report.Transition](b) {
		all = append(all, tr.Host)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// github.com/projectdiscovery/nuclei/pull/7286: however a host is written, its errors count together; a bare one that
// refuses on 443 and answers on 80 is scanned on 80.
func TestOneHostHoweverWritten(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1}})
	opt := base()
	opt.Breaker.MaxTrips, opt.FirstContact, opt.Breaker.MaxHostError = 1, 3, 3
	way := &switchboard{to: map[string]string{"bare.test:80": l.Hosts()[0].Addr}}
	// A host whose items all ended before its next line was read is another host, so nothing refuses before the last line.
	last, all := context.WithCancel(t.Context())
	defer all()
	opt.Requester.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if strings.HasPrefix(addr, "bare.test:") {
			all()
		}
		<-last.Done()
		return way.dial(ctx, network, addr)
	}
	b, ending := scanned(t, opt, []string{"/"}, "https://host.test", "host.test:443", "https://HOST.test./x", "https://u:p@host.test:443/y", "bare.test")
	if got := keys(b); !slices.Equal(got, []string{"host.test:443"}) || moves(b, "host.test:443") != "closed>open open>half-open half-open>dead" {
		t.Errorf("hosts that tripped: %q, want host.test:443 alone, by the errors of three of its lines", got)
	}
	for _, r := range of[*report.Result](b) {
		if r.URL != "http://bare.test/" || r.Port != "80" || r.StatusCode != 200 {
			t.Errorf("result %+v, want that of the bare host on port 80", r)
		}
	}
	if ending.Done != 1 || ending.Hosts != 2 {
		t.Errorf("ending %+v, want 1 item of one of 2 hosts done", ending.Summary)
	}
}

// The key building of github.com/projectdiscovery/httpx: one pair of brackets and the zone, in every place that names a host.
func TestAddressesOfVersionSix(t *testing.T) {
	for line, want := range map[string]string{
		"http://[::1]:8065/": "[::1]:8065", "[::1]:8065": "[::1]:8065", "http://[fe80::1%25eth0]:80/": "[fe80::1%eth0]:80",
		"http://[0:0:0:0:0:0:0:1]:8065": "[::1]:8065",
	} {
		opt := base()
		opt.Breaker.MaxTrips = 1
		way := &switchboard{}
		opt.Requester.Dial = way.dial
		b, ending := scanned(t, opt, paths(5), line)
		var hosts []string
		for _, s := range of[*report.Skipped](b) {
			hosts = append(hosts, s.Host)
		}
		if !slices.Equal(keys(b), []string{want}) || !slices.Equal(hosts, []string{want}) || ending.Quarantined[0].Host != want {
			t.Errorf("%s: tripped %q, skipped %q; want %s", line, keys(b), hosts, want)
		}
		if dialed := slices.Compact(way.dialed); !slices.Equal(dialed, []string{want}) {
			t.Errorf("%s: dialed %q, want %s", line, dialed, want)
		}
	}
}

// github.com/projectdiscovery/nuclei/issues/2485: a living host sends its visitors on to another, and that one to a dead one.
func TestRedirectsToADeadHost(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Redirecting: 2, lab.Refusing: 1}})
	first, second, dead := l.Of(lab.Redirecting)[0], l.Of(lab.Redirecting)[1], l.Of(lab.Refusing)[0]
	first.RedirectTo("http://"+second.Addr+"/on", 302)
	second.RedirectTo("http://"+dead.Addr+"/end", 302)
	opt := base()
	opt.HostConcurrency = 1
	opt.Breaker.Cooldown, opt.Breaker.MaxCooldown = opt.Requester.Timeout*100, opt.Requester.Timeout*100
	var err error
	if opt.Probe, err = check.NewProbe(check.ProbeOptions{Paths: paths(20), FollowRedirects: true}); err != nil {
		t.Fatal(err)
	}
	b, ending := scanned(t, opt, nil, first.URL())
	if !slices.Equal(keys(b), []string{dead.Addr}) || moves(b, dead.Addr) != "closed>open" || ending.Done != 20 || ending.Incomplete {
		t.Errorf("tripped %q, ending %+v; want the dead host alone, and 20 done", keys(b), ending.Summary)
	}
	skipped := 0
	for _, r := range of[*report.Result](b) {
		if r.Host+":"+r.Port != first.Addr || r.FinalURL != "http://"+second.Addr+"/on" || r.Hops != 1 || r.StatusCode != 302 {
			t.Errorf("result %+v, want the host that was scanned and the URL at which its chain ended", r)
		}
		if r.RedirectSkipped == dead.Addr {
			skipped++
		}
	}
	if want := 20 - opt.Breaker.MaxHostError; skipped != want {
		t.Errorf("%d chains ended at a quarantined host, want %d", skipped, want)
	}
}

// github.com/projectdiscovery/httpx/issues/2335: http behind port 443 is reported as what it is.
func TestHTTPBehindPort443(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.TLS: 1}})
	plain, secure := l.Of(lab.Healthy)[0].Addr, l.Of(lab.TLS)[0].Addr
	opt := base()
	opt.Requester.NoHTTP2 = true
	way := &switchboard{to: map[string]string{
		"plain.test:443": plain, "secure.test:443": secure, "secure.test:80": secure, "odd.test:443": plain, "odd.test:80": plain,
	}}
	opt.Requester.Dial = way.dial
	b, ending := scanned(t, opt, []string{"/"}, "plain.test:443", "secure.test:443", "secure.test:80", "odd.test")
	var got []string
	for _, r := range of[*report.Result](b) {
		got = append(got, r.URL+" "+r.Scheme+" "+r.Port)
	}
	slices.Sort(got)
	want := []string{
		"http://odd.test/ http 80", "http://plain.test:443/ http 443", "https://secure.test/ https 443", "https://secure.test:80/ https 80",
	}
	if !slices.Equal(got, want) || ending.Done != 4 {
		t.Errorf("results %q, want %q", got, want)
	}
}

// github.com/projectdiscovery/naabu/issues/1398: what is excluded gets nothing, not through a redirect, a range or a name.
func TestExcludedGetsNothing(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 2, lab.Redirecting: 1}})
	barred, free, moved := l.Of(lab.Healthy)[0], l.Of(lab.Healthy)[1], l.Of(lab.Redirecting)[0]
	addr := netip.MustParseAddrPort(barred.Addr)
	moved.RedirectTo(barred.URL(), 302)
	exclude, err := target.NewExclusion([]string{addr.Addr().String() + "/32,localhost"})
	if err != nil {
		t.Fatal(err)
	}
	opt := base()
	opt.Requester.Refuse = exclude.MatchPort
	if opt.Probe, err = check.NewProbe(check.ProbeOptions{Paths: paths(3), FollowRedirects: true}); err != nil {
		t.Fatal(err)
	}
	// The list is read without the exclusion, so that only the sending is left to keep it.
	b, ending := scanned(t, opt, nil, barred.URL(), barred.Addr, "http://localhost:"+free.URL()[strings.LastIndex(free.URL(), ":")+1:], moved.URL(), free.URL())
	if n := barred.Stats().Connections; n != 0 {
		t.Errorf("%d connections reached the excluded host, want none", n)
	}
	if ending.SkippedBy["excluded"] != 9 || ending.Done != 6 || len(keys(b)) != 0 {
		t.Errorf("ending %+v, want 9 items skipped as excluded, 6 done and nobody blamed", ending.Summary)
	}
	for _, r := range of[*report.Result](b) {
		if r.Host+":"+r.Port == moved.Addr && (r.RedirectSkipped != barred.Addr || r.StatusCode != 302) {
			t.Errorf("result %+v, want the redirect with %s skipped", r, barred.Addr)
		}
	}
}
