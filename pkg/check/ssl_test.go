package check

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/redialscan/redial/pkg/requester"
)

// secure is a host with a certificate of its own making, for TLS versions up to most.
func secure(t *testing.T, most uint16) *tried {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, MaxVersion: most}
	server.Config.ErrorLog = silent()
	server.StartTLS()
	t.Cleanup(server.Close)
	client, err := requester.New(requester.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &tried{client: client, target: mustTarget(t, server.URL)}
}

func handshake(rest string) string {
	return template("ssl:\n  - address: '{{Host}}:{{Port}}'\n" + rest)
}

func TestHandshakes(t *testing.T) {
	for _, row := range []struct{ name, rest, want string }{
		{"subject", "    matchers: [{type: word, part: subject_dn, words: ['O=Acme Co']}]", "ADDR"},
		{"issuer", "    matchers: [{type: word, part: issuer_cn, words: ['Nobody']}]", ""},
		{"version", "    extractors: [{type: json, json: [.tls_version]}]", "ADDR tls12"},
		{"version that the host has not", "    min_version: tls13\n    max_version: tls13\n    extractors: [{type: json, json: [.tls_version]}]", ""},
		{"version that both have", "    min_version: tls12\n    max_version: tls12\n    extractors: [{type: dsl, dsl: ['tls_version, probe_status']}]", "ADDR tls12 true"},
		{"one suite", "    cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]\n    extractors: [{type: dsl, dsl: [cipher]}]", "ADDR TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"},
		{"self signed", "    matchers: [{type: dsl, dsl: ['self_signed == true && untrusted == true && expired == false']}]", "ADDR"},
		{"dates", "    extractors: [{type: kval, kval: [not_after]}]", "ADDR 2084-01-29T16:00:00Z"},
		{"names", "    matchers: [{type: dsl, condition: and, dsl: ['mismatched == false', 'contains(subject_an, \"example.com\")', 'wildcard_certificate == true']}]\n    extractors: [{type: json, json: ['.subject_an[]']}]", "ADDR example.com,*.example.com"},
		{"serial", "    extractors: [{type: regex, part: serial, regex: ['^[0-9A-F]{2}(:[0-9A-F]{2})+$']}]", "SERIAL"},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := secure(t, tls.VersionTLS12)
			out, err := mustParse(t, handshake(row.rest)).Run(context.Background(), Job{Target: h.target, Send: h.client, KeepRaw: true})
			if err != nil || out.Sent != 1 {
				t.Fatalf("%+v, %v", out, err)
			}
			got := told(h, out)
			if row.want == "SERIAL" {
				if len(out.Findings) != 1 {
					t.Errorf("findings %q, want a serial number", got)
				}
				return
			}
			if want := strings.Replace(row.want, "ADDR", h.target.Key(), 1); got != want {
				t.Errorf("findings %q, want %q", got, want)
			}
		})
	}
}

// A port without TLS is a host that answers, and no match; one where nothing listens is an error of the send.
func TestHandshakeWithoutTLS(t *testing.T) {
	c := mustParse(t, handshake("    matchers: [{type: dsl, dsl: ['probe_status == true']}]"))
	plain := host(t, page)
	out, err := c.Run(context.Background(), Job{Target: plain.target, Send: plain.client})
	if err != nil || len(out.Findings) != 0 || out.Last == nil {
		t.Errorf("%+v, %v", out, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	if _, err := c.Run(context.Background(), Job{Target: mustTarget(t, "https://"+listener.Addr().String()), Send: plain.client}); err == nil {
		t.Error("a host that refuses has no error")
	}
}

// A page may be asked for only where the certificate says so.
func TestHandshakeBeforeARequest(t *testing.T) {
	h := secure(t, tls.VersionTLS13)
	blocks := "ssl:\n  - address: '{{Hostname}}'\nhttp:\n  - path: ['{{BaseURL}}/']\n    matchers: [{type: dsl, dsl: ['contains(ssl_subject_dn, \"Acme\") && http_status_code == 404']}]\n"
	out, err := mustParse(t, template("flow: ssl() && http(1)\n"+blocks)).Run(context.Background(), Job{Target: h.target, Send: h.client})
	if got := told(h, out); err != nil || got != "/" || out.Sent != 2 {
		t.Errorf("findings %q, %d sent, %v", got, out.Sent, err)
	}
	if got := mustParse(t, template(blocks)).Protocol(); got != "ssl" {
		t.Errorf("protocol %s", got)
	}
}

func TestRefusedHandshakes(t *testing.T) {
	for rest, want := range map[string]string{
		"    min_version: ssl30\n    matchers: [{type: dsl, dsl: ['true']}]":     "ssl[0].min_version: SSL 3.0 is not supported",
		"    min_version: tls9\n    matchers: [{type: dsl, dsl: ['true']}]":      `expected tls10, tls11, tls12 or tls13, got "tls9"`,
		"    cipher_suites: [NONE]\n    matchers: [{type: dsl, dsl: ['true']}]":  `cipher suite "NONE" is not supported`,
		"    scan_mode: openssl\n    matchers: [{type: dsl, dsl: ['true']}]":     `expected auto, ctls, got "openssl"`,
		"    tls_version_enum: true\n    matchers: [{type: dsl, dsl: ['true']}]": "tls_version_enum is not supported",
		"    matchers: [{type: status, status: [200]}]":                          "expected another type than status, which only http has",
		"    adress: a\n    matchers: [{type: dsl, dsl: ['true']}]":              "ssl[0].adress: unknown field",
		"    id: a": "expected matchers or extractors, got neither",
	} {
		_, problems := parse([]byte(handshake(rest)), source{file: "made-up.yaml", root: "."})
		if len(problems) == 0 || !strings.Contains(problems[0].Error(), want) {
			t.Errorf("%s: %v, want %s", rest, problems, want)
		}
	}
	_, problems := parse([]byte(template("ssl:\n  - matchers: [{type: dsl, dsl: ['true']}]\n")), source{file: "made-up.yaml", root: "."})
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "ssl[0].address: expected an address") {
		t.Errorf("without an address: %v", problems)
	}
}
