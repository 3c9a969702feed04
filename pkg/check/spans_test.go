package check

import (
	"math"
	"strings"
	"testing"
)

func TestSpans(t *testing.T) {
	for _, row := range []struct {
		text    string
		in, out []int64
	}{
		{"200", []int64{200}, []int64{199, 201}},
		{"200,404", []int64{200, 404}, []int64{201, 403}},
		{" 200 , 300-399 ", []int64{200, 300, 350, 399}, []int64{299, 400}},
		{"300 - 399", []int64{300, 399}, []int64{299, 400}},
		{"200-200", []int64{200}, []int64{199, 201}},
		{"all", []int64{100, 404, 999}, nil},
		{"ALL", []int64{100, 404, 999}, nil},
		{">499", []int64{500, 999}, []int64{499}},
		{"<200,> 998", []int64{100, 199, 999}, []int64{200, 998}},
	} {
		set, err := parseSpans(row.text, minStatus, maxStatus)
		if err != nil {
			t.Errorf("%q: %v", row.text, err)
		}
		for _, n := range row.in {
			if !set.has(n) {
				t.Errorf("%q does not have %d", row.text, n)
			}
		}
		for _, n := range row.out {
			if set.has(n) {
				t.Errorf("%q has %d", row.text, n)
			}
		}
	}
}

func TestSpansRefused(t *testing.T) {
	for _, row := range []struct {
		text, want string
		high       int64
	}{
		{"", "an empty entry, expected numbers", maxStatus},
		{"200,", "an empty entry, expected numbers", maxStatus},
		{"20x", `bad number "20x", expected a number from 100 to 999, a range such as 200-299, or one side as in >300`, maxStatus},
		{"99", `bad number "99", expected a number from 100 to 999`, maxStatus},
		{"1000", `bad number "1000"`, maxStatus},
		{"-1", `bad number ""`, maxStatus},
		{"200-", `bad number ""`, maxStatus},
		{"200-300-400", `bad number "300-400"`, maxStatus},
		{"+200", `bad number "+200"`, maxStatus},
		{"399-300", "range 399-300 runs backwards, expected 300-399", maxStatus},
		{">999", "nothing is above 999", maxStatus},
		{"<100", "nothing is below 100", maxStatus},
		{">", `bad number ""`, maxStatus},
		{"200;300", `bad number "200;300"`, maxStatus},
		{"9223372036854775808", "expected a number of 100 or more", maxLength},
		{">9223372036854775807", "nothing is above", maxLength},
	} {
		set, err := parseSpans(row.text, minStatus, row.high)
		if set != nil || err == nil || !strings.HasPrefix(err.Error(), row.want) && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q: got %v, %v; want the error %q", row.text, set, err, row.want)
		}
	}
}

// Whatever is accepted is a set of numbers inside the bounds, each span the right way round.
func FuzzSpans(f *testing.F) {
	for _, text := range []string{"200,300-399", ">5,<1", "all", "9223372036854775807", "0-0", " 1 - 2 "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, bounds := range []span{{minStatus, maxStatus}, {0, math.MaxInt64}} {
			set, err := parseSpans(text, bounds.low, bounds.high)
			if err != nil {
				continue
			}
			if len(set) != strings.Count(text, ",")+1 {
				t.Fatalf("%q gave %d spans, want one for each entry", text, len(set))
			}
			for _, one := range set {
				if one.low < bounds.low || one.high > bounds.high || one.low > one.high || !set.has(one.low) || !set.has(one.high) {
					t.Fatalf("%q gave %+v in %+v", text, one, bounds)
				}
			}
		}
	})
}
