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

// The flags that people type most for nuclei and httpx are understood, or told what does their work, or that nothing does.
func TestUsualFlagsOfOthersAreAnswered(t *testing.T) {
	flags := newScanCommand(testEnv(t)).Flags()
	for tool, names := range map[string]string{
		"nuclei": "u target l list eh resume iv nt as w t tags etags itags it id eid et s es pt ept a o silent nc j or irr se me je jle config" +
			" fr fhr dr H V r cc ck sni iserver ni rl rlm bs c timeout retries mhe nmhe spm stream headless debug dreq dresp p proxy" +
			" v vv stats sj si mp duc up ut dc ts srd sresp version",
		"httpx": "l u sc cl ct location favicon hash jarm rt lc wc title bp server td ip cname asn cdn probe ss mc ml mlc mwc ms mr" +
			" fc fl flc fwc fs fe t threads rl rlm pa path p ports sr srd csv json j irr r deny sni random-agent H http-proxy proxy" +
			" fr maxr fhr x body stream nf ldv debug stats silent v si nc retries timeout delay o http2 vhost config",
	} {
		for _, name := range strings.Fields(names) {
			arg, keep := doubleDash(flags, "-"+name)
			long := strings.TrimPrefix(strings.TrimPrefix(arg, "--"), "-")
			long, _, _ = strings.Cut(long, "=")
			known := len(long) == 1 && flags.ShorthandLookup(long) != nil || flags.Lookup(long) != nil || long == "version"
			if keep && !known && elsewhere(name) == "" {
				t.Errorf("-%s of %s becomes %s, of which nothing is known", name, tool, arg)
			}
		}
	}
}
