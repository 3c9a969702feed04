package lab

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// read reads one request from text and returns what is left of it.
func read(text []byte) (r request, rest []byte, err error) {
	br := bufio.NewReaderSize(bytes.NewReader(text), 64)
	r.keepRaw = true
	if err = r.readHead(br); err == nil {
		err = r.readBody(br)
	}
	rest, _ = io.ReadAll(br)
	return r, rest, err
}

func TestReadRequest(t *testing.T) {
	long := "/" + strings.Repeat("a", 5000)
	for text, want := range map[string]struct {
		target string
		close  bool
		rest   string
	}{
		"GET / HTTP/1.1\r\n\r\nGET":                                       {target: "/", rest: "GET"},
		"GET / HTTP/1.1\n\nGET":                                           {target: "/", rest: "GET"},
		"\r\n\r\nGET /x HTTP/1.1\r\n\r\n":                                 {target: "/x"},
		"GET " + long + " HTTP/1.1\r\nA: " + long + "\r\n\r\n":            {target: long},
		"GET /a b HTTP/1.1\r\n\r\n":                                       {target: "/a b"},
		"GET http://h:80/p?q HTTP/1.1\r\n\r\n":                            {target: "/p?q"},
		"GET http://h HTTP/1.1\r\n\r\n":                                   {target: "/"},
		"GET http://h?q HTTP/1.1\r\n\r\n":                                 {target: "?q"},
		"GET /?u=http://h/ HTTP/1.1\r\n\r\n":                              {target: "/?u=http://h/"},
		"OPTIONS * HTTP/1.1\r\n\r\n":                                      {target: "*"},
		"GET / HTTP/1.0\r\n\r\n":                                          {target: "/", close: true},
		"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n":                {target: "/"},
		"GET / HTTP/1.1\r\nCONNECTION: x, Close\r\n\r\n":                  {target: "/", close: true},
		"GET / HTTP/1.1\r\nno colon\r\n: empty\r\n\r\n":                   {target: "/"},
		"POST / HTTP/1.1\r\ncontent-length: 3 \r\n\r\nabcdef":             {target: "/", rest: "def"},
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX": {target: "/", rest: "X"},
		"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\n\r\nA;e\r\n0123456789\r\n1\r\nx\r\n0\r\nT: 1\r\n\r\nX": {
			target: "/", rest: "X",
		},
	} {
		r, rest, err := read([]byte(text))
		if err != nil || string(r.target) != want.target || r.close != want.close || string(rest) != want.rest {
			t.Errorf("%.80q: target %.80q, close %v, rest %q, %v; want %.80q, %v, %q",
				text, r.target, r.close, rest, err, want.target, want.close, want.rest)
		}
		if whole := strings.TrimLeft(text[:len(text)-len(want.rest)], "\r\n"); string(r.raw) != whole {
			t.Errorf("raw %.80q, want %.80q", r.raw, whole)
		}
	}
}

func TestReadRequestRefuses(t *testing.T) {
	for text, want := range map[string]error{
		"":                                       io.EOF,
		"GET / HTTP/1.1\r\n":                     errCut,
		"GET / HTTP/1.1\r\nHost":                 errCut,
		"\x16\x03\x01\x02\x00\x01":               errMalformed,
		" GET / HTTP/1.1\r\n\r\n":                errMalformed,
		"GET /\r\n\r\n":                          errMalformed,
		"GET / HTTP/2.0\r\n\r\n":                 errMalformed,
		"hello\r\n\r\n":                          errMalformed,
		"GET /" + strings.Repeat("a", maxHead*2): errMalformed,
		"GET / HTTP/1.1\r\n" + strings.Repeat("A: b\r\n", maxHead):                              errMalformed,
		"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab":                                        errCut,
		"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n":                                         errMalformed,
		"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n":                                          errMalformed,
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n":                            errMalformed,
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n":                     errMalformed,
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na":                           errCut,
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT":                           errCut,
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("0", 100) + "": errMalformed,
	} {
		if _, _, err := read([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%.60q: %v, want %v", text, err, want)
		}
	}
}

// FuzzReadRequest compares with net/http where that takes the request too: the
// same body must be consumed, so that the next request starts at the same byte.
func FuzzReadRequest(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\nrest"))
	f.Add([]byte("POST /x?y HTTP/1.0\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcd"))
	f.Add([]byte("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\nrest"))
	f.Add([]byte("0 * HTTP/1.0\nTrAnsfer-EnCoding:Chunked\n\n0\n\n"))
	f.Add([]byte("\x16\x03\x01"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, rest, err := read(text)
		if err != nil {
			return
		}
		if len(r.raw)+len(rest) > len(text) || !bytes.HasSuffix(text, rest) {
			t.Fatalf("%d bytes became %d read and %d left", len(text), len(r.raw), len(rest))
		}
		if bytes.Contains(text, []byte("\n ")) || bytes.Contains(text, []byte("\n\t")) {
			return // folded fields are not for a lean server
		}
		br := bufio.NewReader(bytes.NewReader(text))
		want, err := http.ReadRequest(br)
		if err != nil {
			return // it is stricter, on purpose
		}
		if _, err := io.Copy(io.Discard, want.Body); err != nil {
			return
		}
		wantRest, _ := io.ReadAll(br)
		if !bytes.Equal(rest, wantRest) {
			t.Errorf("left %q, net/http leaves %q", rest, wantRest)
		}
		if want.Close && want.ProtoMinor == 1 && !r.close {
			t.Errorf("close not seen")
		}
	})
}
