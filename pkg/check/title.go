package check

import (
	"bytes"
	"html"
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
