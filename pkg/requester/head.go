package requester

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/redialscan/redial/pkg/hosterrors"
)

// maxFields bounds the fields of one head: a head of 1 MiB could otherwise hold 350,000 of them.
const maxFields = 4096

// head is a parsed response head. All its strings are parts of one copy of the bytes.
type head struct {
	status int
	proto  string
	fields []Field
	length int64 // declared Content-Length; -1 = none
	chunks bool  // the last transfer coding is chunked
	close  bool  // the connection ends with this response
}

func protocolf(format string, args ...any) error {
	return &hosterrors.ProtocolError{Err: fmt.Errorf(format, args...)}
}

// awaitHead blocks until the first byte of a response is there, and refuses at once what cannot become HTTP: a host that
// speaks another protocol often waits for us to go on, so reading to the end of a line could take the whole timeout.
func awaitHead(br *bufio.Reader) (answered bool, err error) {
	const want = "HTTP/"
	for n := 1; n <= len(want); {
		got, err := br.Peek(n)
		if len(got) > 0 && string(got) != want[:len(got)] {
			return true, notHTTP(br)
		}
		if err != nil {
			return len(got) > 0, err
		}
		n = max(n+1, min(br.Buffered(), len(want)))
	}
	return true, nil
}

func notHTTP(br *bufio.Reader) error {
	got, _ := br.Peek(min(br.Buffered(), 24))
	return protocolf("expected an HTTP status line, got %q", got)
}

// readHead reads a head up to and without its empty line, as one string. scratch is reused between calls.
func readHead(br *bufio.Reader, scratch []byte, limit int) (text string, kept []byte, err error) {
	buf := scratch[:0]
	for whole := true; ; {
		part, err := br.ReadSlice('\n')
		if len(buf)+len(part) > limit {
			return "", buf, protocolf("expected a response head of at most %d bytes", limit)
		}
		if err == nil && whole && (len(part) == 1 || len(part) == 2 && part[0] == '\r') {
			return string(buf), buf, nil
		}
		buf = append(buf, part...)
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return "", buf, err
		}
		whole = err == nil
	}
}

// parseHead takes a head apart. It is as lenient as browsers are with what does no harm (bare line feeds, folded lines, lines
// without a colon, any HTTP version), and strict where leniency would lose the end of the body.
func parseHead(text string) (head, error) {
	h := head{length: -1}
	line, rest := cutLine(text)
	var err error
	if h.proto, h.status, err = parseStatusLine(line); err != nil {
		return h, err
	}
	count := strings.Count(rest, "\n")
	if count > maxFields {
		return h, protocolf("expected at most %d header fields, got %d", maxFields, count)
	}
	h.fields = make([]Field, 0, count)
	for rest != "" {
		line, rest = cutLine(rest)
		if line != "" && (line[0] == ' ' || line[0] == '\t') {
			h.fold(line)
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if name = strings.Trim(name, " \t"); ok && name != "" {
			h.fields = append(h.fields, Field{name, strings.Trim(value, " \t")})
		}
	}
	return h, h.frame()
}

// fold appends a line that begins with white space to the field before it (RFC 9112 section 5.2).
func (h *head) fold(line string) {
	if n := len(h.fields); n > 0 {
		if line = strings.Trim(line, " \t"); line != "" {
			f := &h.fields[n-1]
			f.Value = strings.TrimLeft(f.Value+" "+line, " ")
		}
	}
}

func cutLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

func parseStatusLine(line string) (proto string, status int, err error) {
	proto, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimLeft(rest, " ")
	ok := strings.HasPrefix(proto, "HTTP/") && len(rest) >= 3 && (len(rest) == 3 || rest[3] == ' ')
	for i := 0; ok && i < 3; i++ {
		ok = rest[i] >= '0' && rest[i] <= '9'
		status = status*10 + int(rest[i]&0xf)
	}
	if !ok || status < 100 {
		return "", 0, protocolf("expected an HTTP status line, got %q", line[:min(len(line), 64)])
	}
	return proto, status, nil
}

// frame reads from the fields where the body ends (RFC 9112 section 6.3).
func (h *head) frame() error {
	coded, last, stay := false, false, h.proto == "HTTP/1.1"
	for _, f := range h.fields {
		switch len(f.Name) {
		case len("Connection"):
			if strings.EqualFold(f.Name, "Connection") {
				last = last || hasToken(f.Value, "close")
				stay = stay || hasToken(f.Value, "keep-alive")
			}
		case len("Content-Length"):
			if strings.EqualFold(f.Name, "Content-Length") {
				if err := h.declare(f.Value); err != nil {
					return err
				}
			}
		case len("Transfer-Encoding"):
			if strings.EqualFold(f.Name, "Transfer-Encoding") {
				coded = true
				final := f.Value[strings.LastIndexByte(f.Value, ',')+1:]
				h.chunks = strings.EqualFold(strings.Trim(final, " \t"), "chunked")
			}
		}
	}
	h.close = last || !stay
	if coded && (h.length >= 0 || h.proto != "HTTP/1.1") {
		// Both at once, and a coding before its time, are how responses are smuggled: the coding decides, and nothing else
		// comes from this connection.
		h.length, h.close = -1, true
	}
	if !h.hasBody() {
		h.chunks = false
	}
	return nil
}

// declare takes the value of a Content-Length; a list of equal numbers is one number (RFC 9110 section 8.6).
func (h *head) declare(value string) error {
	for part := range strings.SplitSeq(value, ",") {
		part = strings.Trim(part, " \t")
		n, err := strconv.ParseUint(part, 10, 63)
		if err != nil || h.length >= 0 && h.length != int64(n) {
			return protocolf("expected one Content-Length, got %q", value[:min(len(value), 64)])
		}
		h.length = int64(n)
	}
	return nil
}

// hasBody tells whether the status allows a body at all.
func (h *head) hasBody() bool {
	return h.status >= 200 && h.status != 204 && h.status != 304
}

// hasToken looks for a token in a comma separated list.
func hasToken(list, token string) bool {
	for list != "" {
		var part string
		part, list, _ = strings.Cut(list, ",")
		if strings.EqualFold(strings.Trim(part, " \t"), token) {
			return true
		}
	}
	return false
}

func get(fields []Field, name string) string {
	for i := range fields {
		if len(fields[i].Name) == len(name) && strings.EqualFold(fields[i].Name, name) {
			return fields[i].Value
		}
	}
	return ""
}

// isEOF tells that the peer ended the stream in an orderly way, or at least ended it.
func isEOF(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

var crlf = []byte("\r\n")

// trimEOL cuts the end of a line off.
func trimEOL(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, crlf[1:]), crlf[:1])
}
