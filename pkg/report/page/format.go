package page

import (
	"strconv"
	"strings"
	"time"
)

// shortDuration is a duration without the zeros at its end: 1m, not 1m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// humanDuration is what a person reads: tenths of seconds below a minute, milliseconds below a second.
func humanDuration(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return shortDuration(d.Round(time.Second))
	case d >= time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	case d >= time.Millisecond:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d > 0:
		return strconv.FormatInt(d.Microseconds(), 10) + "µs"
	}
	return "0s"
}

// number groups digits by three: 1 234 567, with spaces that do not break.
func number(n int64) string {
	text := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(text) - 3; i > start; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

// perSecond is a rate of requests.
func perSecond(v float64) string {
	if v >= 10 || v == 0 {
		return number(int64(v + 0.5))
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}
