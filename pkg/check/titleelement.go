package check

import (
	"bytes"
	"strings"
)

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
		case len(doc) > 1 && doc[0] == '/' && isLetter(doc[1]):
			doc = afterTag(doc)
		case len(doc) > 0 && (doc[0] == '!' || doc[0] == '?' || doc[0] == '/'):
			doc = after(doc, []byte{'>'})
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
