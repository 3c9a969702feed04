package retry

import (
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	const most = time.Minute
	now := time.Date(2026, 3, 1, 12, 0, 0, 500, time.UTC)
	date := func(d time.Duration) string { return now.Add(d).UTC().Format(http.TimeFormat) }
	for _, tt := range []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"7", 7 * time.Second, true}, // github.com/ffuf/ffuf/issues/352
		{" 7\t", 7 * time.Second, true},
		{"007", 7 * time.Second, true},
		{"0", 0, true},
		{"59", 59 * time.Second, true},
		{"60", most, true},
		{"61", most, true},
		// github.com/hashicorp/go-retryablehttp/pull/297, /issues/247
		{"99999999999", most, true},
		{"9223372036", most, true}, // the last one that a Duration could hold
		{"9223372037", most, true},
		{"9223372036854775807", most, true},
		{"9223372036854775808", 0, false},
		{strings.Repeat("9", 400), 0, false},
		{"-5", 0, false},
		{"-0", 0, false},
		{"+5", 0, false},
		{"1.5", 0, false},
		{"1e3", 0, false},
		{"0x10", 0, false},
		{"7 s", 0, false},
		{"7, 8", 0, false},
		{"٧", 0, false}, // a digit, but not an ASCII one
		{"soon", 0, false},
		{"", 0, false},
		{"  ", 0, false},
		{date(30 * time.Second), 30*time.Second - 500, true},
		{date(time.Hour), most, true},
		{date(0), 0, false}, // its second began before now
		{date(-time.Hour), 0, false},
		{now.Add(10 * time.Second).Format("Monday, 02-Jan-06 15:04:05 GMT"), 10*time.Second - 500, true},
		{now.Add(10 * time.Second).Format(time.ANSIC), 10*time.Second - 500, true},
		{"Fri, 31 Dec 9999 23:59:59 GMT", most, true},
		{"Mon, 01 Jan 0001 00:00:00 GMT", 0, false},
		{"Sun, 31 Feb 2026 12:00:00 GMT", 0, false},
		{now.Format(time.RFC3339), 0, false},
	} {
		if got, ok := RetryAfter(tt.value, now, most); got != tt.want || ok != tt.ok {
			t.Errorf("RetryAfter(%q) = %v, %v, want %v, %v", tt.value, got, ok, tt.want, tt.ok)
		}
	}
}

func TestRetryAfterDateOfThisSecond(t *testing.T) {
	value := start.Format(http.TimeFormat)
	for _, tt := range []struct {
		early time.Duration
		ok    bool
	}{{0, false}, {1, true}} {
		if got, ok := RetryAfter(value, start.Add(-tt.early), time.Minute); got != tt.early || ok != tt.ok {
			t.Errorf("read %v early: %v, %v, want %v", tt.early, got, ok, tt.ok)
		}
	}
}

func TestRetryAfterBounds(t *testing.T) {
	for _, tt := range []struct {
		most, want time.Duration
	}{
		{-time.Second, 0},
		{0, 0},
		{1500 * time.Millisecond, 1500 * time.Millisecond},
		{2*time.Second - 1, 2*time.Second - 1},
		{2 * time.Second, 2 * time.Second},
		{2*time.Second + 1, 2 * time.Second},
		{1<<63 - 1, 2 * time.Second},
	} {
		if got, ok := RetryAfter("2", start, tt.most); got != tt.want || !ok {
			t.Errorf("2 seconds, at most %v: %v, %v, want %v", tt.most, got, ok, tt.want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{"7", "-5", "soon", "99999999999", "", "Fri, 31 Dec 1999 23:59:59 GMT", "18446744073709551616"} {
		f.Add(value, int64(time.Minute))
	}
	f.Fuzz(func(t *testing.T, value string, bound int64) {
		most := time.Duration(bound)
		got, ok := RetryAfter(value, start, most)
		if got < 0 || got > max(most, 0) || (!ok && got != 0) {
			t.Fatalf("%q at most %v: %v, %v", value, most, got, ok)
		}
		trimmed := strings.Trim(value, " \t")
		seconds, isNumber := new(big.Int).SetString(trimmed, 10)
		if !isNumber || strings.ContainsAny(trimmed, "+-_") {
			return
		}
		if ok != seconds.IsInt64() {
			t.Fatalf("%q seconds: ok is %v", value, ok)
		}
		want := new(big.Int).Mul(seconds, big.NewInt(int64(time.Second)))
		if top := big.NewInt(int64(max(most, 0))); want.Cmp(top) > 0 {
			want = top
		}
		if ok && want.Cmp(big.NewInt(int64(got))) != 0 {
			t.Fatalf("%q at most %v: %v, want %v ns", value, most, got, want)
		}
	})
}
