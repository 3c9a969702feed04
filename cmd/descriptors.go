package cmd

// load is what takes descriptors: a worker, a dial and an idle connection one each.
type load struct{ concurrency, dials, idle int }

// fit lowers a load to what so many open files allow; 0 = they are not limited. Some are left for outputs, names and
// whatever the system opens. Workers come first, up to half of the rest, because they are what makes a scan fast.
func fit(files int, l load) load {
	if files == 0 {
		return l
	}
	room := files - min(32, files/4)
	l.concurrency = min(l.concurrency, max(1, room/2))
	rest := room - l.concurrency
	l.dials = min(l.dials, max(1, rest/2))
	l.idle = min(l.idle, max(1, rest-l.dials))
	return l
}
