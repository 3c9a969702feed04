package lab

import (
	"bufio"
	"bytes"
	"errors"
	"strconv"
)

// maxHead bounds the head of a request, and a line of a chunked body.
const maxHead = 64 << 10

var (
	errMalformed = errors.New("lab: expected an HTTP/1 request")
	errCut       = errors.New("lab: the connection ended inside a request")
)

// request is one request, read into buffers that the next one overwrites.
type request struct {
	target  []byte // path and query, as sent
	isHead  bool   // a HEAD request: its answer has no body
	close   bool   // the client wants the connection closed, or speaks HTTP/1.0
	length  int64
	chunked bool
	expect  bool // the client waits for 100 Continue before its body
	raw     []byte
	keepRaw bool // raw has the body too
}

// readHead reads up to the empty line. Any error but errMalformed and errCut
// means that the connection ended before the first byte of a request.
func (r *request) readHead(br *bufio.Reader) error {
	*r = request{raw: r.raw[:0], keepRaw: r.keepRaw}
	first, err := br.Peek(1)
	if err != nil {
		return err
	}
	if b := first[0]; (b <= ' ' || b >= 0x7f) && b != '\r' && b != '\n' {
		return errMalformed // a TLS handshake, say, which has no end of line to wait for
	}
	for start := 0; len(r.raw) <= maxHead; {
		line, err := br.ReadSlice('\n')
		r.raw = append(r.raw, line...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return errCut
		}
		switch empty := len(bytes.TrimRight(r.raw[start:], "\r\n")) == 0; {
		case !empty:
			start = len(r.raw)
		case start == 0:
			r.raw = r.raw[:0] // an empty line before a request is let pass
		default:
			return r.parse(r.raw[:start])
		}
	}
	return errMalformed
}

// parse takes from the head what the lab needs to answer.
func (r *request) parse(head []byte) error {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	method, line, ok := bytes.Cut(bytes.TrimRight(line, "\r"), []byte(" "))
	at := bytes.LastIndexByte(line, ' ')
	if !ok || at < 0 || !bytes.HasPrefix(line[at+1:], []byte("HTTP/1.")) {
		return errMalformed
	}
	r.isHead = string(method) == "HEAD"
	old := string(line[at+1:]) == "HTTP/1.0"
	r.close = old
	r.target = pathOf(line[:at])
	for len(rest) > 0 {
		var field []byte
		field, rest, _ = bytes.Cut(rest, []byte("\n"))
		if err := r.parseField(field); err != nil {
			return err
		}
	}
	r.chunked = r.chunked && !old // HTTP/1.0 has no chunks
	return nil
}

func (r *request) parseField(field []byte) error {
	name, value, ok := bytes.Cut(field, []byte(":"))
	if !ok {
		return nil // a scanner may send such lines on purpose
	}
	switch len(name) {
	case len("expect"):
		if isName(name, "expect") {
			r.expect = bytes.EqualFold(bytes.TrimSpace(value), []byte("100-continue"))
		}
	case len("connection"):
		if isName(name, "connection") {
			value = bytes.ToLower(value)
			r.close = bytes.Contains(value, []byte("close")) || r.close && !bytes.Contains(value, []byte("keep-alive"))
		}
	case len("content-length"):
		if isName(name, "content-length") {
			n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 62)
			if err != nil {
				return errMalformed
			}
			r.length = int64(n)
		}
	case len("transfer-encoding"):
		if isName(name, "transfer-encoding") {
			r.chunked = bytes.Contains(bytes.ToLower(value), []byte("chunked"))
		}
	}
	return nil
}

// isName compares without the cost of bytes.EqualFold for nearly every field.
func isName(name []byte, lower string) bool {
	return name[0]|0x20 == lower[0] && bytes.EqualFold(name, []byte(lower))
}

// pathOf cuts scheme and authority off the absolute form.
func pathOf(target []byte) []byte {
	if len(target) > 0 && target[0] == '/' {
		return target
	}
	scheme, rest, ok := bytes.Cut(target, []byte("://"))
	if !ok || bytes.ContainsAny(scheme, "/?") {
		return target
	}
	if at := bytes.IndexAny(rest, "/?"); at >= 0 {
		return rest[at:]
	}
	return []byte("/")
}

// readBody consumes the body, so that the next request starts where it should.
func (r *request) readBody(br *bufio.Reader) error {
	if !r.chunked {
		return r.take(br, r.length)
	}
	for {
		line, err := r.takeLine(br)
		if err != nil {
			return err
		}
		size, _, _ := bytes.Cut(line, []byte(";"))
		n, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 62)
		if err != nil {
			return errMalformed
		}
		if n == 0 {
			break
		}
		if err := r.take(br, int64(n)); err != nil {
			return err
		}
		if line, err = r.takeLine(br); err != nil {
			return err
		} else if len(line) > 0 {
			return errMalformed
		}
	}
	for { // trailers
		if line, err := r.takeLine(br); err != nil || len(line) == 0 {
			return err
		}
	}
}

// take consumes n bytes of the body.
func (r *request) take(br *bufio.Reader, n int64) error {
	for n > 0 {
		if br.Buffered() == 0 {
			if _, err := br.Peek(1); err != nil {
				return errCut
			}
		}
		part, err := br.Peek(int(min(n, int64(br.Buffered()))))
		if err != nil {
			return errCut
		}
		if r.keepRaw {
			r.raw = append(r.raw, part...)
		}
		n -= int64(len(part))
		if _, err := br.Discard(len(part)); err != nil {
			return errCut
		}
	}
	return nil
}

// takeLine consumes one line of a chunked body and returns it without its end.
func (r *request) takeLine(br *bufio.Reader) ([]byte, error) {
	line, err := br.ReadSlice('\n')
	if r.keepRaw {
		r.raw = append(r.raw, line...)
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, errMalformed
	}
	if err != nil {
		return nil, errCut
	}
	return bytes.TrimRight(line, "\r\n"), nil
}
