package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// MessageError says what is wrong with a message that was refused.
type MessageError struct {
	Subject string
	Err     error
}

func (e *MessageError) Error() string { return fmt.Sprintf("message on %.100q: %v", e.Subject, e.Err) }

// Unwrap gives the reason.
func (e *MessageError) Unwrap() error { return e.Err }

// decode reads one JSON object that has no unknown fields and nothing behind it, and has it checked.
func decode(data []byte, limit int, into any, check func() error) error {
	if len(data) > limit {
		return fmt.Errorf("%d bytes, expected at most %d", len(data), limit)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON object, expected one")
	}
	return check()
}

func decodeBatch(data []byte, spec *Spec) (Batch, error) {
	var b Batch
	err := decode(data, maxMessage, &b, func() error { return b.check(spec) })
	return b, err
}

func decodeHost(data []byte) (Host, error) {
	var h Host
	err := decode(data, maxPace+2*maxText, &h, func() error { return h.check() })
	return h, err
}

func decodeNotice(data []byte) (notice, error) {
	var n notice
	err := decode(data, maxSpec, &n, func() error { return n.check() })
	return n, err
}

// Refusals counts messages that were refused, and tells of them: of each subject's kind at most once in ten seconds. The
// zero value is ready and silent. It is safe for concurrent use.
type Refusals struct {
	Tell func(format string, args ...any) // nil = nobody

	count atomic.Int64
	mu    sync.Mutex
	told  map[string]time.Time
}

const tellEvery = 10 * time.Second

// Count is the number of messages refused so far.
func (r *Refusals) Count() int64 { return r.count.Load() }

// note counts a refusal of a message of some kind.
func (r *Refusals) note(kind, subject string, err error) {
	r.count.Add(1)
	if r.Tell == nil || !r.due(kind, time.Now()) {
		return
	}
	r.Tell("refused, %v", &MessageError{Subject: subject, Err: err})
}

func (r *Refusals) due(kind string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.told[kind]; ok && now.Sub(last) < tellEvery {
		return false
	}
	if r.told == nil {
		r.told = make(map[string]time.Time)
	}
	r.told[kind] = now
	return true
}
