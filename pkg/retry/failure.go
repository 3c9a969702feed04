package retry

import (
	"net/http"
	"time"
)

// Kind says whether a failure can pass by itself. The zero value is Permanent,
// so that a failure nobody judged is not repeated.
type Kind uint8

const (
	Permanent Kind = iota // the next attempt would end the same way
	Temporary             // the next attempt may succeed
	Cancelled             // we called the work off ourselves
)

// String returns the kind in lower case.
func (k Kind) String() string {
	switch k {
	case Temporary:
		return "temporary"
	case Cancelled:
		return "cancelled"
	default:
		return "permanent"
	}
}

// Failure is one failed attempt as its caller judged it. The zero value is a
// permanent failure.
type Failure struct {
	Kind Kind
	// Repeatable tells that sending the same request again does no harm, see
	// MayRepeat. A caller that knows that no byte left may say so as well.
	Repeatable bool
	// Pause is the least time before the next attempt. It wins over a shorter
	// wait of the plan and is not bounded by Plan.Max. Zero or less: no demand.
	Pause time.Duration
}

// MayRepeat reports whether a request with this method may be sent twice: the
// methods that RFC 9110 section 9.2.2 calls idempotent (GET, HEAD, OPTIONS,
// TRACE, PUT, DELETE), or any other when the check allows it. Methods are
// compared as they are sent, case included; the empty one is GET.
func MayRepeat(method string, allowed bool) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions,
		http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	return allowed
}
