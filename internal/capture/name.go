package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/redialscan/redial/pkg/requester"
)

const (
	maxHostName = 100 // bytes of a folder's name
	maxPathName = 60  // bytes of the path in a file's name
)

// place is where the response of an exchange is kept: a folder named for scheme, host and port, and a file named for method,
// path and the digest of all that was asked, so that two requests that differ in anything have files of their own. A
// response that came with nothing sent is told apart by its URL.
func place(e requester.Exchange) (folder, file string) {
	scheme, rest, _ := strings.Cut(e.URL, "://")
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	sum := sha256.Sum256(append([]byte(e.URL+"\n"), e.Sent...))
	folder = slug(scheme+"_"+host, maxHostName)
	if len(scheme)+1+len(host) > maxHostName { // cut: two of them could be one
		of := sha256.Sum256([]byte(scheme + "_" + host))
		folder += "-" + hex.EncodeToString(of[:4])
	}
	name := slug(strings.Trim(path, "/"), maxPathName)
	if name == "" {
		name = "root"
	}
	return folder, slug(e.Method, 10) + "_" + name + "-" + hex.EncodeToString(sum[:8])
}

// slug keeps what every file system takes in a name: small letters, digits, and single marks. It never begins or ends
// with a dot, so that it is neither a hidden file nor a way up.
func slug(text string, most int) string {
	var b strings.Builder
	for i := 0; i < len(text) && b.Len() < most; i++ {
		c := text[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '.':
		default:
			c = '_'
		}
		b.WriteByte(c)
	}
	out := b.String()
	for strings.Contains(out, "..") {
		out = strings.ReplaceAll(out, "..", ".")
	}
	return strings.Trim(out, ".")
}
