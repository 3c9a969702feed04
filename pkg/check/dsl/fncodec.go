package dsl

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"io"
	"net/url"
	"strings"
)

// codecFunctions write text in another form, and read it back.
var codecFunctions = map[string]function{
	"base64":       of1(func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }),
	"base64py":     of1(base64Lines),
	"base64decode": of1Err(base64Decode),
	"hexencode":    of1(func(s string) string { return hex.EncodeToString([]byte(s)) }),
	"hexdecode":    of1Err(func(s string) (string, error) { b, err := hex.DecodeString(s); return string(b), err }),
	"urlencode":    of1(url.QueryEscape),
	"urldecode":    of1Err(url.QueryUnescape),
	"htmlescape":   of1(html.EscapeString),
	"htmlunescape": of1(html.UnescapeString),

	"gzip": of1Err(func(s string) (string, error) {
		return packed(s, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	}),
	"gzipdecode": of1Err(func(s string) (string, error) { return unpacked(gzip.NewReader(strings.NewReader(s))) }),
	"zlib": of1Err(func(s string) (string, error) {
		return packed(s, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	}),
	"zlibdecode": of1Err(func(s string) (string, error) { return unpacked(zlib.NewReader(strings.NewReader(s))) }),
	"deflate": of1Err(func(s string) (string, error) {
		return packed(s, func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, flate.DefaultCompression); return f })
	}),
	"zip":       {2, -1, archive},
	"gzipmtime": of1Err(packedAt),
	"inflate":   of1Err(func(s string) (string, error) { return unpacked(flate.NewReader(strings.NewReader(s)), nil) }),

	"jsonminify":   of1Err(jsonMinify),
	"jsonprettify": of1Err(jsonPrettify),
}

// base64Lines is what Python's base64.encodebytes gives: a line feed after each 76 characters and at the end. The hash of a favicon is
// taken over that.
func base64Lines(s string) string {
	const line = 57 // bytes, which become 76 characters
	out := make([]byte, 0, len(s)*4/3+len(s)/line+8)
	for len(s) > 0 {
		n := min(line, len(s))
		out = append(base64.StdEncoding.AppendEncode(out, []byte(s[:n])), '\n')
		s = s[n:]
	}
	return string(out)
}

// base64Decode takes both alphabets, with or without padding.
func base64Decode(s string) (string, error) {
	s = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "").Replace(strings.TrimRight(s, "="))
	b, err := base64.RawStdEncoding.DecodeString(s)
	return string(b), err
}

func packed(s string, writer func(io.Writer) io.WriteCloser) (string, error) {
	var b bytes.Buffer
	w := writer(&b)
	if _, err := io.WriteString(w, s); err != nil {
		return "", err
	}
	err := w.Close()
	return b.String(), err
}

// archive is zip(name, content, name, content, ...).
func archive(args []any) (any, error) {
	if len(args)%2 != 0 {
		return nil, wantArguments("a content for each name")
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(args); i += 2 {
		entry, err := w.Create(String(args[i]))
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(entry, String(args[i+1])); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.String(), err
}

// packedAt is when a gzip file was made, in seconds since 1970; 0 where it does not tell.
func packedAt(s string) (float64, error) {
	r, err := gzip.NewReader(strings.NewReader(s))
	if err != nil || r.ModTime.IsZero() {
		return 0, err
	}
	return float64(r.ModTime.Unix()), nil
}

func unpacked(r io.Reader, err error) (string, error) {
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(r, MaxValue+1))
	if err == nil && len(b) > MaxValue {
		err = errTooLong
	}
	return string(b), err
}

func jsonMinify(s string) (string, error) {
	var b bytes.Buffer
	err := json.Compact(&b, []byte(s))
	return b.String(), err
}

func jsonPrettify(s string) (string, error) {
	var b bytes.Buffer
	err := json.Indent(&b, []byte(s), "", "    ")
	return b.String(), err
}
