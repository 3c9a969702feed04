package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendEvent appends e as one line of an events file.
func AppendEvent(dst []byte, e Event) ([]byte, error) {
	switch e := e.(type) {
	case *Result:
		return appendResultEvent(dst, e), nil
	case *Skipped:
		shown := *e
		shown.Input = hideUserinfo(e.Input)
		shown.Items = e.Count()
		return appendTyped(dst, e.Type(), &shown)
	case *Unknown:
		var line bytes.Buffer
		if err := json.Compact(&line, e.Raw); err != nil {
			return dst, fmt.Errorf("event %q as read: %w", e.Name, err)
		}
		return append(appendHardened(dst, line.Bytes()), '\n'), nil
	}
	return appendTyped(dst, e.Type(), e)
}

// appendTyped puts the type in front of the fields of v, which is a struct with fields.
func appendTyped(dst []byte, name string, v any) ([]byte, error) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, fmt.Errorf("event %q: %w", name, err)
	}
	dst = append(dst, `{"type":`...)
	dst = appendString(dst, name)
	dst = append(dst, ',')
	return appendHardened(dst, line.Bytes()[1:]), nil
}

// appendHardened copies valid JSON and escapes the runes that JSON allows and a terminal acts on.
// They can stand in strings only, where an escape means the same.
func appendHardened(dst, line []byte) []byte {
	for i := 0; i < len(line); {
		if line[i] < 0x7f {
			dst = append(dst, line[i])
			i++
			continue
		}
		r, size := utf8.DecodeRune(line[i:])
		if steers(r) {
			dst = appendEscaped(dst, r)
		} else {
			dst = append(dst, line[i:i+size]...)
		}
		i += size
	}
	return dst
}

// appendString appends s as a JSON string. Bytes that are no UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	plain := 0 // s[plain:i] needs no escape and is not copied yet
	for i := 0; i < len(s); {
		if c := s[i]; c >= 0x20 && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		broken := r == utf8.RuneError && size == 1
		if r >= 0x7f && !broken && !steers(r) {
			i += size
			continue
		}
		dst = append(dst, s[plain:i]...)
		dst = appendEscaped(dst, r)
		i += size
		plain = i
	}
	return append(append(dst, s[plain:]...), '"')
}

func appendEscaped(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		return appendHexEscape(appendHexEscape(dst, 'u', high, 4), 'u', low, 4)
	}
	return appendHexEscape(dst, 'u', r, 4)
}
