package requester

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// squeeze compresses text by one coding.
func squeeze(tb testing.TB, coding, text string) string {
	tb.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch coding {
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	case "raw deflate":
		w, err = flate.NewWriter(&out, 9)
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		w, err = zstd.NewWriter(&out)
	default:
		return text
	}
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

func TestDecode(t *testing.T) {
	text := strings.Repeat("hello ", 100)
	for _, test := range []struct{ header, coding string }{
		{"gzip", "gzip"}, {"X-GZIP", "x-gzip"}, {"deflate", "deflate"}, {"deflate", "raw deflate"},
		{"br", "br"}, {"zstd", "zstd"}, {"identity", ""}, {"", ""},
	} {
		body := squeeze(t, test.coding, text)
		r := Response{Body: []byte(body), Length: int64(len(body))}
		r.decode(test.header, len(text))
		if string(r.Body) != text || r.Length != int64(len(text)) || r.Truncated {
			t.Errorf("%s: got %d bytes, length %d, truncated %v", test.coding, len(r.Body), r.Length, r.Truncated)
		}
		r = Response{Body: []byte(body)}
		r.decode(test.header, len(text)-1)
		if test.coding != "" && (string(r.Body) != text[:len(text)-1] || !r.Truncated) {
			t.Errorf("%s: got %d bytes, truncated %v at a limit of %d", test.coding, len(r.Body), r.Truncated, len(text)-1)
		}
	}
	twice := Response{Body: []byte(squeeze(t, "br", squeeze(t, "gzip", text)))}
	if twice.decode("gzip, br", 1<<20); string(twice.Body) != text {
		t.Errorf("two codings: got %q", twice.Body)
	}
}

func TestDecodeLeavesWhatItCannotRead(t *testing.T) {
	whole := squeeze(t, "gzip", strings.Repeat("hello ", 1000))
	for _, test := range []struct{ coding, body string }{
		{"gzip", "not compressed"}, {"br", "not compressed"}, {"zstd", "not compressed"}, {"deflate", "not compressed"},
		{"compress", "x"}, {"gzip", whole[:len(whole)/2]}, {"gzip,gzip,gzip,gzip,gzip", "x"}, {"gzip", ""},
	} {
		r := Response{Body: []byte(test.body), Length: 7}
		if r.decode(test.coding, 1<<20); string(r.Body) != test.body || r.Length != 7 {
			t.Errorf("%s of %q: got %q, length %d; want it as it was", test.coding, test.body, r.Body, r.Length)
		}
	}
	// A body that we cut off ourselves gives what it has.
	r := Response{Body: []byte(whole[:len(whole)-9]), Truncated: true}
	if r.decode("gzip", 1<<20); !strings.HasPrefix(string(r.Body), "hello hello") || !r.Truncated {
		t.Errorf("got %q, truncated %v", r.Body[:min(len(r.Body), 20)], r.Truncated)
	}
}

func FuzzDecode(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		f.Add(coding, squeeze(f, coding, "hello hello hello"))
	}
	const limit = 1 << 10
	f.Fuzz(func(t *testing.T, coding, body string) {
		r := Response{Body: []byte(body), Length: int64(len(body))}
		r.decode(coding, limit)
		if string(r.Body) != body && len(r.Body) > limit || r.Length != int64(len(r.Body)) {
			t.Fatalf("got %d bytes, length %d", len(r.Body), r.Length)
		}
	})
}
