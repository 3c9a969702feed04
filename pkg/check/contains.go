package check

import "bytes"

// containsFold reports whether text contains part, which is in lower case. ASCII letters are compared without case, all else byte by byte.
func containsFold(text []byte, part string) bool {
	if part == "" {
		return true
	}
	for {
		i := indexFold(text, part[0])
		if i < 0 || len(text)-i < len(part) {
			return false
		}
		text = text[i:]
		if equalFold(text[:len(part)], part) {
			return true
		}
		text = text[1:]
	}
}

// indexFold finds the first c, a byte in lower case, in either case.
func indexFold(text []byte, c byte) int {
	if c < 'a' || c > 'z' {
		return bytes.IndexByte(text, c)
	}
	for i := range text {
		if text[i]|0x20 == c {
			return i
		}
	}
	return -1
}

func equalFold(text []byte, part string) bool {
	for i := range text {
		if lower(text[i]) != part[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		b[i] = lower(c)
	}
	return string(b)
}
