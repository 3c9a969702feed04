package requester

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/redialscan/redial/pkg/hosterrors"
)

// reply is what a response text came to.
type reply struct {
	head head
	body payload
	rest int // bytes that were left behind the response
}

// parse reads a response from text, handed out in pieces by slice.
func parse(text string, slice func(io.Reader) io.Reader, want wanted) (reply, error) {
	d := desk{br: bufio.NewReaderSize(slice(strings.NewReader(text)), readBuffer)}
	if want.maxHead == 0 {
		want.maxHead = DefaultMaxHead
	}
	if want.maxBody == 0 {
		want.maxBody = DefaultMaxBody
	}
	var c conn
	h, err := c.readHeads(&d, want, &trouble{})
	if err != nil {
		return reply{}, err
	}
	r := reply{head: h}
	if !want.noBody(&h) {
		b := bodyReader{br: d.br, limit: want.maxBody, keep: want.body}
		if r.body, err = b.read(&h); err != nil {
			return reply{}, err
		}
	}
	rest, _ := io.Copy(io.Discard, d.br)
	r.rest = int(rest)
	return r, nil
}

func whole(r io.Reader) io.Reader { return r }

var keep = wanted{body: true}

func TestResponses(t *testing.T) {
	for _, test := range []struct {
		name, text string
		status     int
		body       string
		rest       int
	}{
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiMORE", 200, "hi", 4},
		{"equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", 0},
		{"bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", 200, "hi", 0},
		{"no reason", "HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", 404, "", 0},
		{"old version", "HTTP/1.0 200 OK\r\n\r\nall of it", 200, "all of it", 0},
		{"until close", "HTTP/1.1 200 OK\r\n\r\nall of it", 200, "all of it", 0},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nA;x=y\r\n0123456789\r\n0\r\nT: x\r\n\r\nMORE", 200, "hi0123456789", 4},
		{"chunks win over length", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", 200, "hi", 0},
		{"another coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhi", 200, "hi", 0},
		{"no content", "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nMORE!", 204, "", 5},
		{"not modified", "HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\nMORE", 304, "", 4},
		{"interim", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", 0},
		{"switching", "HTTP/1.1 101 Go\r\nUpgrade: x\r\n\r\nMORE", 101, "", 4},
		{"colonless line", "HTTP/1.1 200 OK\r\nwhat is this\r\n: empty\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", 0},
	} {
		for name, slice := range map[string]func(io.Reader) io.Reader{"whole": whole, "bytewise": iotest.OneByteReader} {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				r, err := parse(test.text, slice, keep)
				if err != nil {
					t.Fatal(err)
				}
				if r.head.status != test.status || string(r.body.bytes) != test.body || r.rest != test.rest {
					t.Errorf("got status %d, body %q, %d bytes left; want %d, %q, %d",
						r.head.status, r.body.bytes, r.rest, test.status, test.body, test.rest)
				}
				if r.body.length != int64(len(test.body)) {
					t.Errorf("got length %d, want %d", r.body.length, len(test.body))
				}
			})
		}
	}
}

func TestHeadKeepsOrderCaseAndDuplicates(t *testing.T) {
	r, err := parse("HTTP/1.1 200 OK\r\nSET-cookie: a=1\r\nServer : x \r\nset-cookie: b=2\r\nX-Folded: one\r\n\ttwo\r\nX-None:\r\nContent-Length: 0\r\n\r\n", whole, keep)
	if err != nil {
		t.Fatal(err)
	}
	want := []Field{{"SET-cookie", "a=1"}, {"Server", "x"}, {"set-cookie", "b=2"}, {"X-Folded", "one two"}, {"X-None", ""}, {"Content-Length", "0"}}
	if !slices.Equal(r.head.fields, want) {
		t.Errorf("got %q, want %q", r.head.fields, want)
	}
}

func TestConnectionOptions(t *testing.T) {
	for text, closes := range map[string]bool{
		"HTTP/1.1 200 OK\r\n":                                                       false,
		"HTTP/1.1 200 OK\r\nconnection: Close\r\n":                                  true,
		"HTTP/1.1 200 OK\r\nConnection: x, close\r\n":                               true,
		"HTTP/1.0 200 OK\r\n":                                                       true,
		"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n":                             false,
		"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nConnection: close\r\n":        true,
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n":    true,
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Type: transfer-encoding\r": false,
	} {
		if h, err := parseHead(text); err != nil || h.close != closes {
			t.Errorf("%q: got close %v, %v; want %v", text, h.close, err, closes)
		}
	}
}

func TestHostileResponses(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, text := range map[string]string{
		"another protocol":     "SSH-2.0-OpenSSH_9.9\r\n",
		"a start of HTTP":      "HTT",
		"status of letters":    "HTTP/1.1 abc OK\r\n\r\n",
		"status of two digits": "HTTP/1.1 99 OK\r\n\r\n",
		"status of four":       "HTTP/1.1 2000 OK\r\n\r\n",
		"two lengths":          ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi!",
		"negative length":      ok + "Content-Length: -2\r\n\r\nhi",
		"signed length":        ok + "Content-Length: +2\r\n\r\nhi",
		"huge length":          ok + "Content-Length: 99999999999999999999\r\n\r\nhi",
		"no chunk size":        ok + "Transfer-Encoding: chunked\r\n\r\nhello\r\n",
		"empty chunk size":     ok + "Transfer-Encoding: chunked\r\n\r\n\r\n",
		"huge chunk":           ok + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nhi",
		"chunk without end":    ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhiho\r\n0\r\n\r\n",
		"chunk line flood":     ok + "Transfer-Encoding: chunked\r\n\r\n2;" + strings.Repeat("x", 1<<20),
		"chunk extensions":     ok + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("x", 999)+"\r\na\r\n", 100),
		"trailer flood":        ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("a: b\r\n", 1<<16),
		"header flood":         ok + strings.Repeat("a: b\r\n", 1<<18) + "\r\n",
		"field flood":          ok + strings.Repeat("a:\n", maxFields+1) + "\r\n",
		"endless field":        ok + "a: " + strings.Repeat("b", 2<<20),
		"interim flood":        strings.Repeat("HTTP/1.1 100 Go on\r\n\r\n", 100),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(text, whole, keep)
			if name == "a start of HTTP" {
				if !errors.Is(err, io.EOF) {
					t.Errorf("got %v, want the end of the stream", err)
				}
				return
			}
			if _, ok := errors.AsType[*hosterrors.ProtocolError](err); !ok {
				t.Errorf("got %v, want a protocol error", err)
			}
		})
	}
}

func TestCutBodies(t *testing.T) {
	for _, text := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhi",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n",
	} {
		for _, want := range []wanted{{}, keep} {
			if _, err := parse(text, whole, want); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%q: got %v, want an unexpected end", text, err)
			}
		}
	}
}

func TestBodyLimits(t *testing.T) {
	big := strings.Repeat("x", drainLimit+1)
	chunked := fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(big), big)
	for _, test := range []struct {
		name, text string
		want       wanted
		kept       int
		length     int64
		truncated  bool
		open       bool
	}{
		{"limit in a length", "Content-Length: 100\r\n\r\n" + big[:100], wanted{body: true, maxBody: 60}, 60, 100, true, true},
		{"lying length", "Content-Length: 9999999999\r\n\r\n" + big, wanted{body: true, maxBody: 100}, 100, 9999999999, true, true},
		{"limit in a chunk", chunked, wanted{body: true, maxBody: 1000}, 1000, 1000, true, true},
		{"exactly the limit", chunked, wanted{body: true, maxBody: len(big)}, len(big), int64(len(big)), false, false},
		{"limit until close", "\r\n" + big, wanted{body: true, maxBody: 1000}, 1000, 1000, true, true},
		{"exactly the limit until close", "\r\n" + big, wanted{body: true, maxBody: len(big)}, len(big), int64(len(big)), false, true},
		{"unwanted and small", "Content-Length: 100\r\n\r\n" + big[:100], wanted{}, 0, 100, false, false},
		{"unwanted and large", fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(big), big), wanted{}, 0, int64(len(big)), false, true},
		{"unwanted chunks", chunked, wanted{}, 0, int64(len(big)), false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := parse("HTTP/1.1 200 OK\r\n"+test.text, whole, test.want)
			if err != nil {
				t.Fatal(err)
			}
			if b := r.body; len(b.bytes) != test.kept || b.length != test.length || b.truncated != test.truncated || b.open != test.open {
				t.Errorf("got %d bytes, length %d, truncated %v, open %v; want %d, %d, %v, %v",
					len(b.bytes), b.length, b.truncated, b.open, test.kept, test.length, test.truncated, test.open)
			}
		})
	}
}

// FuzzResponse holds hostile bytes to three promises: nothing panics, nothing exceeds its limit, and slicing does not matter. Where net/http
// understands the response as well, both have the same status and body.
func FuzzResponse(f *testing.F) {
	for _, seed := range []string{
		ok200Text, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a\r\nhi\r\n0\r\nT: x\r\n\r\n", "HTTP/1.0 200 OK\n\nx",
		"HTTP/1.1 100 C\r\n\r\nHTTP/1.1 304 N\r\nContent-Length: 3\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n b: c\r\n\r\n12345",
	} {
		f.Add(seed)
	}
	const limit = 64
	f.Fuzz(func(t *testing.T, text string) {
		want := wanted{body: true, maxBody: limit, maxHead: 1 << 12}
		r, err := parse(text, whole, want)
		again, againErr := parse(text, iotest.HalfReader, want)
		if (err == nil) != (againErr == nil) || err == nil && (!bytes.Equal(r.body.bytes, again.body.bytes) || r.head.status != again.head.status) {
			t.Fatalf("in one piece: %+v, %v; in halves: %+v, %v", r, err, again, againErr)
		}
		if err != nil {
			return
		}
		if len(r.body.bytes) > limit || r.head.status < 101 || r.head.status > 999 {
			t.Fatalf("got status %d with %d bytes", r.head.status, len(r.body.bytes))
		}
		std, err := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), nil)
		if err != nil || std.Proto != "HTTP/1.1" || std.StatusCode < 200 || r.body.truncated {
			return
		}
		body, err := io.ReadAll(std.Body)
		if err == nil && (std.StatusCode != r.head.status || string(body) != string(r.body.bytes)) {
			t.Fatalf("got status %d, body %q; net/http has %d, %q", r.head.status, r.body.bytes, std.StatusCode, body)
		}
	})
}

const ok200Text = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
