package dsl

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenString
	tokenName
	tokenOperator // also parentheses and commas
)

type token struct {
	kind   tokenKind
	text   string // name or operator; the decoded text of a string
	number float64
	at     int
}

// operators, longest first where one begins with another.
var operators = [...]string{
	"==", "!=", "=~", "!~", "<=", ">=", "<<", ">>", "&&", "||", "**", "??",
	"<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "?", ":", "(", ")", ",",
}

// lex takes a source apart. Double braces outside of strings are parentheses.
func lex(src string) ([]token, error) {
	tokens := make([]token, 0, len(src)/5+4)
	for at := 0; at < len(src); {
		rest := src[at:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(r):
			at += size
			continue
		case strings.HasPrefix(rest, "{{"):
			tokens = append(tokens, token{kind: tokenOperator, text: "(", at: at})
			at += 2
			continue
		case strings.HasPrefix(rest, "}}"):
			tokens = append(tokens, token{kind: tokenOperator, text: ")", at: at})
			at += 2
			continue
		}
		t, n, err := lexOne(src, at, r)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
		at += n
	}
	return append(tokens, token{kind: tokenEnd, at: len(src)}), nil
}

// lexOne reads the token that begins at a place where there is one.
func lexOne(src string, at int, first rune) (token, int, error) {
	rest := src[at:]
	switch {
	case first == '"' || first == '\'':
		text, n := lexString(rest)
		if n == 0 {
			return token{}, 0, &SyntaxError{src, at, "the closing quote of the string that begins"}
		}
		return token{kind: tokenString, text: text, at: at}, n, nil
	case first >= '0' && first <= '9' || first == '.':
		n := strings.IndexFunc(rest, func(r rune) bool { return !(r >= '0' && r <= '9' || r == '.') })
		if n < 0 {
			n = len(rest)
		}
		v, err := strconv.ParseFloat(rest[:n], 64)
		if err != nil {
			return token{}, 0, &SyntaxError{src, at, "a number"}
		}
		return token{kind: tokenNumber, number: v, at: at}, n, nil
	case first == '[': // a name with characters that names do not have
		end := strings.IndexByte(rest, ']')
		if end < 2 {
			return token{}, 0, &SyntaxError{src, at, "a name in brackets"}
		}
		return token{kind: tokenName, text: rest[1:end], at: at}, end + 1, nil
	case unicode.IsLetter(first) || first == '_':
		n := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
		if n < 0 {
			n = len(rest)
		}
		if word := rest[:n]; word == "in" || word == "IN" {
			return token{kind: tokenOperator, text: "in", at: at}, n, nil
		}
		return token{kind: tokenName, text: rest[:n], at: at}, n, nil
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			return token{kind: tokenOperator, text: op, at: at}, len(op), nil
		}
	}
	return token{}, 0, &SyntaxError{src, at, "a value or an operator"}
}

// lexString decodes a quoted string; 0 when it has no end.
func lexString(rest string) (text string, n int) {
	quote := rest[0]
	if end := strings.IndexByte(rest[1:], quote); end >= 0 && strings.IndexByte(rest[1:end+1], '\\') < 0 {
		return rest[1 : end+1], end + 2
	}
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == quote:
			return b.String(), i + 1
		case c == '\\' && i+1 < len(rest):
			i++
			b.WriteByte(rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", 0
}
