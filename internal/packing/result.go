package packing

import (
	"strings"
	"unicode/utf8"

	"github.com/redialscan/redial/pkg/report"
)

const (
	// format is the first byte of what is packed. Another one is another version.
	format = 2

	kindResult = 1
	kindLine   = 2

	maxText = 64 << 10 // of a result; longer ones go as lines, which cut them

	// baseWeight is what an event takes in memory beside its texts.
	baseWeight = 512
)

// The bits of a result. Those of texts and numbers follow, in their order.
const (
	bitMatched = 1 << iota
	bitFailed
	firstField = iota
)

const (
	textFields   = 20
	numberFields = 6
	allBits      = 1<<(firstField+textFields+numberFields) - 1
)

// texts are the texts of a result, those that differ most often first.
func texts(r *report.Result) [textFields]*string {
	return [textFields]*string{
		&r.URL, &r.Path, &r.Title, &r.ContentType, &r.Host, // one byte has the bits up to here
		&r.Port, &r.Input, &r.HostIP, &r.Location, &r.FinalURL, &r.Error, &r.WebServer, &r.Scheme, &r.Method, &r.Check,
		&r.TLSSubject, &r.RedirectSkipped, &r.PassedOver, &r.Protocol, &r.Template,
	}
}

// The places of two texts, of which the second one is mostly the end of the first.
const (
	placeURL  = 0
	placePath = 1
)

// numbers are the numbers of a result that seldom differ.
func numbers(r *report.Result) [numberFields]int64 {
	return [numberFields]int64{
		r.ContentLength, int64(r.StatusCode), int64(r.Words), int64(r.Lines), int64(r.Attempts), int64(r.Hops),
	}
}

func setNumbers(r *report.Result, n *[numberFields]int64) {
	r.ContentLength = n[0]
	r.StatusCode, r.Words, r.Lines, r.Attempts, r.Hops = int(n[1]), int(n[2]), int(n[3]), int(n[4]), int(n[5])
}

// plain says that a result can be told as it differs from another one: the rest of its texts is plain.
func plain(r *report.Result) bool {
	return r.Info == nil && len(r.Matches) == 0 && strings.IndexByte(r.Input, '@') < 0
}

func plainText(s string) bool { return len(s) <= maxText && utf8.ValidString(s) }
