//go:build browser

package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redialscan/redial/pkg/report"
)

// These need a Chromium: go test -tags browser ./pkg/report/page

func pageFile(t *testing.T, events ...report.Event) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(rendered(t, events...)), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// complaints are what a page must not cause: a request, a dialog, an error, a message of the policy.
func (b *browser) complaints(file string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []string
	for _, e := range b.heard {
		switch e.Method {
		case "Page.javascriptDialogOpening", "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled", "Page.frameAttached":
			all = append(all, e.Method+" "+string(e.Params))
		case "Network.requestWillBeSent":
			if !strings.Contains(string(e.Params), "file://"+file) {
				all = append(all, string(e.Params))
			}
		}
	}
	return all
}

func TestBrowserRunsNothingOfAHost(t *testing.T) {
	file := pageFile(t, hostileEvents()...)
	b := startBrowser(t)
	b.open(file)
	for range 3 { // everything that can be unfolded, and what is in it
		b.eval(`document.querySelectorAll("details").forEach((d) => { d.open = true })`)
		b.eval(`document.querySelectorAll("td, th, svg, small, code").forEach((e) => ["mouseover", "focus", "error", "load"].forEach((n) => e.dispatchEvent(new Event(n, {bubbles: true}))))`)
	}
	if got := b.eval(`document.scripts.length + " " + document.images.length + " " + document.forms.length + " " + document.querySelectorAll("base, iframe, object, embed").length`); got != "1 0 0 0" {
		t.Errorf("scripts, images, forms, frames: %s, want the one script", got)
	}
	if got := b.eval(`[...document.links].filter((l) => !["http:", "https:", "file:"].includes(l.protocol)).length`); got != "0" {
		t.Errorf("%s links lead to something else than a page", got)
	}
	if all := b.complaints(file); len(all) > 0 {
		t.Errorf("the page caused\n%s", strings.Join(all, "\n"))
	}
}

func TestBrowserFiltersAndUnfolds(t *testing.T) {
	var events []report.Event
	for i := range 2000 {
		host := "10.0." + string(rune('0'+i/1000)) + "." + strings.Repeat("1", 1+i%3) + ":" + string(rune('0'+i%10))
		events = append(events, &report.Transition{At: at(1), Host: host + "-" + itoa(i), Seq: 1, From: closed, To: open, Cooldown: 30e9},
			&report.Result{Matched: true, Timestamp: at(float64(i) / 10), URL: "http://" + host + "/" + itoa(i), Title: "title " + itoa(i), Time: 1e6, Attempts: 1})
	}
	file := pageFile(t, append(events, &report.Summary{Time: at(200), Duration: 200e9, Items: 2000, Done: 2000})...)
	b := startBrowser(t)
	b.open(file)
	t.Logf("2,000 hosts and findings: loaded after %s ms", b.eval(`Math.round(performance.getEntriesByType("navigation")[0].loadEventEnd)`))

	const shown = `[...document.querySelectorAll("table[data-rows=hosts] tbody tr")].filter((r) => !r.hidden && r.checkVisibility()).length`
	if got := b.eval(shown); got != itoa(openHosts) {
		t.Errorf("%s hosts are shown at first, want %d", got, openHosts)
	}
	b.click("#hosts section > details > summary, #hosts > details > summary")
	if got := b.eval(shown); got != "2000" {
		t.Errorf("%s hosts are shown when the rest is unfolded, want all", got)
	}
	b.click("input[data-filter=hosts]")
	b.typeText("-1999")
	if got := b.eval(shown + ` + " " + document.querySelector("output[data-count=hosts]").textContent`); got != "1 1 of 2000" {
		t.Errorf("a filter that one host fits shows %s", got)
	}
	b.click("input[data-filter=findings]")
	b.typeText("TITLE 1234")
	if got := b.eval(`[...document.querySelectorAll("table[data-rows=findings] tbody tr")].filter((r) => !r.hidden && r.checkVisibility()).map((r) => r.cells[4].textContent).join()`); got != "title 1234" {
		t.Errorf("a filter that one finding fits shows %q", got)
	}
	// A phone: nothing is wider than the window.
	b.command("Emulation.setDeviceMetricsOverride", map[string]any{"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": true}, nil)
	if got := b.eval(`document.documentElement.scrollWidth <= 390`); got != "true" {
		t.Errorf("the page is wider than a phone")
	}
	if got := b.eval(`document.querySelector(".tracks td.line svg").getBoundingClientRect().right <= 390`); got != "true" {
		t.Errorf("the timeline of a host is beside what a phone shows")
	}
	if all := b.complaints(file); len(all) > 0 {
		t.Errorf("the page caused\n%s", strings.Join(all, "\n"))
	}
}

func itoa(i int) string { return strings.ReplaceAll(number(int64(i)), "\u202f", "") }
