package check

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// service is a TCP port that speaks by a function, on a loopback address of its own choosing.
type service struct {
	addr  string
	dials atomic.Int32
}

func serving(t *testing.T, speak func(c net.Conn)) *service {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{addr: listener.Addr().String()}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			s.dials.Add(1)
			all.Go(func() {
				defer c.Close()
				speak(c)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		all.Wait()
	})
	return s
}

// mail greets, and answers each line by its first word; it hangs up after QUIT.
func mail(c net.Conn) {
	greet(c)
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		io.WriteString(c, "250 "+word+" "+strings.ToUpper(rest)+"\r\n")
		if word == "QUIT" {
			return
		}
	}
}

func greet(c net.Conn) { io.WriteString(c, greeting) }

const greeting = "220 mail.test ESMTP key=k7\r\n"

func conversationOf(rest string) string {
	return template("tcp:\n  - host: ['{{Hostname}}']\n" + rest)
}

// caller is a client with a breaker, to see what it makes of the ports.
func caller(t *testing.T, most int) (*requester.Client, *hosterrors.Cache) {
	t.Helper()
	b, err := hosterrors.NewWithConfig(hosterrors.Config{MaxHostError: most})
	if err != nil {
		t.Fatal(err)
	}
	client, err := requester.New(requester.Config{Breaker: b})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	t.Cleanup(b.Close)
	return client, b
}

func TestConversations(t *testing.T) {
	quit := "    inputs: [{data: \"QUIT now\\r\\n\", read: 28, name: hello}]\n"
	steps := "    inputs:\n      - {read: 28, name: hello}\n      - {data: \"EHLO {{key}}\\r\\n\", read: 13, name: ehlo}\n      - {data: \"QUIT\\r\\n\"}\n" +
		"    extractors: [{type: regex, name: key, part: hello, internal: true, group: 1, regex: ['key=(\\w+)']}]\n"
	for _, row := range []struct{ name, rest, want string }{
		{"banner", "    matchers: [{type: word, words: ['220 mail.test']}]", "ADDR"},
		{"another banner", "    matchers: [{type: word, words: ['SSH-']}]", ""},
		{"regex", "    extractors: [{type: regex, group: 1, regex: ['220 (\\S+)']}]", "ADDR mail.test"},
		{"binary", "    matchers: [{type: binary, binary: ['323230206d61696c']}]", "ADDR"},
		{"size of all that came", "    matchers: [{type: size, size: [28]}]", "ADDR"},
		{"no more than is asked for", "    read-size: 3\n    matchers: [{type: dsl, dsl: ['data == \"220\" && len(raw) == 3']}]", "ADDR"},
		{"read-all", "    inputs: [{data: \"QUIT\\r\\n\"}]\n    read-all: true\n    matchers: [{type: dsl, dsl: ['len(data) == 39 && data == raw']}]", "ADDR"},
		{"data is what comes last", quit + "    matchers: [{type: dsl, dsl: ['contains(hello, \"ESMTP\") && len(data) == 14 && starts_with(data, \"250 QUIT NOW\") && contains(raw, \"220\") && contains(raw, \"250\") && len(request) == 10 && starts_with(request, \"QUIT now\")']}]", "ADDR"},
		{"part is an input", quit + "    matchers: [{type: word, part: hello, words: [ESMTP]}, {type: word, part: body, words: [QUIT]}]\n    matchers-condition: and", "ADDR"},
		{"body has not what an input has", quit + "    matchers: [{type: word, words: [ESMTP]}]", ""},
		{"raw has", quit + "    matchers: [{type: word, part: raw, words: [ESMTP]}]", "ADDR"},
		{"a part that is not there", quit + "    matchers: [{type: word, part: helo, negative: true, words: [x]}]", ""},
		{"what one input finds, the next one says", steps + "    matchers: [{type: dsl, dsl: ['starts_with(ehlo, \"250 EHLO K7\") && key == \"k7\"']}]", "ADDR"},
		{"nothing found, nothing said", strings.Replace(steps, "key=", "kez=", 1) + "    matchers: [{type: word, negative: true, words: [nothing]}]", ""},
		{"hexadecimal", "    inputs: [{data: '51 55 49 54 0d0a', type: hex}]\n    matchers: [{type: word, words: ['250 QUIT']}]", "ADDR"},
		{"hexadecimal of a variable", "    inputs: [{data: '{{bytes}}', type: hex}]\n    payloads: {bytes: ['515549540d0a']}\n    matchers: [{type: word, words: ['250 QUIT']}]", "ADDR"},
		{"functions", "    inputs: [{data: '{{hex_decode(\"515549540d0a\")}}'}]\n    matchers: [{type: word, words: ['250 QUIT']}]", "ADDR"},
		{"name and port", "    inputs: [{read: 28}, {data: \"QUIT {{Hostname}} {{Host}} {{Port}}\\r\\n\"}]\n    matchers: [{type: word, words: ['250 QUIT ADDR HOST PORT']}]", "ADDR"},
		{"payloads", "    inputs: [{read: 28}, {data: \"QUIT {{user}}\\r\\n\"}]\n    payloads: {user: [a, b, c]}\n    extractors: [{type: regex, group: 1, regex: ['250 QUIT ([BC])']}]", "ADDR B\nADDR C"},
		{"the first of the payloads", "    inputs: [{read: 28}, {data: \"QUIT {{user}}\\r\\n\"}]\n    payloads: {user: [a, b, c]}\n    stop-at-first-match: true\n    extractors: [{type: regex, group: 1, regex: ['250 QUIT ([BC])']}]", "ADDR B"},
		{"an address of the template's own", "    port: 21\n    matchers: [{type: dsl, dsl: ['contains(data, \"220\") && type == \"tcp\" && host == \"ADDR\"']}]", "ADDR"},
		{"an extractor of expressions", "    inputs: [{read: 28}, {data: \"QUIT\\r\\n\"}]\n    extractors: [{type: dsl, dsl: ['len(data)']}]", "ADDR 11"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel() // each waits for the host to pause
			speak := mail
			if !strings.Contains(row.rest, "inputs") {
				speak = greet
			}
			s := serving(t, speak)
			client, _ := caller(t, 1)
			hostName, port, _ := strings.Cut(s.addr, ":")
			fill := strings.NewReplacer("ADDR", s.addr, "HOST", hostName, "PORT", port)
			c := mustParse(t, conversationOf(fill.Replace(row.rest)+"\n"))
			h := &tried{target: mustTarget(t, "http://"+s.addr)}
			out, err := c.Run(context.Background(), Job{Target: h.target, Send: client, KeepRaw: true})
			if err != nil || !out.Heard {
				t.Fatalf("%+v, %v", out, err)
			}
			if got, want := told(h, out), fill.Replace(row.want); got != want {
				t.Errorf("findings %q, want %q", got, want)
			}
			for _, f := range out.Findings {
				if !strings.Contains(f.Response, "220") || f.IP != "127.0.0.1" || f.Curl != "" {
					t.Errorf("finding %+v", f)
				}
			}
			if c.Protocol() != "tcp" || c.NeedsScheme() || !c.AsksTarget() {
				t.Errorf("protocol %s, scheme %v", c.Protocol(), c.NeedsScheme())
			}
		})
	}
}

// What is wrong with a port is no finding, and an error of the send only where the port is the target's.
func TestConversationsWithoutAnAnswer(t *testing.T) {
	matches := "    matchers: [{type: dsl, dsl: ['true']}]\n"
	for _, row := range []struct {
		name  string
		speak func(net.Conn)
		rest  string
		found int
	}{
		{"silent", func(c net.Conn) { io.Copy(io.Discard, c) }, matches, 1}, // what is not there has no words: that may be looked for
		{"silent where it should answer", func(c net.Conn) { io.Copy(io.Discard, c) }, "    inputs: [{data: a, read: 4}]\n" + matches, 0},
		{"closes", func(net.Conn) {}, "    inputs: [{read: 4}]\n" + matches, 0},
		{"half closed", func(c net.Conn) {
			c.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, c)
		}, "    inputs: [{data: a}, {data: b}]\n" + matches, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := serving(t, row.speak)
			client, b := caller(t, 1)
			out, err := mustParse(t, conversationOf(row.rest)).Run(context.Background(), Job{Target: mustTarget(t, "http://"+s.addr), Send: client})
			if err != nil || len(out.Findings) != row.found || out.Sent != 1 || out.Heard || b.Quarantined(s.addr) {
				t.Errorf("%+v, %v; want %d findings and a host that said nothing", out, err, row.found)
			}
		})
	}
	closed := closedPort(t)
	client, b := caller(t, 1)
	_, err := mustParse(t, conversationOf(matches)).Run(context.Background(), Job{Target: mustTarget(t, "http://"+closed), Send: client})
	if failed, ok := err.(*SendError); !ok || !b.Quarantined(closed) {
		t.Errorf("the target's own port refuses: %v", failed)
	}
}

// closedPort is an address where nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	return listener.Addr().String()
}

// A port of the template's own that refuses leaves the target's alone, and is not dialed for each payload.
func TestOtherPorts(t *testing.T) {
	s := serving(t, mail)
	closed := closedPort(t)
	_, port, _ := strings.Cut(closed, ":")
	_, open, _ := strings.Cut(s.addr, ":")
	client, b := caller(t, 1)
	c := mustParse(t, template("tcp:\n  - host: ['{{Host}}:"+port+"', '{{Host}}:"+open+"']\n    payloads: {p: [a, b]}\n    inputs: [{data: \"QUIT {{p}}\\r\\n\"}]\n"+
		"    matchers: [{type: word, words: [\"250\"]}]\n"))
	h := &tried{target: mustTarget(t, "http://127.0.0.1:1")}
	out, err := c.Run(context.Background(), Job{Target: h.target, Send: client})
	if got := told(h, out); err != nil || got != s.addr+"\n"+s.addr || out.Sent != 3 || out.Heard {
		t.Errorf("findings %q, %+v, %v", got, out, err)
	}
	if !b.Quarantined(closed) || b.Quarantined("127.0.0.1:1") || s.dials.Load() != 2 || client.Sent() != 3 {
		t.Errorf("%d dials, %d sent", s.dials.Load(), client.Sent())
	}
	again, err := c.Run(context.Background(), Job{Target: h.target, Send: client})
	if err != nil || len(again.Findings) != 2 || client.Sent() != 5 {
		t.Errorf("with a port that is quarantined: %+v, %v, %d sent", again, err, client.Sent())
	}
}

func TestConversationOverTLS(t *testing.T) {
	h := secure(t, tls.VersionTLS13)
	c := mustParse(t, template("tcp:\n  - host: ['tls://{{Hostname}}']\n    inputs: [{data: \"GET / HTTP/1.0\\r\\n\\r\\n\"}]\n    matchers: [{type: word, words: ['404 Not Found']}]\n"))
	out, err := c.Run(context.Background(), Job{Target: h.target, Send: h.client})
	if err != nil || len(out.Findings) != 1 || !out.Heard {
		t.Errorf("%+v, %v", out, err)
	}
	plain := host(t, func(http.ResponseWriter, *http.Request) {})
	out, err = c.Run(context.Background(), Job{Target: plain.target, Send: plain.client})
	if err != nil || len(out.Findings) != 0 || !out.Heard || out.Sent != 1 {
		t.Errorf("a port without TLS: %+v, %v", out, err)
	}
}

// What a port says decides whether a page is asked for.
func TestConversationBeforeARequest(t *testing.T) {
	h := host(t, page)
	blocks := "tcp:\n  - host: ['{{Hostname}}']\n    inputs: [{data: \"HEAD / HTTP/1.0\\r\\n\\r\\n\"}]\n    matchers: [{type: word, internal: true, words: ['403']}]\n" +
		"http:\n  - path: ['{{BaseURL}}/']\n    matchers: [{type: dsl, dsl: ['contains(tcp_data, \"403\") && contains(tcp_1_raw, \"403\") && contains(data, \"403\") && status_code == 403']}]\n"
	c := mustParse(t, template("flow: tcp(1) && http()\n"+blocks))
	out, err := c.Run(context.Background(), Job{Target: h.target, Send: h.client})
	if got := told(h, out); err != nil || got != "/" || out.Sent != 2 || !c.NeedsScheme() {
		t.Errorf("findings %q, %+v, %v", got, out, err)
	}
}

func TestRefusedConversations(t *testing.T) {
	end := "\n    matchers: [{type: word, words: [a]}]"
	for rest, want := range map[string]string{
		"host: ['udp://{{Hostname}}']" + end:                          "tcp[0].host[0]: udp:// is not supported",
		"port: 21" + end:                                              "tcp[0].host: expected an address such as {{Hostname}}",
		"host: [a]\n    port: ftp" + end:                              `tcp[0].port: expected the numbers of ports, got "ftp"`,
		"host: [a]\n    port: 70000" + end:                            "tcp[0].port: expected the numbers of ports",
		"host: [a]\n    read-size: 0" + end:                           "tcp[0].read-size: expected a number of at least 1",
		"host: [a]\n    inputs: [{data: xyz, type: hex}]" + end:       "tcp[0].inputs[0].data: expected bytes in hexadecimal",
		"host: [a]\n    inputs: [{data: a, type: base64}]" + end:      "tcp[0].inputs[0].type: expected text, hex",
		"host: [a]\n    inputs: [{dat: a}]" + end:                     "tcp[0].inputs[0].dat: unknown field",
		"host: [a]\n    inputs: [{data: '{{b}}'}]" + end:              "variable b is defined nowhere",
		"host: [a]\n    inputs: [{data: '{{interactsh-url}}'}]" + end: "out-of-band interaction is not supported",
		"host: [a]\n    body: b" + end:                                "tcp[0].body: unknown field",
		"host: [a]\n    matchers: [{type: status, status: [200]}]":    "expected another type than status, which only http has",
		"host: [a]": "expected matchers or extractors, got neither",
		"host: [a]" + end + "\nnetwork:\n  - host: [a]" + end:                                            "network: tcp and network are one section",
		"host: [a]\n    matchers: [{type: word}, {type: word, words: [a]}]\n    matchers-condition: and": "expected a list of words in each, since all are to match",
	} {
		_, problems := parse([]byte(template("tcp:\n  - "+rest+"\n")), source{file: "made-up.yaml", root: "."})
		if len(problems) == 0 || !strings.Contains(problems[0].Error(), want) || !strings.HasPrefix(problems[0].Error(), "made-up.yaml:") {
			t.Errorf("%s: %v, want %s", rest, problems, want)
		}
	}
}
