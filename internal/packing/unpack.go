package packing

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/redialscan/redial/pkg/report"
)

// Unpack passes on the events that were packed, in their order, until one is bad or is refused, which is the error. A *report.Result
// is lent until pass returns, and is not to be changed. What they take in memory together is at most about twice weight,
// see [Packer.Weight], and what their lines can unfold to.
func Unpack(data []byte, weight int, pass func(report.Event) error) error {
	if len(data) == 0 {
		return nil
	}
	if data[0] != format {
		return fmt.Errorf("events in format %d, expected %d", data[0], format)
	}
	u := unpacker{data: data[1:], room: weight}
	for n := 0; len(u.data) > 0; n++ {
		e, err := u.record()
		if err == nil {
			err = pass(e)
		}
		if err != nil {
			return fmt.Errorf("event %d: %w", n, err)
		}
	}
	return nil
}

var (
	errCutShort = errors.New("it is cut short")
	errNumber   = errors.New("a number that is too large, or longer than it needs to be")
	errWeight   = errors.New("more than may come at once")
)

type unpacker struct {
	data   []byte
	room   int
	last   []report.Result // of each target: the next one is written over it
	before int             // place of the last one of all, from 1
}

func (u *unpacker) record() (report.Event, error) {
	kind := u.data[0]
	u.data = u.data[1:]
	if u.room -= baseWeight; u.room < 0 {
		return nil, errWeight
	}
	switch kind {
	case kindResult:
		return u.result()
	case kindLine:
		return u.line()
	}
	return nil, fmt.Errorf("kind %d, expected %d or %d", kind, kindResult, kindLine)
}

// line reads an event that stands there as a line, and nothing else.
func (u *unpacker) line() (report.Event, error) {
	text, err := u.bytes(report.MaxLine)
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(text, '\n') != len(text)-1 {
		return nil, errors.New("no single line, expected one")
	}
	return report.NewDecoder(bytes.NewReader(text)).Next()
}

func (u *unpacker) result() (*report.Result, error) {
	place, err := u.number()
	if err != nil {
		return nil, err
	}
	if place > uint64(len(u.last)) {
		return nil, fmt.Errorf("target %d of %d before it", place, len(u.last))
	}
	if place > 0 {
		u.before = int(place)
	} else if err := u.another(); err != nil {
		return nil, err
	}
	r := &u.last[u.before-1]
	return r, u.fields(r)
}

// another begins a target, whose first result is like the one before.
func (u *unpacker) another() error {
	target, err := u.number()
	if err != nil || target > math.MaxInt64 {
		return errors.Join(err, errNumber)
	}
	var like report.Result
	if u.before > 0 {
		like = u.last[u.before-1]
	}
	like.Target = int64(target)
	u.last = append(u.last, like)
	u.before = len(u.last)
	return nil
}

// fields reads what differs from the result that stands there.
func (u *unpacker) fields(r *report.Result) error {
	mask, err := u.number()
	if err != nil {
		return err
	}
	if mask > allBits {
		return fmt.Errorf("fields %#x, which there are not", mask)
	}
	r.Matched, r.Failed = mask&bitMatched != 0, mask&bitFailed != 0
	if err := u.moments(r); err != nil {
		return err
	}
	if mask >>= firstField; mask == 0 {
		return nil
	}
	texts, values := texts(r), numbers(r)
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros64(mask)
		if i < textFields {
			*texts[i], err = u.text(*texts[i], r, i)
		} else {
			var by int64
			by, err = u.signed()
			values[i-textFields] += by
		}
		if err != nil {
			return err
		}
	}
	setNumbers(r, &values)
	return nil
}

// moments reads the index and the times.
func (u *unpacker) moments(r *report.Result) error {
	index, err := u.signed()
	if err != nil {
		return err
	}
	seconds, err := u.signed()
	if err != nil {
		return err
	}
	nanos, err := u.number()
	if err != nil {
		return err
	}
	took, err := u.signed()
	if err != nil {
		return err
	}
	at := time.Unix(r.Timestamp.Unix()+seconds, int64(nanos))
	if year := at.UTC().Year(); nanos >= uint64(time.Second) || year < 1 || year > 9999 {
		return errors.New("a time that is none")
	}
	r.Index, r.Timestamp, r.Time = r.Index+int(index), at, report.Duration(took)
	return nil
}

// text reads the text of r at a place, which begins like another one. The path costs nothing where the URL ends in it.
func (u *unpacker) text(was string, r *report.Result, place int) (string, error) {
	same, err := u.number()
	if err != nil {
		return "", err
	}
	rest, err := u.bytes(maxText)
	if err != nil {
		return "", err
	}
	if same > uint64(len(was)) || int(same)+len(rest) > maxText {
		return "", fmt.Errorf("a text of %d old and %d new bytes, expected %d at most, and %d of them old", same, len(rest), maxText, len(was))
	}
	was = was[:same]
	n := len(was) + len(rest)
	if u.room -= n; u.room < 0 {
		return "", errWeight
	}
	text := ""
	if end := r.URL[max(0, len(r.URL)-n):]; place == placePath && strings.HasPrefix(end, was) && end[same:] == string(rest) {
		text = end
	} else {
		text = was + string(rest)
	}
	if !utf8.ValidString(text) {
		return "", errors.New("a text that is no UTF-8")
	}
	return text, nil
}

// number reads a number in its shortest form.
func (u *unpacker) number() (uint64, error) {
	v, n := binary.Uvarint(u.data)
	switch {
	case n == 0:
		return 0, errCutShort
	case n < 0 || n > 1 && u.data[n-1] == 0:
		return 0, errNumber
	}
	u.data = u.data[n:]
	return v, nil
}

func (u *unpacker) signed() (int64, error) {
	v, err := u.number()
	return int64(v>>1) ^ -int64(v&1), err
}

// bytes reads a length and so many bytes.
func (u *unpacker) bytes(most int) ([]byte, error) {
	n, err := u.number()
	if err != nil {
		return nil, err
	}
	if n > uint64(most) || n > uint64(len(u.data)) {
		return nil, errCutShort
	}
	b := u.data[:n]
	u.data = u.data[n:]
	return b, nil
}
