package check

import (
	"context"
	"strings"
	"testing"

	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

// The ports of a template are for targets that are named by a website, or by no port at all; any other port is meant.
func TestPortsOfTemplates(t *testing.T) {
	for _, row := range []struct{ target, fields, want string }{
		{"http://127.0.0.1", "    port: 21", "127.0.0.1:21"},
		{"https://127.0.0.1:8443/x", "    port: 21", "127.0.0.1:21"},
		{"127.0.0.1", "    port: 21", "127.0.0.1:21"},
		{"http://127.0.0.1:9000", "    port: 21", "127.0.0.1:9000"},
		{"127.0.0.1:2121", "    port: '21'", "127.0.0.1:2121"},
		{"127.0.0.1:2121", "    port: 21\n    exclude-ports: 2121,80", "127.0.0.1:21"},
		{"http://127.0.0.1:443", "    port: 21\n    exclude-ports: 80", "127.0.0.1:443"},
		{"http://127.0.0.1", "    port: 21, 2121,21", "127.0.0.1:21 127.0.0.1:2121"},
		{"127.0.0.1:9000", "    port: 21,2121", "127.0.0.1:9000"},
		{"http://127.0.0.1", "", "127.0.0.1:80"},
		{"127.0.0.1", "", ""},
		{"http://[::1]:80", "    port: 21", "[::1]:21"},
	} {
		asked := &dialed{}
		out, err := mustParse(t, conversationOf(row.fields+"\n    matchers: [{type: word, words: [a]}]\n")).Run(
			context.Background(), Job{Target: mustTarget(t, row.target), Send: asked})
		if got := strings.Join(asked.at, " "); got != row.want || (err != nil) != (row.want == "") {
			t.Errorf("%s with %q: asked %q, want %q; %+v, %v", row.target, row.fields, got, row.want, out, err)
		}
	}
	for text, want := range map[string]string{
		"'{{Host}}:22'": "tcp 127.0.0.1:22", "'tls://{{Host}}:993'": "tls 127.0.0.1:993", "'127.0.0.9:7'": "tcp 127.0.0.9:7", "'[::1]:5'": "tcp [::1]:5",
		"'{{Host}}:{{Port}}'": "tcp 127.0.0.1:21", "'{{Host}}'": "tcp 127.0.0.1:21", "'{{Host}}:x'": "",
	} {
		asked := &dialed{}
		c := mustParse(t, template("network:\n  - host: "+text+"\n    port: 21\n    matchers: [{type: word, words: [a]}]\n"))
		_, err := c.Run(context.Background(), Job{Target: mustTarget(t, "http://127.0.0.1"), Send: asked})
		got := ""
		if len(asked.at) > 0 {
			got = asked.schemes[0] + " " + asked.at[0]
		}
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s: asked %q, %v; want %q", text, got, err, want)
		}
	}
}

// dialed keeps where conversations went, and answers nothing.
type dialed struct{ at, schemes []string }

func (d *dialed) Do(_ context.Context, req *requester.Request, _ requester.Turn) (*requester.Response, error) {
	t := target.Target{Host: req.Host, Port: req.Port}
	d.at, d.schemes = append(d.at, t.Key()), append(d.schemes, req.Scheme)
	return &requester.Response{}, nil
}
