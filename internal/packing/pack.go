package packing

import (
	"cmp"
	"encoding/binary"
	"math/bits"

	"github.com/redialscan/redial/pkg/report"
)

// Packer packs events. The zero value is empty and ready. It is not safe for concurrent use.
type Packer struct {
	buf    []byte
	line   []byte // scratch
	weight int
	places map[int64]int   // of targets, from 1
	last   []report.Result // of each of them
	before int             // place of the last one of all
}

var nothing report.Result

// Add packs an event, and keeps nothing of it but texts. The error is that of [report.AppendEvent], and then nothing was packed.
func (p *Packer) Add(e report.Event) error {
	if len(p.buf) == 0 {
		p.buf = append(p.buf, format)
	}
	if r, ok := e.(*report.Result); ok && plain(r) && p.addResult(r) {
		return nil
	}
	line, err := report.AppendEvent(p.line[:0], e)
	if err != nil {
		return err
	}
	p.line = line
	p.buf = binary.AppendUvarint(append(p.buf, kindLine), uint64(len(line)))
	p.buf = append(p.buf, line...)
	p.weight += baseWeight
	return nil
}

// Len is the number of bytes packed so far.
func (p *Packer) Len() int { return len(p.buf) }

// Weight is about what is packed so far takes in memory when it is unpacked, but for lines, of which it counts the number.
func (p *Packer) Weight() int { return p.weight }

// Take gives what was packed, nil for nothing, and begins anew.
func (p *Packer) Take() []byte {
	buf := p.buf
	*p = Packer{line: p.line[:0], last: p.last[:0], places: p.places}
	clear(p.places)
	return buf
}

// addResult says whether it could be told as it differs from another one.
func (p *Packer) addResult(r *report.Result) bool {
	place := p.places[r.Target]
	base := &nothing
	if from := cmp.Or(place, p.before); from > 0 {
		base = &p.last[from-1]
	}
	was, is := texts(base), texts(r)
	wasNumbers, isNumbers := numbers(base), numbers(r)
	var mask uint64
	if r.Matched {
		mask |= bitMatched
	}
	if r.Failed {
		mask |= bitFailed
	}
	for i := range is {
		if *is[i] == *was[i] {
			continue
		}
		if !plainText(*is[i]) {
			return false
		}
		mask |= 1 << (firstField + i)
	}
	for i := range isNumbers {
		if isNumbers[i] != wasNumbers[i] {
			mask |= 1 << (firstField + textFields + i)
		}
	}
	buf := binary.AppendUvarint(append(p.buf, kindResult), uint64(place))
	if place == 0 {
		buf = binary.AppendUvarint(buf, uint64(r.Target))
	}
	buf = binary.AppendUvarint(buf, mask)
	p.buf = p.appendFields(buf, r, base, mask)
	p.keep(r, place)
	return true
}

func (p *Packer) appendFields(buf []byte, r, base *report.Result, mask uint64) []byte {
	buf = binary.AppendVarint(buf, int64(r.Index)-int64(base.Index))
	buf = binary.AppendVarint(buf, r.Timestamp.Unix()-base.Timestamp.Unix())
	buf = binary.AppendUvarint(buf, uint64(r.Timestamp.Nanosecond()))
	buf = binary.AppendVarint(buf, int64(r.Time))
	p.weight += baseWeight
	is, was := texts(r), texts(base)
	isNumbers, wasNumbers := numbers(r), numbers(base)
	for left := mask >> firstField; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		if i >= textFields {
			i -= textFields
			buf = binary.AppendVarint(buf, isNumbers[i]-wasNumbers[i])
			continue
		}
		text := *is[i]
		same := common(*was[i], text)
		buf = binary.AppendUvarint(buf, uint64(same))
		buf = binary.AppendUvarint(buf, uint64(len(text)-same))
		buf = append(buf, text[same:]...)
		p.weight += len(text)
	}
	return buf
}

// keep makes a result the one that those after it are compared with.
func (p *Packer) keep(r *report.Result, place int) {
	if place > 0 {
		p.last[place-1], p.before = *r, place
		return
	}
	if p.places == nil {
		p.places = make(map[int64]int)
	}
	p.last = append(p.last, *r)
	p.before = len(p.last)
	p.places[r.Target] = p.before
}

// common is the length of what two texts begin with.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
