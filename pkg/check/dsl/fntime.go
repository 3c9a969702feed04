package dsl

import (
	"strconv"
	"strings"
	"time"
)

// timeFunctions tell the time, in seconds since 1970 or as text.
var timeFunctions = map[string]function{
	"unixtime":   {0, 1, unixTime},
	"tounixtime": {1, 2, toUnixTime},
	"datetime":   {1, 2, dateTime},
}

// unixTime is now, or so many seconds later.
func unixTime(args []any) (any, error) {
	now := float64(time.Now().Unix())
	if len(args) == 0 {
		return now, nil
	}
	later, ok := number(args[0])
	if !ok {
		return nil, wantArguments("a number of seconds")
	}
	return now + later, nil
}

// layouts are tried in turn where to_unix_time is given none.
var layouts = [...]string{
	time.RFC3339, "2006-01-02 15:04:05 Z07:00", time.DateTime, "2006-01-02 15:04", time.DateOnly, "2006-01-02T15:04:05",
	time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC, "January 2, 2006", "Jan 2, 2006",
}

func toUnixTime(args []any) (any, error) {
	text := strings.TrimSpace(String(args[0]))
	if n, err := strconv.ParseFloat(text, 64); err == nil && len(args) == 1 {
		return n, nil
	}
	tried := layouts[:]
	if len(args) == 2 {
		tried = []string{String(args[1])}
	}
	for _, layout := range tried {
		if t, err := time.Parse(layout, text); err == nil {
			return float64(t.Unix()), nil
		}
	}
	return nil, wantArguments("a time such as " + layouts[0])
}

// simpleDate are the letters of the short form of date_time, each behind a percent sign.
var simpleDate = strings.NewReplacer(
	"%Y", "2006", "%y", "06", "%M", "01", "%D", "02", "%d", "02", "%H", "15", "%h", "03", "%m", "04", "%S", "05", "%s", "05",
	"%B", "January", "%b", "Jan", "%A", "Monday", "%a", "Mon", "%p", "PM", "%Z", "MST", "%z", "-0700",
)

// dateTime is a moment as text, now when none is given: in the short form, or in a layout of Go.
func dateTime(args []any) (any, error) {
	moment := time.Now()
	if len(args) == 2 {
		seconds, ok := number(args[1])
		if !ok || seconds < -1e11 || seconds > 1e11 {
			return nil, wantArguments("a time in seconds since 1970")
		}
		moment = time.Unix(int64(seconds), 0)
	}
	layout := String(args[0])
	if strings.Contains(layout, "%") {
		layout = simpleDate.Replace(layout)
	}
	return moment.UTC().Format(layout), nil
}
