package cmd

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	names := []string{"scan", "demo", "lab", "rate-limit", "retries", "retry-wait", "timeout"}
	for word, want := range map[string]string{
		"scna":        "scan", // a swap is one mistake
		"sacn":        "scan",
		"lb":          "lab",
		"labb":        "lab",
		"time":        "timeout",    // a beginning
		"retry":       "retry-wait", // also where another word is near
		"retires":     "retries",
		"rate_limit":  "rate-limit",
		"ratelimit":   "rate-limit",
		"x":           "", // every short name would be near
		"xy":          "",
		"concurrency": "",
		"":            "",
	} {
		if got := nearest(word, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// A distance is never more than the number of single mistakes that were made, and the same in both directions.
func TestDistanceCountsMistakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching("[a-d]{0,8}").Draw(t, "word")
		typed := []byte(word)
		mistakes := rapid.IntRange(0, 3).Draw(t, "mistakes")
		for range mistakes {
			typed = mistype(t, typed)
		}
		d := distance(word, string(typed))
		if d > mistakes || (d == 0) != (word == string(typed)) {
			t.Errorf("distance(%q, %q) = %d after %d mistakes", word, typed, d, mistakes)
		}
		if back := distance(string(typed), word); back != d {
			t.Errorf("distance(%q, %q) = %d, and %d back", word, typed, d, back)
		}
	})
}

// mistype adds, drops or replaces a letter.
func mistype(t *rapid.T, word []byte) []byte {
	at := rapid.IntRange(0, len(word)).Draw(t, "at")
	letter := rapid.ByteRange('a', 'd').Draw(t, "letter")
	rest := word[at:]
	if kind := rapid.IntRange(0, 2).Draw(t, "kind"); kind == 0 || len(rest) == 0 {
		return append(append(append([]byte{}, word[:at]...), letter), rest...)
	} else if kind == 1 {
		return append(append([]byte{}, word[:at]...), rest[1:]...)
	}
	return append(append(append([]byte{}, word[:at]...), letter), rest[1:]...)
}
