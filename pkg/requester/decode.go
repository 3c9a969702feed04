package requester

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// maxCodings bounds the codings around one body; nobody means more than one.
const maxCodings = 4

// zstdWindow bounds the memory that a zstd frame may ask for (RFC 9659 allows 8 MiB on the web).
const zstdWindow = 8 << 20

var errUnknownCoding = errors.New("unknown content coding")

// decode undoes the Content-Encoding of the body, up to limit bytes. Nothing compressed is asked for, since identity bodies cost host
// and scanner less and have the length that the head declares; but some hosts compress unasked, and a user may ask for it.
// A body that does not decode stays as it came.
func (r *Response) decode(coding string, limit int) {
	codings := strings.Split(coding, ",")
	if len(codings) > maxCodings {
		return
	}
	body, truncated := r.Body, r.Truncated
	for i := len(codings) - 1; i >= 0; i-- {
		plain, more, ok := decodeOne(strings.ToLower(strings.TrimSpace(codings[i])), body, limit, truncated)
		if !ok {
			return
		}
		body, truncated = plain, truncated || more
	}
	r.Body, r.Truncated, r.Length = body, truncated, int64(len(body))
}

// decodeOne undoes one coding. more: there was more than limit. A body that was cut off at our own limit decodes to what it has.
func decodeOne(coding string, body []byte, limit int, truncated bool) (plain []byte, more, ok bool) {
	src, err := decoder(coding, body)
	if err != nil {
		return nil, false, false
	}
	if src == nil {
		return body, false, true
	}
	defer src.Close()
	plain, err = io.ReadAll(io.LimitReader(src, int64(limit)+1))
	if err != nil && !(truncated && len(plain) > 0) {
		return nil, false, false
	}
	if len(plain) > limit {
		return plain[:limit:limit], true, true
	}
	return plain, false, true
}

// decoder is nil for a coding that changes nothing.
func decoder(coding string, body []byte) (io.ReadCloser, error) {
	src := bytes.NewReader(body)
	switch coding {
	case "", "identity":
		return nil, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(src)
	case "deflate":
		// The name means zlib, but there have always been servers that send it without its wrapping.
		if z, err := zlib.NewReader(src); err == nil {
			return z, nil
		}
		return flate.NewReader(bytes.NewReader(body)), nil
	case "br":
		return io.NopCloser(brotli.NewReader(src)), nil
	case "zstd":
		z, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return nil, errUnknownCoding
}
