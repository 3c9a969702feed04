package target

// expansion is the cursor into the targets that one line stands for: each
// address in turn, and each port of it. It has the size of a line and not of
// what the line stands for. The zero value stands for nothing.
type expansion struct {
	base      Target // what the targets share; Host is that of the ports left
	addresses span   // still to come
	ports     []uint16
	left      []uint16 // ports of base.Host still to come
	ready     bool     // base itself is still to come
}

// start takes a parsed line: a target, or what its addresses share.
func (e *expansion) start(t *Target, addresses span, ports []uint16) {
	if t.Port != 0 {
		ports = nil
	}
	e.base, e.addresses, e.ports = *t, addresses, ports
	if addresses.empty() {
		e.begin()
	}
}

// begin makes base.Host the host whose ports come next.
func (e *expansion) begin() {
	e.left = e.ports
	e.ready = len(e.ports) == 0
}

// next gives the next target. Addresses that are excluded altogether are passed
// over in one step; skipped is the number of targets that this left out.
func (e *expansion) next(exclude *Exclusion) (t Target, skipped uint64, ok bool) {
	for {
		if e.ready {
			e.ready = false
			return e.base, skipped, true
		}
		if len(e.left) > 0 {
			t = e.base
			t.Port = e.left[0]
			e.left = e.left[1:]
			return t, skipped, true
		}
		if e.addresses.empty() {
			return Target{}, skipped, false
		}
		addr := e.addresses.first
		if last, ok := exclude.excludedUpTo(addr); ok {
			gone := span{first: addr, last: e.addresses.last}
			if last.Less(gone.last) {
				gone.last = last
			}
			skipped += gone.count() * uint64(max(1, len(e.ports)))
			e.addresses = e.addresses.after(gone.last)
			continue
		}
		e.addresses = e.addresses.after(addr)
		e.base.Host = addr.String()
		e.base.Input = e.base.Host
		e.begin()
	}
}
