package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitize makes text from a host harmless on a terminal: what could steer one is
// shown as an escape (\x1b, \n, \u202e), printable text stays as it is. Escaped are control
// characters (C0, DEL, C1), line and paragraph separators, format characters such
// as bidirectional overrides, and bytes that are no UTF-8. Joiners (U+200C, U+200D) stay,
// since scripts and emoji need them.
func Sanitize(s string) string {
	if harmless(s) {
		return s
	}
	return string(appendSanitized(make([]byte, 0, len(s)+16), s))
}

// appendSanitized is [Sanitize] without the garbage.
func appendSanitized(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			// A lone 0x9b begins an escape sequence on a terminal that is not in UTF-8.
			dst = appendHexEscape(dst, 'x', rune(s[i]), 2)
		case steers(r):
			dst = appendVisible(dst, r)
		default:
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return dst
}

// harmless reports whether Sanitize would change nothing.
func harmless(s string) bool {
	for i := range len(s) {
		if s[i]-0x20 >= 0x5f { // not printable ASCII
			return utf8.ValidString(s[i:]) && !strings.ContainsFunc(s[i:], steers)
		}
	}
	return true
}

// steers reports whether a terminal may act on r instead of showing it.
func steers(r rune) bool {
	switch {
	case r < 0x7f:
		return r < 0x20
	case r < 0xa0:
		return true
	case r == '\u200c', r == '\u200d':
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

func appendVisible(dst []byte, r rune) []byte {
	switch {
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\r':
		return append(dst, `\r`...)
	case r == '\t':
		return append(dst, `\t`...)
	case r < 0x100:
		return appendHexEscape(dst, 'x', r, 2)
	case r < 0x10000:
		return appendHexEscape(dst, 'u', r, 4)
	}
	return appendHexEscape(dst, 'U', r, 8)
}

func appendHexEscape(dst []byte, kind byte, r rune, digits int) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '\\', kind)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, hex[r>>shift&0xf])
	}
	return dst
}

// appendCut appends s sanitised, and cut to at most width runes with an ellipsis.
func appendCut(dst []byte, s string, width int) []byte {
	// An escape is longer than what it stands for, so more than width runes are never needed.
	count := 0
	for i := range s {
		if count++; count > width {
			s = s[:i]
			break
		}
	}
	start := len(dst)
	dst = appendSanitized(dst, s)
	if count <= width && utf8.RuneCount(dst[start:]) <= width {
		return dst
	}
	end := start
	for range width - 1 {
		_, size := utf8.DecodeRune(dst[end:])
		end += size
	}
	return append(dst[:end], "…"...)
}

// hideUserinfo replaces the credentials in a target as it was written, with or
// without a scheme: they must reach neither the terminal nor a file.
func hideUserinfo(target string) string {
	start := 0
	if i := strings.Index(target, "://"); i >= 0 {
		start = i + len("://")
	}
	authority := target[start:]
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		authority = authority[:i]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return target
	}
	return target[:start] + "***" + target[start+at:]
}
