package executor

// place says where a host stands; the package doc has the drawing.
type place uint8

const (
	nowhere place = iota // all its items are in flight, or it is being moved
	inFresh
	inLiving
	paused  // in the heap, and in work
	parked  // in the heap, quarantined
	doubted // in the heap; it has nothing left but failures that an outage may yet explain
	ended
)

// backlog is what is left to send to one target: a cursor into the checks, not a list of items.
type backlog[T any] struct {
	target T
	next   int32 // first check that was not tried
	// rewound checks were tried in vain in a first contact, each as often as sent says, and are to be tried again.
	rewound int32
	sent    uint16
	// probed is how often the check at the cursor was sent beyond that, as the probe of a host that never answered.
	probed uint16
}

// entry is an item that was taken from its cursor.
type entry[T any] struct {
	of       *backlog[T]
	at       moment // not before
	began    moment // its first run; 0 before
	check    int32
	attempts uint16
	sends    uint16
	free     uint8
	neutral  uint8
	given    uint8
	owed     bool // a run asked for a repeat, which is still to be made
	// lapsed of the attempts failed from lapse on, while nothing was answered anywhere.
	lapsed uint8
	lapse  moment
}

// suspect is an item out of attempts of which it is open whether it or its host is at fault.
type suspect[T any] struct {
	entry[T]
	err error
}

// extra is what few hosts have; it hangs off the host so that a parked one stays small.
type extra[T any] struct {
	more     []*backlog[T] // targets after the first
	back     []entry[T]    // put back, the earliest on top of a heap
	suspects []suspect[T]
	gone     Reason                 // why what was in flight when the host was given up is skipped
	moved    map[*backlog[T]]string // targets that went to another host while items of them were in flight
}

// host is one host with work left. All fields are guarded by the executor's lock.
type host[T any] struct {
	key        string
	first      *backlog[T]
	rest       *extra[T]
	prev, next *host[T] // in a line
	wake       moment   // its time in the heap
	hold       moment   // nothing is sent before
	lastErr    error
	slot       int32 // in the heap
	inflight   int32
	window     int32 // how many may be in flight
	streak     int32 // host errors since the last answer
	parks      uint8 // times parked since the last answer, at most parkedLevels
	misses     uint8 // plain probes that decided nothing
	era        uint8 // changes when it is parked
	place      place
	contacted  bool  // has answered since it was new or parked
	answered   bool  // has ever answered
	served     bool  // an item was ever done
	calling    bool  // was parked and has not answered since
	working    bool  // counts as a host in work
	told       bool  // its end was
	clocked    bool  // stands in the queue of host clocks
	doomed     bool  // found dead when an outage might have been the reason
	lost       int32 // items failed or skipped while none was done
}

func (h *host[T]) due() moment    { return h.wake }
func (h *host[T]) index() int     { return int(h.slot) }
func (h *host[T]) setIndex(i int) { h.slot = int32(i) }

func (h *host[T]) more() *extra[T] {
	if h.rest == nil {
		h.rest = &extra[T]{}
	}
	return h.rest
}

func (h *host[T]) targets() int {
	n := 0
	if h.first != nil {
		n++
	}
	if h.rest != nil {
		n += len(h.rest.more)
	}
	return n
}

func (h *host[T]) addTarget(b *backlog[T]) {
	if h.first == nil {
		h.first = b
		return
	}
	h.more().more = append(h.rest.more, b)
}

// addLeft adds a target with its cursor and with single checks before that, which count as put back.
func (h *host[T]) addLeft(b *backlog[T], again []int) {
	h.addTarget(b)
	for _, check := range again {
		h.putBack(entry[T]{of: b, check: int32(check)})
	}
}

// untried makes first the target with an untried check, and is false when there is none.
func (h *host[T]) untried(checks int32) bool {
	for {
		if h.first == nil {
			if h.rest == nil || len(h.rest.more) == 0 {
				return false
			}
			h.first = h.rest.more[0]
			h.rest.more[0] = nil
			h.rest.more = h.rest.more[1:]
		}
		if h.first.next < checks {
			return true
		}
		h.first = nil
	}
}

// nextBack is the time of the earliest item that was put back, farFuture when there is none.
func (h *host[T]) nextBack() moment {
	if h.rest == nil || len(h.rest.back) == 0 {
		return farFuture
	}
	return h.rest.back[0].at
}

func (h *host[T]) putBack(en entry[T]) {
	x := h.more()
	x.back = append(x.back, en)
	for i := len(x.back) - 1; i > 0; {
		parent := (i - 1) / 2
		if !x.back[i].before(x.back[parent]) {
			return
		}
		x.back[i], x.back[parent] = x.back[parent], x.back[i]
		i = parent
	}
}

// before orders by time, then by check, so that what a trip gives back goes out in the order of the checks.
func (en entry[T]) before(other entry[T]) bool {
	if en.at != other.at {
		return en.at < other.at
	}
	return en.check < other.check
}

func (h *host[T]) takeBack() entry[T] {
	back := h.rest.back
	top, last := back[0], len(back)-1
	back[0] = back[last]
	back[last] = entry[T]{}
	back = back[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if right := child + 1; right < last && back[right].before(back[child]) {
			child = right
		}
		if !back[child].before(back[i]) {
			break
		}
		back[i], back[child] = back[child], back[i]
		i = child
	}
	h.rest.back = back
	return top
}

// takeUntried takes the next check from the cursor.
func (h *host[T]) takeUntried() entry[T] {
	b := h.first
	en := b.untouched(b.next)
	en.sends += b.probed
	b.probed = 0
	b.next++
	return en
}

// untouched is the entry of a check as the cursor gives it.
func (b *backlog[T]) untouched(check int32) entry[T] {
	en := entry[T]{of: b, check: check}
	if check < b.rewound {
		en.sends, en.given = b.sent, 1
	}
	return en
}

// giveBack undoes a take whose item did not run, or ran as a probe that failed.
func (h *host[T]) giveBack(en entry[T]) {
	b := en.of
	plain, same := b.untouched(en.check), en
	same.sends, same.began, same.at = plain.sends, 0, 0
	if h.first == b && b.next == en.check+1 && b.probed == 0 && same == plain {
		b.next--
		b.probed = en.sends - plain.sends
		return
	}
	h.putBack(en)
}

// take takes the item to send at now: to a host that answers what is due again first, to any other an untried one, since
// an item that failed may itself be why the host seems dead.
func (h *host[T]) take(now moment, checks int32) (entry[T], bool) {
	due := h.nextBack() <= now
	if due && h.contacted {
		return h.takeBack(), true
	}
	if h.untried(checks) {
		return h.takeUntried(), true
	}
	if due {
		return h.takeBack(), true
	}
	return entry[T]{}, false
}

// idle says that nothing is left to send, now or later.
func (h *host[T]) idle(checks int32) bool {
	return h.inflight == 0 && !h.untried(checks) && h.nextBack() == farFuture
}

// rewind turns what a first contact tried in vain back into cursor, which costs no memory, where nothing is lost by it.
func (h *host[T]) rewind() {
	x, b := h.rest, h.first
	if h.answered || h.inflight > 0 || x == nil || b == nil || len(x.back) == 0 || len(x.more) > 0 || len(x.suspects) > 0 {
		return
	}
	if int(b.next) != len(x.back) || b.next < b.rewound || b.probed > 0 {
		return
	}
	sends := x.back[0].sends
	for _, en := range x.back {
		if en.of != b || en.sends != sends || en.attempts != 0 || en.free != 0 || en.neutral != 0 || en.given != 1 {
			return
		}
	}
	b.rewound, b.sent, b.next = b.next, sends, 0
	h.rest = nil
}
