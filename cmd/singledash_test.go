package cmd

import (
	"slices"
	"strings"
	"testing"
)

func TestDoubleDashes(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"scan -mc 200 -fc=404 -u h", "scan --match-status 200 --filter-status=404 -u h"},
		{"scan -ms a -fs b -mr c -fe d -ml 1 -fl 2", "scan --match-string a --filter-string b --match-regex c --filter-regex d --match-length 1 --filter-length 2"},
		{"scan -rl 10 -mhe 5 -te x -nc -fr -maxr 2", "scan --rate-limit 10 --max-host-error 5 --track-error x --no-color --follow-redirects --max-redirects 2"},
		{"scan -timeout 3 -retries=0 -silent -jsonl -json", "scan --timeout 3 --retries=0 --silent --jsonl --jsonl"},
		{"scan -sc -title -l f", "scan -l f"},
		{"scan -ip -ct -rt=true -stats -ni", "scan --fields=+ip --fields=+type --fields=+time"},
		{"scan -etags a -es info -eid b -pt http -eh c -or -iv 4", "scan --exclude-tags a --exclude-severity info --exclude-id b --type http --exclude c --omit-raw --ip-version 4"},
		{"scan -debug-req -dresp -srd d -sj -mp 9090", "scan --debug-requests --debug-responses --store-responses d --stats-json --metrics-addr 9090"},
		{"scan -se out.sarif", "scan --se out.sarif"},
		{"scan -td", "scan --td"},
		{"scan -s high -a me -r 1.1.1.1 -x HEAD -u h", "scan --severity high --author me --resolvers 1.1.1.1 --method HEAD -u h"},
		{"scan -s=high -p 80", "scan --severity=high --p 80"},
		{"scan -stream -dc -deny h -probe -vv", "scan --no-shared-requests --exclude h --show-failed --verbose"},
		{"lab -s 1 -p 80", "lab -s 1 -p 80"},
		{"lab -healthy 3", "lab --healthy 3"},
		{"lab -sc -mc", "lab -sc -mc"},
		{"scan -help", "scan --help"},
		{"-version", "--version"},
		// What pflag knows stays: letters together, values at their letter, values that look like flags.
		{"scan -jv -c50 -lfile -jo f", "scan -jv -c50 -lfile -jo f"},
		{"scan --match-string -mc -u -mc -jo -mc -H -sc", "scan --match-string -mc -u -mc -jo -mc -H -sc"},
		{"scan --match-string=x -mc 1", "scan --match-string=x --match-status 1"},
		{"scan -- -mc", "scan -- -mc"},
		{"scan - -mcx", "scan - -mcx"},
		{"nothing -mc", "nothing -mc"},
		{"scan -u", "scan -u"},
	} {
		root := newRootCommand(testEnv(t))
		if got := doubleDashes(root, strings.Fields(c.typed)); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%q became %q, want %q", c.typed, got, c.want)
		}
	}
	if got := doubleDashes(newRootCommand(testEnv(t)), nil); got != nil {
		t.Errorf("no arguments became %q", got)
	}
}

// Each known name leads to a flag that exists.
func TestLongNamesExist(t *testing.T) {
	flags := newScanCommand(testEnv(t)).Flags()
	for _, name := range strings.Fields("mc match-code fc filter-code ms fs mr fe ml fl fr maxr rl mhe te si nc json threads http-proxy sni-name fhr sj debug-req dreq debug-resp dresp srd etags es eid template-id pt eh or iv cc ck mp metrics-port s a r x dc deny probe vv") {
		if long := longName(name); flags.Lookup(long) == nil {
			t.Errorf("-%s leads to --%s, which is no flag", name, long)
		}
	}
}
