package dsl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// textFunctions look at text, cut it and put it together.
var textFunctions = map[string]function{
	"contains":       of2(strings.Contains),
	"containsall":    allOf(strings.Contains),
	"containsany":    anyOf(strings.Contains),
	"startswith":     anyOf(strings.HasPrefix),
	"endswith":       anyOf(strings.HasSuffix),
	"linestartswith": anyOf(lineBegins),
	"lineendswith":   anyOf(lineEnds),
	"equalsany":      anyOf(func(s, part string) bool { return s == part }),

	"regex":        {2, 2, func(args []any) (any, error) { return matches(String(args[0]), String(args[1])) }},
	"regexall":     {2, 2, func(args []any) (any, error) { return matchList(args, false) }},
	"regexany":     {2, 2, func(args []any) (any, error) { return matchList(args, true) }},
	"replaceregex": {3, 3, replaceRegex},

	"tolower":        of1(strings.ToLower),
	"toupper":        of1(strings.ToUpper),
	"totitle":        of1(title),
	"trim":           of2(strings.Trim),
	"trimleft":       of2(strings.TrimLeft),
	"trimright":      of2(strings.TrimRight),
	"trimspace":      of1(strings.TrimSpace),
	"trimprefix":     of2(strings.TrimPrefix),
	"trimsuffix":     of2(strings.TrimSuffix),
	"replace":        of3(strings.ReplaceAll),
	"removebadchars": of2(without),
	"reverse":        of1(reverse),
	"tostring":       of1(func(s string) string { return s }),

	"len":     {1, 1, length},
	"count":   of2(func(s, part string) float64 { return float64(strings.Count(s, part)) }),
	"index":   {2, 2, index},
	"substr":  {2, 3, substring},
	"repeat":  {2, 2, repeat},
	"concat":  {0, -1, func(args []any) (any, error) { return strings.Join(texts(args), ""), nil }},
	"join":    {1, -1, func(args []any) (any, error) { return strings.Join(texts(args[1:]), String(args[0])), nil }},
	"split":   {1, 3, split},
	"sort":    {1, -1, sorted},
	"uniq":    {1, -1, distinct},
	"padding": {4, 4, padding},
}

func lineBegins(s, part string) bool {
	return slices.ContainsFunc(strings.Split(s, "\n"), func(line string) bool { return strings.HasPrefix(line, part) })
}

func lineEnds(s, part string) bool {
	return slices.ContainsFunc(strings.Split(s, "\n"), func(line string) bool {
		return strings.HasSuffix(strings.TrimSuffix(line, "\r"), part)
	})
}

func matches(pattern, s string) (bool, error) {
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(s), err
}

// matchList wants all of a list of patterns to match, or one of them.
func matchList(args []any, one bool) (any, error) {
	s := String(args[1])
	for _, pattern := range texts(args[:1]) {
		ok, err := matches(pattern, s)
		if err != nil || ok == one {
			return ok, err
		}
	}
	return !one, nil
}

func replaceRegex(args []any) (any, error) {
	re, err := regexp.Compile(String(args[1]))
	if err != nil {
		return nil, err
	}
	return re.ReplaceAllString(String(args[0]), String(args[2])), nil
}

func title(s string) string {
	before := ' '
	return strings.Map(func(r rune) rune {
		first := !unicode.IsLetter(before) && !unicode.IsDigit(before)
		before = r
		if first {
			return unicode.ToTitle(r)
		}
		return r
	}, s)
}

func without(s, unwanted string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(unwanted, r) {
			return -1
		}
		return r
	}, s)
}

func reverse(s string) string {
	b := make([]byte, len(s))
	at := len(s)
	for _, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError && (size > at || !strings.HasPrefix(s[len(s)-at:], string(r))) {
			return reverseBytes(s)
		}
		at -= size
		utf8.EncodeRune(b[at:], r)
	}
	return string(b)
}

// reverseBytes is for what is no text.
func reverseBytes(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func length(args []any) (any, error) {
	if list, ok := args[0].([]any); ok {
		return float64(len(list)), nil
	}
	return float64(len(String(args[0]))), nil
}

func index(args []any) (any, error) {
	i, ok := whole(args[1])
	if list, isList := args[0].([]any); isList {
		if !ok || i < 0 || i >= len(list) {
			return nil, wantArguments(fmt.Sprintf("an index below %d", len(list)))
		}
		return list[i], nil
	}
	s := String(args[0])
	if !ok || i < 0 || i >= len(s) {
		return nil, wantArguments(fmt.Sprintf("an index below %d", len(s)))
	}
	return s[i : i+1], nil
}

// substring counts bytes; an end below 0 counts from the end of the text.
func substring(args []any) (any, error) {
	s := String(args[0])
	from, ok := whole(args[1])
	to := len(s)
	if ok && len(args) == 3 {
		if to, ok = whole(args[2]); to < 0 {
			to += len(s)
		}
	}
	if !ok || from < 0 || from > to || to > len(s) {
		return nil, wantArguments(fmt.Sprintf("a range within %d bytes", len(s)))
	}
	return s[from:to], nil
}

func repeat(args []any) (any, error) {
	s := String(args[0])
	n, ok := whole(args[1])
	if !ok || n < 0 {
		return nil, wantArguments("a count")
	}
	if len(s) > 0 && n > MaxValue/len(s) {
		return nil, errTooLong
	}
	return strings.Repeat(s, n), nil
}

// split is split(text, separator, limit), or split(text, size).
func split(args []any) (any, error) {
	s, parts := String(args[0]), []string(nil)
	switch size, sized := 0, false; {
	case len(args) == 1:
		parts = strings.Split(s, ",")
	case len(args) == 3:
		limit, ok := whole(args[2])
		if !ok {
			return nil, wantArguments("a limit")
		}
		parts = strings.SplitN(s, String(args[1]), limit)
	default:
		if _, number := args[1].(float64); number {
			size, sized = whole(args[1])
		}
		if !sized {
			parts = strings.Split(s, String(args[1]))
			break
		}
		if size <= 0 {
			return nil, wantArguments("a size above 0")
		}
		for chunk := range slices.Chunk([]byte(s), size) {
			parts = append(parts, string(chunk))
		}
	}
	return plain(parts), nil
}

// sorted sorts the characters of a text, or several texts.
func sorted(args []any) (any, error) {
	list := texts(args)
	if _, many := args[0].([]any); many || len(args) > 1 {
		slices.Sort(list)
		return plain(list), nil
	}
	runes := []rune(list[0])
	slices.Sort(runes)
	return string(runes), nil
}

// distinct drops characters of a text that stood there before, or texts.
func distinct(args []any) (any, error) {
	list := texts(args)
	_, many := args[0].([]any)
	if many = many || len(args) > 1; !many {
		list = strings.Split(list[0], "")
	}
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(s string) bool {
		before := seen[s]
		seen[s] = true
		return before
	})
	if many {
		return plain(list), nil
	}
	return strings.Join(list, ""), nil
}

// padding is padding(text, pad, length, "prefix" or "suffix").
func padding(args []any) (any, error) {
	s, pad := String(args[0]), String(args[1])
	n, ok := whole(args[2])
	if !ok || n < 0 || n > MaxValue || pad == "" {
		return nil, wantArguments("a text, what to pad it with, and a length")
	}
	if n <= len(s) {
		return s, nil
	}
	fill := strings.Repeat(pad, (n-len(s))/len(pad)+1)[:n-len(s)]
	switch where := String(args[3]); where {
	case "prefix":
		return fill + s, nil
	case "suffix":
		return s + fill, nil
	default:
		return nil, wantArguments("prefix or suffix, not " + where)
	}
}
