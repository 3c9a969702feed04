package requester

import (
	"bufio"
	"errors"
	"io"
	"math"
)

const (
	// drainLimit is how much of an unwanted body is read so that its connection can be used again; a new connection costs
	// less than reading more.
	drainLimit = 256 << 10
	// firstGrab bounds what is allocated on the word of a Content-Length alone.
	firstGrab = 64 << 10
	// maxChunkWaste bounds chunk extensions and trailers, which carry nothing.
	maxChunkWaste = 64 << 10
)

// payload is a body as it was read.
type payload struct {
	bytes     []byte // nil when it was not kept
	length    int64
	truncated bool // longer than the limit
	open      bool // the connection cannot be used again, because bytes of the body are left or end with it
}

// bodyReader reads one body off a connection.
type bodyReader struct {
	br      *bufio.Reader
	scratch []byte // for bodies whose length is not known
	limit   int
	keep    bool
}

// read reads the body that h announces. An error means that it was cut or malformed; what had been read is lost.
func (b *bodyReader) read(h *head) (payload, error) {
	switch {
	case h.chunks:
		return b.chunked()
	case h.length >= 0:
		return b.fixed(h.length)
	default:
		return b.untilClose()
	}
}

func (b *bodyReader) fixed(length int64) (payload, error) {
	p := payload{length: length}
	if !b.keep {
		if length > drainLimit {
			p.open = true
			return p, nil
		}
		_, err := b.br.Discard(int(length))
		return p, cut(err)
	}
	n := int(min(length, int64(b.limit)))
	p.truncated = int64(n) < length
	p.open = p.truncated
	p.bytes = make([]byte, 0, min(n, firstGrab))
	for len(p.bytes) < n {
		if len(p.bytes) == cap(p.bytes) {
			grown := make([]byte, len(p.bytes), min(n, 2*cap(p.bytes)))
			copy(grown, p.bytes)
			p.bytes = grown
		}
		got, err := b.br.Read(p.bytes[len(p.bytes):cap(p.bytes)])
		p.bytes = p.bytes[:len(p.bytes)+got]
		if err != nil && len(p.bytes) < n {
			return p, cut(err)
		}
	}
	return p, nil
}

func (b *bodyReader) untilClose() (payload, error) {
	p := payload{open: true}
	var err error
	for err == nil && !p.truncated {
		err = b.take(&p, math.MaxInt64)
	}
	if err != nil && !isEOF(err) {
		return p, err
	}
	return b.done(p), nil
}

// chunked decodes RFC 9112 section 7.1. Trailers are read and dropped.
func (b *bodyReader) chunked() (payload, error) {
	var p payload
	waste := 0
	for {
		line, err := b.line(&waste)
		if err != nil {
			return p, err
		}
		size, err := chunkSize(line)
		if err != nil {
			return p, err
		}
		if size == 0 {
			return b.done(p), b.trailers(&waste)
		}
		for size > 0 {
			before := p.length
			if err := b.take(&p, size); err != nil {
				return p, cut(err)
			}
			if p.truncated {
				p.open = true
				return b.done(p), nil
			}
			size -= p.length - before
		}
		if line, err = b.line(&waste); err != nil {
			return p, err
		}
		if len(line) != 0 {
			return p, protocolf("expected the end of a chunk, got %q", line[:min(len(line), 24)])
		}
	}
}

// take moves what is there, at most want bytes, from the connection to the body, and stops at the limit.
func (b *bodyReader) take(p *payload, want int64) error {
	if b.br.Buffered() == 0 {
		if _, err := b.br.Peek(1); err != nil {
			return err
		}
	}
	room := int64(b.limit) - p.length
	if room <= 0 {
		p.truncated = true
		return nil
	}
	n := int(min(want, room, int64(b.br.Buffered())))
	if b.keep {
		part, _ := b.br.Peek(n)
		b.scratch = append(b.scratch, part...)
	}
	p.length += int64(n)
	_, err := b.br.Discard(n)
	return err
}

// done copies the scratch, so that a body holds no more memory than it has bytes.
func (b *bodyReader) done(p payload) payload {
	if b.keep {
		p.bytes = append(make([]byte, 0, len(b.scratch)), b.scratch...)
	}
	return p
}

// line reads a line of the chunked coding. Lines are short; a long one, or too many bytes of extensions, is an attack.
func (b *bodyReader) line(waste *int) ([]byte, error) {
	line, err := b.br.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, protocolf("expected a chunk size, got a line of more than %d bytes", len(line))
	}
	if err != nil {
		return nil, cut(err)
	}
	line = trimEOL(line)
	// Sixteen digits are a size; only what stands beside it is waste.
	if *waste += max(0, len(line)-16); *waste > maxChunkWaste {
		return nil, protocolf("expected at most %d bytes of chunk extensions and trailers", maxChunkWaste)
	}
	return line, nil
}

func (b *bodyReader) trailers(waste *int) error {
	for {
		line, err := b.line(waste)
		if err != nil || len(line) == 0 {
			return err
		}
		*waste += 16
	}
}

func chunkSize(line []byte) (int64, error) {
	var size int64
	digits := 0
	for _, c := range line {
		d := hexDigit(c)
		if d < 0 {
			break
		}
		if size > math.MaxInt64>>4 {
			return 0, protocolf("expected a chunk size of 63 bits, got %q", line[:min(len(line), 24)])
		}
		size = size<<4 | d
		digits++
	}
	if rest := line[digits:]; digits == 0 || len(rest) > 0 && rest[0] != ';' && rest[0] != ' ' && rest[0] != '\t' {
		return 0, protocolf("expected a chunk size, got %q", line[:min(len(line), 24)])
	}
	return size, nil
}

func hexDigit(c byte) int64 {
	switch {
	case c >= '0' && c <= '9':
		return int64(c - '0')
	case c >= 'a' && c <= 'f':
		return int64(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int64(c-'A') + 10
	}
	return -1
}

// cut makes an end of the stream in the middle of a body an unexpected one.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
