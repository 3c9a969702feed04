package retry

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// DefaultMaxRetryAfter is how long the scanner lets a server hold it off.
const DefaultMaxRetryAfter = 60 * time.Second

// RetryAfter reads the value of a Retry-After field (RFC 9110 section 10.2.3):
// whole seconds, or an HTTP date, which is compared with now. The wait is never
// negative and never longer than most (0 when most is negative).
//
// ok is false, and the wait 0, for a value that names no time to come: an empty
// or malformed one, a negative or fractional number, a number of seconds beyond
// 64 bits, a date that is not after now. The plain number 0 is a valid answer
// that asks for no wait.
func RetryAfter(value string, now time.Time, most time.Duration) (wait time.Duration, ok bool) {
	most = max(most, 0)
	value = strings.Trim(value, " \t")
	if allDigits(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return 0, false
		}
		// Compared in seconds, because as a Duration the number may overflow.
		if seconds > int64(most/time.Second) {
			return most, true
		}
		return time.Duration(seconds) * time.Second, true
	}
	date, err := http.ParseTime(value)
	if err != nil || !date.After(now) {
		return 0, false
	}
	return min(date.Sub(now), most), true
}

func allDigits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}
