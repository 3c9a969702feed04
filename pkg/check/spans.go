package check

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// spans is a set of numbers, each span with both ends.
type spans []span

type span struct{ low, high int64 }

func (s spans) has(n int64) bool {
	for _, one := range s {
		if n >= one.low && n <= one.high {
			return true
		}
	}
	return false
}

// parseSpans reads a list such as "200,300-399,>499" of numbers between low and high. "all" is every one of them, as in ffuf.
func parseSpans(text string, low, high int64) (spans, error) {
	var set spans
	for entry := range strings.SplitSeq(text, ",") {
		one, err := parseSpan(strings.TrimSpace(entry), low, high)
		if err != nil {
			return nil, err
		}
		set = append(set, one)
	}
	return set, nil
}

func parseSpan(text string, low, high int64) (span, error) {
	switch {
	case text == "":
		return span{}, errors.New("an empty entry, expected numbers and ranges with commas between them")
	case strings.EqualFold(text, "all"):
		return span{low, high}, nil
	case text[0] == '>':
		n, err := parseNumber(text[1:], low, high)
		if err == nil && n == high {
			err = fmt.Errorf("nothing is above %d, expected less", n)
		}
		return span{n + 1, high}, err
	case text[0] == '<':
		n, err := parseNumber(text[1:], low, high)
		if err == nil && n == low {
			err = fmt.Errorf("nothing is below %d, expected more", n)
		}
		return span{low, n - 1}, err
	}
	from, to, isRange := strings.Cut(text, "-")
	first, err := parseNumber(from, low, high)
	if err != nil || !isRange {
		return span{first, first}, err
	}
	last, err := parseNumber(to, low, high)
	if err == nil && last < first {
		err = fmt.Errorf("range %d-%d runs backwards, expected %d-%d", first, last, last, first)
	}
	return span{first, last}, err
}

func parseNumber(text string, low, high int64) (int64, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 63)
	if err != nil || int64(n) < low || int64(n) > high {
		bounds := fmt.Sprintf("from %d to %d", low, high)
		if high == maxLength {
			bounds = fmt.Sprintf("of %d or more", low)
		}
		return 0, fmt.Errorf("bad number %.80q, expected a number %s, a range such as %d-%d, or one side as in >%d", text, bounds, low+100, low+199, low+200)
	}
	return int64(n), nil
}
