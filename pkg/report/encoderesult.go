package report

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

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
	dst = appendResultFields(dst, r)
	if len(r.Matches) > 0 {
		dst = append(dst, `,"matches":[`...)
		start := len(dst)
		for i := range r.Matches {
			if len(dst)-start > maxMatches {
				break
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendMatch(append(dst, '{'), &r.Matches[i], ""), '}')
		}
		dst = append(dst, ']')
	}
	return append(dst, "}\n"...)
}

// appendResult appends r as lines of results: one, or one for each of its matches.
func appendResult(dst []byte, r *Result) []byte {
	if len(r.Matches) == 0 || r.Failed {
		return append(appendResultFields(append(dst, '{'), r), "}\n"...)
	}
	for i := range r.Matches {
		dst = appendResultFields(append(dst, '{'), r)
		dst = appendField(dst, `,"template-id":`, r.Check)
		if r.Matches[i].Type == "" {
			dst = appendField(dst, `,"type":`, r.Protocol)
		}
		dst = append(appendMatch(dst, &r.Matches[i], ","), "}\n"...)
	}
	return dst
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
	dst = appendField(dst, `,"passed_over":`, r.PassedOver)
	dst = appendField(dst, `,"protocol":`, r.Protocol)
	dst = appendField(dst, `,"template-path":`, r.Template)
	if r.Info != nil {
		dst = appendInfo(append(dst, `,"info":{`...), r.Info)
		dst = append(dst, '}')
	}
	return dst
}

func appendInfo(dst []byte, info *Info) []byte {
	start := len(dst)
	dst = appendField(dst, `,"name":`, info.Name)
	dst = appendTexts(dst, `,"author":`, info.Author)
	dst = appendField(dst, `,"severity":`, info.Severity)
	dst = appendTexts(dst, `,"tags":`, info.Tags)
	dst = appendField(dst, `,"description":`, info.Description)
	dst = appendTexts(dst, `,"reference":`, info.Reference)
	return cutComma(appendField(dst, `,"remediation":`, info.Remediation), start)
}

// appendMatch appends the fields of m, the first one after before.
func appendMatch(dst []byte, m *Match, before string) []byte {
	start := len(dst)
	dst = appendField(dst, `,"matched-at":`, m.MatchedAt)
	dst = appendField(dst, `,"type":`, m.Type)
	dst = appendField(dst, `,"matcher-name":`, m.MatcherName)
	dst = appendField(dst, `,"extractor-name":`, m.ExtractorName)
	dst = appendTexts(dst, `,"extracted-results":`, m.Extracted)
	dst = appendField(dst, `,"ip":`, m.IP)
	dst = appendField(dst, `,"request":`, m.Request)
	dst = appendField(dst, `,"response":`, m.Response)
	dst = appendField(dst, `,"curl-command":`, m.Curl)
	if before == "" {
		return cutComma(dst, start)
	}
	return dst
}

// cutComma takes the comma away from the first field of an object, which begins at start.
func cutComma(dst []byte, start int) []byte {
	if len(dst) == start {
		return dst
	}
	return append(dst[:start], dst[start+1:]...)
}

// maxField is the longest text of a result that is written, in bytes. A page's title can be as
// long as the page; a line with every field at its limit, and escaped, is still below MaxLine.
const maxField = 64 << 10

// appendField leaves an empty value out.
func appendField(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return appendString(append(dst, name...), cutField(value))
}

func cutField(value string) string {
	if len(value) <= maxField {
		return value
	}
	// A rune cut in two at the end goes as a whole.
	return strings.TrimRightFunc(value[:maxField], func(r rune) bool { return r == utf8.RuneError })
}

// What bounds the matches of one line, in bytes: maxTexts the texts of a list, maxMatches all of them as they are written.
// No page comes near; a check that takes a whole page apart might.
const (
	maxTexts   = 256 << 10
	maxMatches = 4 << 20
)

// appendTexts leaves an empty list out, and what is beyond maxTexts.
func appendTexts(dst []byte, name string, values []string) []byte {
	if len(values) == 0 {
		return dst
	}
	dst = append(append(dst, name...), '[')
	room := maxTexts
	for i, value := range values {
		if i > 0 && len(value) > room {
			break
		}
		value = cutField(value)
		room -= len(value)
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, value)
	}
	return append(dst, ']')
}

func appendNumber(dst []byte, name string, value int64) []byte {
	return strconv.AppendInt(append(dst, name...), value, 10)
}
