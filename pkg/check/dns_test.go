package check

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

func asking(rest string) string { return template("dns:\n  - name: '{{FQDN}}'\n" + rest + "\n") }

func TestQuestions(t *testing.T) {
	z := zone(t, shop())
	client, err := requester.New(requester.Config{Resolvers: []string{z.addr}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	for _, row := range []struct{ name, target, text, want, asked string }{
		{"A is the usual type", "http://shop.test", asking("    matchers: [{type: word, words: ['192.0.2.1']}]"), "shop.test", "shop.test. IN A"},
		{"a target without a scheme", "shop.test", asking("    matchers: [{type: word, words: ['192.0.2.1']}]"), "shop.test", "shop.test. IN A"},
		{"another address", "shop.test", asking("    type: A\n    matchers: [{type: word, words: ['198.51.100.1']}]"), "", "shop.test. IN A"},
		{"a record as text", "shop.test", asking("    type: txt\n    extractors: [{type: regex, group: 1, regex: [\"IN\\tTXT\\t(.+)\"]}]"), `shop.test "v=spf1 -all"`, "shop.test. IN TXT"},
		{"the end of the answer", "shop.test", asking("    type: MX\n    matchers: [{type: regex, part: answer, regex: [\"IN\\tMX\\t(.+)$\"]}]"), "shop.test", "shop.test. IN MX"},
		{"AAAA", "shop.test", asking("    type: AAAA\n    extractors: [{type: dsl, dsl: [aaaa]}]"), "shop.test 2001:db8::1", "shop.test. IN AAAA"},
		{"NS by its name", "shop.test", asking("    type: NS\n    extractors: [{type: dsl, dsl: [ns]}]"), "shop.test ns.shop.test.", "shop.test. IN NS"},
		{"CAA", "shop.test", asking("    type: CAA\n    extractors: [{type: regex, group: 1, regex: ['issue \"(.*)\"']}]"), "shop.test ca.test", "shop.test. IN CAA"},
		{"DS", "shop.test", asking("    type: DS\n    matchers: [{type: word, part: answer, words: [\"IN\\tDS\\t\"]}]"), "shop.test", "shop.test. IN DS"},
		{"SOA", "shop.test", asking("    type: SOA\n    matchers: [{type: word, part: answer, words: ['root.shop.test']}]"), "shop.test", "shop.test. IN SOA"},
		{"SRV", "shop.test", asking("    type: SRV\n    extractors: [{type: kval, kval: [srv]}]"), "shop.test 1 2 3 srv.shop.test.", "shop.test. IN SRV"},
		{"TLSA", "shop.test", asking("    type: TLSA\n    matchers: [{type: word, words: ['TLSA']}]"), "shop.test", "shop.test. IN TLSA"},
		{"NAPTR", "shop.test", asking("    type: NAPTR\n    matchers: [{type: word, words: ['E2U']}]"), "shop.test", "shop.test. IN NAPTR"},
		{"HTTPS", "shop.test", asking("    type: HTTPS\n    matchers: [{type: word, words: ['alpn=\"h2\"']}]"), "shop.test", "shop.test. IN HTTPS"},
		{"ANY", "shop.test", asking("    type: ANY\n    matchers: [{type: dsl, dsl: ['len(a) == 2 && contains(txt, \"spf1\")']}]"), "shop.test", "shop.test. IN ANY"},
		{"below the name", "shop.test", strings.Replace(asking("    type: TXT\n    matchers: [{type: word, words: [DMARC1]}]"), "{{FQDN}}", "_dmarc.{{FQDN}}", 1), "_dmarc.shop.test", "_dmarc.shop.test. IN TXT"},
		{"the registered name", "www.shop.test", strings.Replace(asking("    matchers: [{type: word, words: ['192.0.2.1']}]"), "{{FQDN}}", "{{RDN}}", 1), "shop.test", "shop.test. IN A"},
		{"a name that leads nowhere", "www.shop.test", asking("    matchers-condition: and\n    matchers: [{type: word, words: [NXDOMAIN]}, {type: dsl, dsl: ['contains(cname, \"cloud.test\")', 'rcode == 3']}]\n    extractors: [{type: dsl, dsl: [cname]}]"), "www.shop.test gone.cloud.test.", "www.shop.test. IN A"},
		{"no such name", "none.test", asking("    matchers: [{type: status, part: rcode, status: [3]}]"), "none.test", "none.test. IN A"},
		{"another code", "none.test", asking("    matchers: [{type: status, part: rcode, status: [0, 2]}]"), "", "none.test. IN A"},
		{"a server that fails", "bad.test", asking("    matchers: [{type: word, words: [SERVFAIL, REFUSED]}]"), "bad.test", "bad.test. IN A"},
		{"a server that refuses", "no.test", asking("    matchers: [{type: word, words: [SERVFAIL, REFUSED]}]"), "no.test", "no.test. IN A"},
		{"sections", "shop.test", asking("    type: A\n    matchers: [{type: dsl, dsl: ['contains(question, \"shop.test.\") && contains(ns, \"SOA\") && contains(extra, \"EDNS\") && !contains(answer, \"SOA\") && contains(raw, \"NOERROR\") && type == \"dns\" && contains(request, \"opcode: QUERY\")']}]"), "shop.test", "shop.test. IN A"},
		{"a section that has not what another has", "shop.test", asking("    type: A\n    matchers: [{type: word, part: answer, words: [SOA]}]"), "", "shop.test. IN A"},
		{"a pointer of an address", "http://192.0.2.1", asking("    type: PTR\n    matchers: [{type: regex, part: answer, regex: [\"IN\\tPTR\\t(.+)$\"]}]"), "1.2.0.192.in-addr.arpa", "1.2.0.192.in-addr.arpa. IN PTR"},
		{"class, and a server that is not to ask others", "shop.test", template("dns:\n  - {name: version.bind, type: TXT, class: chaos, recursion: false, matchers: [{type: word, words: ['9.9']}]}\n"), "version.bind", "version.bind. CH TXT alone"},
		{"payloads", "shop.test", strings.Replace(asking("    payloads: {sub: [www, ns, none]}\n    type: A\n    matchers: [{type: word, part: answer, words: [IN]}]"), "{{FQDN}}", "{{sub}}.{{FQDN}}", 1), "www.shop.test\nns.shop.test", "www.shop.test. IN A, ns.shop.test. IN A, none.shop.test. IN A"},
		{"one question after the other", "shop.test", template("dns:\n  - {name: '{{FQDN}}', type: MX, extractors: [{type: regex, name: mx, internal: true, group: 1, regex: ['MX\\s+10 (\\S+)\\.']}]}\n" +
			"  - {name: '{{mx}}', type: A, matchers: [{type: dsl, dsl: ['rcode == 3 && contains(dns_1_answer, \"mail\")']}]}\n"), "mail.shop.test", "shop.test. IN MX, mail.shop.test. IN A"},
		{"a flow", "bad.test", template("flow: dns(1) && dns(2)\ndns:\n  - {name: '{{FQDN}}', matchers: [{type: word, words: [NOERROR]}]}\n  - {name: '{{FQDN}}', type: MX, matchers: [{type: word, words: [MX]}]}\n"), "", "bad.test. IN A"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := mustParse(t, row.text)
			out, err := c.Run(context.Background(), Job{Target: mustTarget(t, row.target), Send: client, KeepRaw: true})
			if err != nil || out.Heard {
				t.Fatalf("%+v, %v", out, err)
			}
			var lines []string
			for _, f := range out.Findings {
				lines = append(lines, strings.TrimSpace(f.MatchedAt+" "+strings.Join(f.Extracted, ",")))
				if f.IP != "" || !strings.Contains(f.Request, "QUESTION SECTION") || !strings.Contains(f.Response, "flags: qr") {
					t.Errorf("finding %+v", f)
				}
			}
			if got := strings.Join(lines, "\n"); got != row.want {
				t.Errorf("findings %q, want %q", got, row.want)
			}
			if got := z.questions(); got != row.asked {
				t.Errorf("asked %q, want %q", got, row.asked)
			}
			if c.Protocol() != "dns" || c.NeedsScheme() || c.AsksTarget() || !c.AsksServers() {
				t.Errorf("protocol %s, scheme %v, target %v", c.Protocol(), c.NeedsScheme(), c.AsksTarget())
			}
		})
	}
}

// A question about the name of an address makes no sense; one about another name does, and so do the other questions of the check.
func TestQuestionsAboutAddresses(t *testing.T) {
	z := zone(t, shop())
	client, _ := requester.New(requester.Config{Resolvers: []string{z.addr}})
	t.Cleanup(client.Close)
	end := "    matchers: [{type: dsl, dsl: ['true']}]\n"
	for _, row := range []struct {
		target, text, asked string
		passed              bool
	}{
		{"192.0.2.1", asking("    type: TXT\n" + end), "", true},
		{"http://[2001:db8::1]:8080", asking("    type: A\n" + end), "", true},
		{"[2001:db8::1]", asking("    type: PTR\n" + end), "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa. IN PTR", false},
		{"192.0.2.1", template("variables: {n: '{{FQDN}}'}\ndns:\n  - name: '{{n}}'\n" + end), "", true},
		{"192.0.2.1", template("dns:\n  - name: version.bind\n" + end), "version.bind. IN A", false},
		{"192.0.2.1", template("dns:\n  - name: '{{FQDN}}'\n  - name: version.bind\n" + end), "version.bind. IN A", true},
	} {
		out, err := mustParse(t, row.text).Run(context.Background(), Job{Target: mustTarget(t, row.target), Send: client})
		if got := z.questions(); got != row.asked || errors.Is(err, errNoName) != row.passed || (out.Last == nil) != (row.asked == "") {
			t.Errorf("%s: asked %q, want %q; %+v, %v", row.target, got, row.asked, out, err)
		}
	}
}

// A check may name its servers, by a variable too, and does not ask any others.
func TestServersOfChecks(t *testing.T) {
	own, others := zone(t, shop()), zone(t, shop())
	client, _ := requester.New(requester.Config{Resolvers: []string{others.addr}})
	t.Cleanup(client.Close)
	for _, servers := range []string{"['" + own.addr + "']", "'{{server}}'", "['udp:" + own.addr + "']"} {
		c := mustParse(t, template("variables: {server: '"+own.addr+"'}\ndns:\n  - name: '{{FQDN}}'\n    resolvers: "+servers+"\n    retries: 1\n    matchers: [{type: word, words: [NOERROR]}]\n"))
		out, err := c.Run(context.Background(), Job{Target: mustTarget(t, "shop.test"), Send: client})
		if err != nil || len(out.Findings) != 1 || own.questions() != "shop.test. IN A" || others.questions() != "" || c.AsksServers() {
			t.Errorf("%s: %+v, %v", servers, out, err)
		}
	}
	c := mustParse(t, asking("    resolvers: ['{{Host}}', '192.0.2.53:99', '2001:db8::53']\n    retries: 7\n    matchers: [{type: word, words: [a]}]"))
	kept := &keeper{}
	if _, err := c.Run(context.Background(), Job{Target: mustTarget(t, "shop.test"), Send: kept}); err == nil {
		t.Error("no error of the sender")
	}
	if q := kept.req.Query; !slices.Equal(q.Servers, []string{"shop.test:53", "192.0.2.53:99", "[2001:db8::53]:53"}) || q.Tries != 7 {
		t.Errorf("asked %+v", q)
	}
}

// keeper keeps a request, and has no answer that anybody waits for.
type keeper struct{ req *requester.Request }

func (k *keeper) Do(_ context.Context, req *requester.Request, _ requester.Turn) (*requester.Response, error) {
	k.req = req
	return nil, &requester.NoReplyError{Question: "q"}
}

// That nobody has answered is an error of the run; what cannot be asked is passed over.
func TestQuestionsWithoutAReply(t *testing.T) {
	c := mustParse(t, asking("    matchers: [{type: dsl, dsl: ['true']}]"))
	for _, row := range []struct {
		err  error
		send bool
	}{
		{&net.DNSError{Err: "silence", IsTimeout: true, IsTemporary: true}, true},
		{&requester.NotAdmittedError{Key: "shop.test."}, true},
		{&requester.NoReplyError{Question: "shop.test."}, true},
		{&hosterrors.BuildError{Err: errNoName}, false},
	} {
		out, err := c.Run(context.Background(), Job{Target: mustTarget(t, "shop.test"), Send: broken{row.err}})
		if _, send := err.(*SendError); send != row.send || !errors.Is(err, row.err) || out.Last != nil {
			t.Errorf("%v: %+v, %v", row.err, out, err)
		}
	}
}

type broken struct{ err error }

func (b broken) Do(context.Context, *requester.Request, requester.Turn) (*requester.Response, error) {
	return nil, b.err
}

// What the servers say decides about a request to the target, and is there under its short name.
func TestQuestionBeforeARequest(t *testing.T) {
	z := zone(t, map[string][]string{
		"127.0.0.1.nip.test.": {"127.0.0.1.nip.test. 60 IN CNAME shop.cloud.test."},
		"localhost.nip.test.": {"localhost.nip.test. 60 IN CNAME shop.cloud.test."},
	})
	h := host(t, page)
	h.client, _ = requester.New(requester.Config{Resolvers: []string{z.addr}})
	t.Cleanup(h.client.Close)
	c := mustParse(t, template("dns:\n  - {name: '{{Host}}.nip.test', type: CNAME, resolvers: ['"+z.addr+"'], extractors: [{type: dsl, name: alias, internal: true, dsl: [cname]}]}\n"+
		"http:\n  - path: ['{{BaseURL}}/{{cname}}']\n    matchers: [{type: dsl, dsl: ['dns_cname == \"shop.cloud.test.\" && cname == alias && ip == Host']}]\n"))
	h.target.Host = "127.0.0.1"
	out, err := c.Run(context.Background(), Job{Target: h.target, Send: h.client})
	if !errors.Is(err, errNoName) || c.AsksTarget() != true || c.NeedsScheme() != true {
		t.Errorf("of an address: %+v, %v", out, err)
	}
	h.target.Host = "localhost"
	out, err = mustParse(t, template("dns:\n  - {name: '{{Host}}.nip.test', type: CNAME}\nhttp:\n  - path: ['{{BaseURL}}/{{cname}}']\n    extractors: [{type: dsl, dsl: ['cname, dns_1_cname']}]\n")).
		Run(context.Background(), Job{Target: h.target, Send: h.client})
	if got := told(h, out); err != nil || got != "/shop.cloud.test. shop.cloud.test. shop.cloud.test." || !out.Heard {
		t.Errorf("findings %q, %+v, %v", got, out, err)
	}
}

func TestRefusedQuestions(t *testing.T) {
	end := "\n    matchers: [{type: word, words: [a]}]"
	for rest, want := range map[string]string{
		"type: A" + end:                                        "dns[0].name: expected a name such as {{FQDN}}",
		"name: a\n    type: B" + end:                           `dns[0].type: expected a type of records such as A, CNAME or TXT, got "B"`,
		"name: a\n    type: AXFR" + end:                        "the dns type AXFR is not supported",
		"name: a\n    class: in" + end:                         "dns[0].class: expected inet, csnet, chaos, hesiod, none, any",
		"name: a\n    recursion: maybe" + end:                  "dns[0].recursion: expected true or false",
		"name: a\n    retries: many" + end:                     "dns[0].retries: expected a number of at least 0",
		"name: a\n    trace: true" + end:                       "trace of a dns request is not supported",
		"name: a\n    resolvers: ['https://a/q']" + end:        "dns[0].resolvers[0]: https:// is not supported",
		"name: a\n    resolvers: ['doh:a']" + end:              "a resolver by doh: is not supported",
		"name: '{{b}}'" + end:                                  "variable b is defined nowhere",
		"name: '{{interactsh-url}}'" + end:                     "out-of-band interaction is not supported",
		"name: a\n    path: b" + end:                           "dns[0].path: unknown field",
		"name: a\n    matchers: [{type: status, status: [3]}]": `expected the part rcode with type status, got ""`,
		"name: a": "expected matchers or extractors, got neither",
	} {
		_, problems := parse([]byte(template("dns:\n  - "+rest+"\n")), source{file: "made-up.yaml", root: "."})
		if len(problems) == 0 || !strings.Contains(problems[0].Error(), want) || !strings.HasPrefix(problems[0].Error(), "made-up.yaml:") {
			t.Errorf("%s: %v, want %s", rest, problems, want)
		}
	}
}

// Questions that several checks have in common are one, and checks that ask nothing of the target come first.
func TestQuestionsAreShared(t *testing.T) {
	get := template("http:\n  - path: ['{{BaseURL}}/']" + ending)
	txt := asking("    type: TXT\n    matchers: [{type: word, words: [a]}]")
	mx := strings.Replace(txt, "TXT", "MX", 1)
	set := &Set{Checks: []*Check{mustParse(t, get), mustParse(t, txt), mustParse(t, mx), mustParse(t, txt)}}
	texts := set.Checks[1]
	set.share()
	if set.Checks[0] != texts || set.Checks[3].Protocol() != "http" {
		t.Errorf("order %v", set.Checks)
	}
	if a, b, c := set.Checks[0].blocks[0].requests[0].share, set.Checks[1].blocks[0].requests[0].share, set.Checks[2].blocks[0].requests[0].share; a.Uses != 2 || a != b || c.ID != 0 {
		t.Errorf("shares %+v, %+v, %+v", a, b, c)
	}
}
