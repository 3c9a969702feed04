package check

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// MaxTitle is the number of characters that a title is cut to.
const MaxTitle = 200

const (
	maxTitleBytes = 8 << 10  // of a title as sent: enough for MaxTitle characters with white space and entities between them
	maxWideBytes  = 64 << 10 // of a document in UTF-16, which is turned into UTF-8 before it is read
)

// title gives the text of the first title element: in UTF-8, entities decoded, white space folded.
func title(doc []byte, contentType string) string {
	wide := isWide(doc, contentType)
	if wide {
		doc = toUTF8(doc[:min(len(doc), maxWideBytes)], doc, contentType)
	}
	raw := titleElement(doc)
	if len(raw) == 0 {
		return ""
	}
	if !wide && !isPlain(raw) {
		raw = toUTF8(raw, doc, contentType)
	}
	if bytes.IndexByte(raw, '&') >= 0 {
		raw = []byte(html.UnescapeString(string(raw)))
	}
	return fold(raw)
}

// isWide tells whether a document is in UTF-16, where no tag would be found.
func isWide(doc []byte, contentType string) bool {
	return bytes.HasPrefix(doc, []byte("\xfe\xff")) || bytes.HasPrefix(doc, []byte("\xff\xfe")) ||
		containsFold([]byte(contentType), "charset=utf-16") || containsFold([]byte(contentType), `charset="utf-16`)
}

// isPlain tells whether a text is the same in every encoding but UTF-16. An escape character may begin another alphabet in ISO-2022-JP.
func isPlain(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf || c == 0x1b {
			return false
		}
	}
	return true
}

// toUTF8 decodes a part of a document by what the document, or its content type, says of its encoding. Where neither says anything, what
// is valid UTF-8 is taken for that.
func toUTF8(text, doc []byte, contentType string) []byte {
	encoding, name, certain := charset.DetermineEncoding(doc, contentType)
	if name == "utf-8" || !certain && utf8.Valid(text) {
		return text
	}
	if decoded, err := encoding.NewDecoder().Bytes(text); err == nil {
		return decoded
	}
	return text
}

// fold makes runs of white space one space, drops it at the ends, and cuts the text to MaxTitle characters.
func fold(text []byte) string {
	var buf [MaxTitle * utf8.UTFMax]byte
	out, runes, gap := buf[:0], 0, false
	for len(text) > 0 && runes < MaxTitle {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case unicode.IsSpace(r):
			gap = runes > 0
			continue
		case gap && runes+2 > MaxTitle:
			return string(out)
		case gap:
			out, runes, gap = append(out, ' '), runes+1, false
		}
		out, runes = utf8.AppendRune(out, r), runes+1
	}
	return string(out)
}

// titleElement finds the content of the first title element, as sent. It reads tags as a browser does, so that what stands in a comment, a
// script or the value of an attribute is no title, and looks at each byte a bounded number of times.
func titleElement(doc []byte) []byte {
	for {
		i := bytes.IndexByte(doc, '<')
		if i < 0 {
			return nil
		}
		doc = doc[i+1:]
		switch {
		case bytes.HasPrefix(doc, []byte("!--")):
			doc = after(doc[1:], []byte("-->")) // from the dashes on, since <!--> is a whole comment
		case len(doc) > 0 && (doc[0] == '!' || doc[0] == '?'):
			doc = after(doc, []byte{'>'})
		case len(doc) > 1 && doc[0] == '/' && isLetter(doc[1]):
			doc = afterTag(doc)
		case len(doc) > 0 && isLetter(doc[0]):
			name := doc[:nameLen(doc)]
			doc = afterTag(doc[len(name):])
			if isName(name, "title") {
				return titleContent(doc)
			}
			if hidden := hiddenElement(name); hidden != "" {
				doc = doc[endTag(doc, hidden):]
			}
		}
	}
}

// titleContent is what stands before the end tag. A title without one ends at the next tag, although a browser would take the whole
// document for it.
func titleContent(doc []byte) []byte {
	doc = doc[:min(len(doc), maxTitleBytes)]
	end := endTag(doc, "title")
	if end < len(doc) {
		return withoutCDATA(doc[:end])
	}
	if i := bytes.IndexByte(doc, '<'); i >= 0 {
		return doc[:i]
	}
	return doc
}

// withoutCDATA takes off the mark that feeds put around their titles.
func withoutCDATA(text []byte) []byte {
	if inner, ok := bytes.CutPrefix(bytes.TrimSpace(text), []byte("<![CDATA[")); ok {
		return bytes.TrimSuffix(inner, []byte("]]>"))
	}
	return text
}

// hiddenElement gives the name of an element whose content is no markup, "" for all others.
func hiddenElement(name []byte) string {
	for _, hidden := range [...]string{"script", "style", "noscript", "textarea", "iframe", "noframes", "noembed", "xmp"} {
		if isName(name, hidden) {
			return hidden
		}
	}
	return ""
}

// endTag gives where the end tag of an element begins, len(doc) when there is none.
func endTag(doc []byte, name string) int {
	at := 0
	for {
		i := bytes.IndexByte(doc[at:], '<')
		if i < 0 {
			return len(doc)
		}
		at += i
		if rest := doc[at+1:]; len(rest) > len(name) && rest[0] == '/' && isName(rest[1:1+nameLen(rest[1:])], name) {
			return at
		}
		at++
	}
}

// afterTag gives what follows a tag, whose inside is given. Between quotes behind an equals sign a > does not end it.
func afterTag(doc []byte) []byte {
	last := byte(0)
	for i := 0; i < len(doc); i++ {
		switch c := doc[i]; {
		case c == '>':
			return doc[i+1:]
		case isSpace(c):
			continue
		case last == '=' && (c == '"' || c == '\''):
			end := bytes.IndexByte(doc[i+1:], c)
			if end < 0 {
				return nil
			}
			i += end + 1
		}
		last = doc[i]
	}
	return nil
}

// after gives what follows the first mark, nothing when there is none.
func after(doc, mark []byte) []byte {
	_, rest, _ := bytes.Cut(doc, mark)
	return rest
}

// nameLen is the length of the name of a tag at the beginning of doc. Names of interest are short; a longer one is cut.
func nameLen(doc []byte) int {
	const longest = 16
	for i, c := range doc[:min(len(doc), longest)] {
		if isSpace(c) || c == '/' || c == '>' {
			return i
		}
	}
	return min(len(doc), longest)
}

func isName(name []byte, want string) bool {
	return len(name) == len(want) && strings.EqualFold(string(name), want)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }
