package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// appendEvent appends e as one line of an events file.
func appendEvent(dst []byte, e Event) ([]byte, error) {
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

// appendResultEvent and appendResult are written by hand because they run for each item;
// a test holds them to what encoding/json makes of the struct.
func appendResultEvent(dst []byte, r *Result) []byte {
	dst = append(dst, `{"type":"result","target":`...)
	dst = strconv.AppendInt(dst, r.Target, 10)
	dst = append(dst, `,"index":`...)
	dst = strconv.AppendInt(dst, int64(r.Index), 10)
	dst = append(dst, `,"matched":`...)
	dst = strconv.AppendBool(dst, r.Matched)
	dst = append(dst, ',')
	return appendResultFields(dst, r)
}

// appendResult appends r as one line of results.
func appendResult(dst []byte, r *Result) []byte {
	return appendResultFields(append(dst, '{'), r)
}

func appendResultFields(dst []byte, r *Result) []byte {
	dst = append(dst, `"timestamp":"`...)
	dst = r.Timestamp.AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, '"')
	dst = appendField(dst, `,"port":`, r.Port)
	dst = appendField(dst, `,"url":`, r.URL)
	dst = appendField(dst, `,"input":`, hideUserinfo(r.Input))
	dst = appendField(dst, `,"location":`, r.Location)
	dst = appendField(dst, `,"title":`, r.Title)
	dst = appendField(dst, `,"scheme":`, r.Scheme)
	dst = appendField(dst, `,"error":`, r.Error)
	dst = appendField(dst, `,"webserver":`, r.WebServer)
	dst = appendField(dst, `,"content_type":`, r.ContentType)
	dst = appendField(dst, `,"method":`, r.Method)
	dst = appendField(dst, `,"host":`, r.Host)
	dst = appendField(dst, `,"host_ip":`, r.HostIP)
	dst = appendField(dst, `,"path":`, r.Path)
	dst = appendField(dst, `,"final_url":`, r.FinalURL)
	if r.Time != 0 {
		dst = appendField(dst, `,"time":`, r.Time.String())
	}
	dst = appendNumber(dst, `,"words":`, int64(r.Words))
	dst = appendNumber(dst, `,"lines":`, int64(r.Lines))
	dst = appendNumber(dst, `,"status_code":`, int64(r.StatusCode))
	dst = appendNumber(dst, `,"content_length":`, r.ContentLength)
	dst = append(dst, `,"failed":`...)
	dst = strconv.AppendBool(dst, r.Failed)
	dst = appendNumber(dst, `,"attempts":`, int64(r.Attempts))
	dst = appendField(dst, `,"check":`, r.Check)
	dst = appendField(dst, `,"tls_subject":`, r.TLSSubject)
	dst = appendField(dst, `,"redirect_skipped":`, r.RedirectSkipped)
	if r.Hops != 0 {
		dst = appendNumber(dst, `,"hops":`, int64(r.Hops))
	}
	return append(dst, "}\n"...)
}

// maxField is the longest text of a result that is written, in bytes. A page's title can be as
// long as the page; a line with every field at its limit, and escaped, is still below MaxLine.
const maxField = 64 << 10

// appendField leaves an empty value out.
func appendField(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	if len(value) > maxField {
		// A rune cut in two at the end goes as a whole.
		value = strings.TrimRightFunc(value[:maxField], func(r rune) bool { return r == utf8.RuneError })
	}
	return appendString(append(dst, name...), value)
}

func appendNumber(dst []byte, name string, value int64) []byte {
	return strconv.AppendInt(append(dst, name...), value, 10)
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
