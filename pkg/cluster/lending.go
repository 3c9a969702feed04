package cluster

import "github.com/redialscan/redial/pkg/report"

// lentResults is how many results handlers have at most: as many as are handled at a time, and as many again.
const lentResults = 2048

// lent is the memory of results on their way to the handlers, used in turns. Workers tell thousands at a time, and to find memory for
// them anew costs a coordinator more than to read them.
type lent struct {
	results []report.Result
	emitted uint64 // events of all kinds
	handled uint64 // of those, at least
}

// emit passes an event on to the handlers.
func (r *course) emit(e report.Event) {
	r.lent.emitted++
	r.put(e)
}

// lend copies a result that is emitted next. It waits while the handlers are behind.
func (r *course) lend(result *report.Result) *report.Result {
	l := &r.lent
	if l.results == nil {
		l.results = make([]report.Result, lentResults)
	}
	if l.emitted >= l.handled+lentResults {
		l.handled = r.acks.await(l.emitted - lentResults/2) // one would do, and then wake this for each
	}
	place := &l.results[l.emitted%lentResults]
	*place = *result
	return place
}
