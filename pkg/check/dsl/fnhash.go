package dsl

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"strconv"

	"github.com/twmb/murmur3"
)

// hashFunctions give digests, in hexadecimal but for mmh3.
var hashFunctions = map[string]function{
	"md5":    of1(func(s string) string { return digest(md5.New(), s) }),
	"sha1":   of1(func(s string) string { return digest(sha1.New(), s) }),
	"sha256": of1(func(s string) string { return digest(sha256.New(), s) }),
	"sha512": of1(func(s string) string { return digest(sha512.New(), s) }),
	// mmh3 is a signed number as text, as search engines for favicons have it.
	"mmh3": of1(func(s string) string { return strconv.Itoa(int(int32(murmur3.StringSum32(s)))) }),
	"hmac": {3, 3, keyedDigest},
}

func digest(h hash.Hash, s string) string {
	h.Write([]byte(s))
	return hex.EncodeToString(h.Sum(nil))
}

// keyedDigest is hmac(algorithm, text, key).
func keyedDigest(args []any) (any, error) {
	var algorithm func() hash.Hash
	switch name := String(args[0]); name {
	case "md5":
		algorithm = md5.New
	case "sha1", "sha-1":
		algorithm = sha1.New
	case "sha256", "sha-256":
		algorithm = sha256.New
	case "sha512", "sha-512":
		algorithm = sha512.New
	default:
		return nil, wantArguments("md5, sha1, sha256 or sha512, not " + name)
	}
	return digest(hmac.New(algorithm, []byte(String(args[2]))), String(args[1])), nil
}
