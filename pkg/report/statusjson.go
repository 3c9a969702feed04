package report

import (
	"encoding/json"
	"math"
)

// MarshalJSON writes the status as an object in one line. Names that nuclei has in its statistics are the same here.
func (s Status) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Duration float64 `json:"duration"` // seconds
		Total    int64   `json:"total"`    // items
		Growing  bool    `json:"growing"`  // there may be more of them
		Percent  int     `json:"percent"`
		Done     int64   `json:"done"`
		Failed   int64   `json:"failed"`
		Skipped  int64   `json:"skipped"`
		Requests int64   `json:"requests"`
		RPS      float64 `json:"rps"`
		Hosts    int64   `json:"hosts"`
		Open     int64   `json:"open"`
		Dead     int64   `json:"dead"`
		Final    bool    `json:"final"`
	}{
		tenths(s.Elapsed.Seconds()), s.Items, s.Growing && !s.Final, s.Percent(), s.Done, s.Failed, s.Skipped,
		s.Sent, tenths(s.Rate), s.Hosts, s.Open, s.Dead, s.Final,
	})
}

// tenths is what a person reads of a number.
func tenths(v float64) float64 { return math.Round(v*10) / 10 }
