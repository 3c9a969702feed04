package check

import (
	"context"
	"testing"

	"github.com/miekg/dns"

	"github.com/redialscan/redial/pkg/requester"
)

// server replies to every question with the same message, and says the same in every conversation, in pieces.
type server struct {
	reply  *dns.Msg
	speech []byte
	step   int
}

func (s server) Do(_ context.Context, req *requester.Request, _ requester.Turn) (*requester.Response, error) {
	if req.Query != nil {
		text := []byte(s.reply.String())
		return &requester.Response{Reply: s.reply, Body: text, Length: int64(len(text))}, nil
	}
	var heard []byte
	for left := s.speech; ; {
		line, more := req.Talk.Next(heard)
		if !more {
			return &requester.Response{Body: s.speech}, nil
		}
		n := min(len(left), line.Hear, s.step+1)
		heard, left = left[:n:n], left[n:]
	}
}

// FuzzReply reads replies that no server in its right mind gives.
func FuzzReply(f *testing.F) {
	c := mustParse(f, template(`
dns:
  - name: "{{FQDN}}"
    type: TXT
    extractors:
      - {type: regex, group: 1, regex: ["IN\tTXT\t(.+)"]}
      - {type: kval, kval: [cname, txt, ns]}
      - {type: dsl, name: first, internal: true, dsl: [cname]}
      - {type: json, json: ['.. | strings']}
    matchers:
      - {type: word, name: w, words: [NXDOMAIN]}
      - {type: regex, name: r, part: answer, regex: ["IN\tCNAME\t(.+)$"]}
      - {type: status, name: s, part: rcode, status: [0, 3]}
      - {type: size, name: z, part: extra, size: [0]}
      - {type: dsl, name: d, dsl: ['contains(a, "1") || len(question) > 3 || rcode == 2']}
  - {name: "{{first}}", type: ANY, matchers: [{type: dsl, dsl: ["dns_1_rcode == rcode"]}]}
`))
	where := mustTarget(f, "shop.test")
	for _, texts := range shop() {
		m := new(dns.Msg).SetQuestion("shop.test.", dns.TypeTXT)
		for _, text := range texts {
			if record, err := dns.NewRR(text); err == nil && record != nil {
				m.Answer = append(m.Answer, record)
			}
		}
		if wire, err := m.Pack(); err == nil {
			f.Add(wire)
		}
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		m := new(dns.Msg)
		if m.Unpack(wire) != nil {
			return
		}
		out, err := c.Run(context.Background(), Job{Target: where, Send: server{reply: m}, KeepRaw: true})
		if out.Sent == 0 && err == nil || out.Heard {
			t.Fatalf("%+v", out)
		}
		for _, finding := range out.Findings {
			if finding.MatchedAt == "" || len(finding.Response) > maxRaw {
				t.Fatalf("finding %+v", finding)
			}
		}
	})
}

// FuzzConversation hears whatever the fuzzer says, in pieces of any size.
func FuzzConversation(f *testing.F) {
	c := mustParse(f, template(`
tcp:
  - host: ["{{Hostname}}"]
    inputs:
      - {read: 4, name: hello}
      - {data: "{{found}} {{hello}}\r\n", read: 100, name: answer}
      - {data: "{{hex_encode(answer)}}", type: hex}
    read-size: 10
    extractors:
      - {type: regex, name: found, part: hello, internal: true, regex: ['(?s)^.']}
      - {type: xpath, name: path, part: answer, internal: true, xpath: ['//a']}
      - {type: dsl, name: expr, internal: true, dsl: ['to_upper(hello)']}
      - {type: json, name: json, part: answer, internal: true, json: ['.a']}
      - {type: kval, kval: [data, answer]}
    matchers:
      - {type: word, part: raw, words: ["220"]}
      - {type: dsl, dsl: ['len(raw) == len(hello) + len(answer) + len(data)']}
`))
	where := mustTarget(f, "h.test:21")
	f.Add([]byte("220 mail\r\n250 ok\r\n"), 100)
	f.Add([]byte(`1234{"a":"b"}`), 3)
	f.Add([]byte("\x00\xff\n\n<a><b"), 1)
	f.Fuzz(func(t *testing.T, speech []byte, step int) {
		out, err := c.Run(context.Background(), Job{Target: where, Send: server{speech: speech, step: max(0, step) % 4096}, KeepRaw: true})
		if err != nil || out.Sent != 1 {
			t.Fatalf("%+v, %v", out, err)
		}
		for _, finding := range out.Findings {
			if finding.MatchedAt != "h.test:21" || len(finding.Response) > maxRaw {
				t.Fatalf("finding %+v", finding)
			}
		}
	})
}
