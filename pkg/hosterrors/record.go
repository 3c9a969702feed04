package hosterrors

import (
	"sync"
	"sync/atomic"
	"time"
)

// record is one host's machine in shared memory, 64 bytes. What the healthy path has to know stands in one
// atomic word, so that it takes no lock; the rest is guarded by mu, and the word is written under it alone.
type record struct {
	word     atomic.Uint64
	mu       sync.Mutex
	lastErr  error
	openedAt time.Duration
	probeAt  time.Duration
	held     time.Duration
	trips    int32
}

// The layout of a word, from the low end: state 2 bits, gone 1, probing 1, errors 28, generation 32.
const (
	stateMask   = 1<<2 - 1
	goneBit     = 1 << 2
	probingBit  = 1 << 3
	errorsShift = 4
	genShift    = 32
	genMask     = (1<<32 - 1) << genShift
)

// word is the packed part of a machine. A host without a record is the zero word: closed, no errors,
// generation 0.
type word uint64

func (w word) state() State { return State(w & stateMask) }
func (w word) gen() uint32  { return uint32(w >> genShift) }

// gone marks a record that was taken out of the map: whoever still holds it must look again.
func (w word) gone() bool { return w&goneBit != 0 }

// calm: closed and without errors, so a success has nothing to change.
func (w word) calm() bool { return w&^(genMask|goneBit) == 0 }

func (r *record) load() word { return word(r.word.Load()) }

// machineLocked unpacks the machine.
func (r *record) machineLocked() machine {
	w := r.load()
	return machine{
		state:    w.state(),
		probing:  w&probingBit != 0,
		errors:   int32(w >> errorsShift & maxErrorCount),
		trips:    r.trips,
		gen:      w.gen(),
		openedAt: r.openedAt,
		probeAt:  r.probeAt,
		held:     r.held,
	}
}

// storeLocked packs the machine back.
func (r *record) storeLocked(m machine) {
	w := word(m.state) | word(m.errors)<<errorsShift | word(m.gen)<<genShift
	if m.probing {
		w |= probingBit
	}
	r.trips, r.openedAt, r.probeAt, r.held = m.trips, m.openedAt, m.probeAt, m.held
	r.word.Store(uint64(w))
}

// dropLocked marks the record as taken out of the map.
func (r *record) dropLocked() { r.word.Store(r.word.Load() | goneBit) }
