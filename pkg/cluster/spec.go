package cluster

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// Defaults and bounds of a scan.
const (
	DefaultPartitions = 64
	DefaultAckWait    = 30 * time.Second
	MaxDeliveries     = 5

	protocol  = 2 // 1 told events as lines of JSON
	maxSpec   = 256 << 10
	minAck    = 100 * time.Millisecond
	maxAck    = time.Hour
	sumLength = 64 // of a SHA-256 in hexadecimal
)

// Spec is what every worker of a scan has to know. It holds no inputs and no outputs.
type Spec struct {
	Scan    string   `json:"scan"`            // see [NewScanID]
	Version string   `json:"version"`         // of the program: workers of another one do not take part
	Flags   []string `json:"flags,omitempty"` // the settings of the scan, in the Runner's words
	Items   int      `json:"items"`           // of each target
	// Rate is that of the whole scan in requests per second; 0 = no limit.
	Rate float64 `json:"rate,omitempty"`
	// NoRevisit makes a quarantine final: what it leaves is skipped.
	NoRevisit  bool `json:"no_revisit,omitempty"`
	Partitions int  `json:"partitions"` // 0 = DefaultPartitions, less for a short list
	// AckWait is how long a batch stays with a worker that is not heard of; 0 = DefaultAckWait.
	AckWait report.Duration `json:"ack_wait"`
	// Bundle is what the files of the scan were packed into; filled in by the coordinator.
	Bundle Bundle `json:"bundle,omitzero"`

	Protocol int `json:"protocol"` // filled in by the coordinator
}

// Bundle names a packed set of files by what is in it. The zero value is none.
type Bundle struct {
	Sum  string `json:"sum"` // SHA-256 in hexadecimal
	Size int64  `json:"size"`
	// Piece is what the store calls its only piece, which can be read without it; "" when it has several.
	Piece string `json:"piece,omitempty"`
}

// NewScanID makes an id that no other scan has.
func NewScanID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

func (s *Spec) withDefaults() {
	if s.Partitions == 0 {
		s.Partitions = DefaultPartitions
	}
	if s.AckWait == 0 {
		s.AckWait = report.Duration(DefaultAckWait)
	}
	s.Protocol = protocol
}

func (s *Spec) check() error {
	wait := time.Duration(s.AckWait)
	switch {
	case s.Protocol != protocol:
		return fmt.Errorf("protocol %d, expected %d: coordinator and workers are to be of one version", s.Protocol, protocol)
	case !validID(s.Scan):
		return fmt.Errorf("scan id %.40q, expected 1 to 64 letters, digits and dashes", s.Scan)
	case s.Items < 1 || s.Items > maxItems:
		return fmt.Errorf("%d items of each target, expected 1 to %d", s.Items, maxItems)
	case s.Partitions < 1 || s.Partitions > 1024:
		return fmt.Errorf("%d partitions, expected 1 to 1024", s.Partitions)
	case wait < minAck || wait > maxAck:
		return fmt.Errorf("an ack wait of %s, expected %s to %s", wait, minAck, maxAck)
	case s.Rate < 0 || math.IsNaN(s.Rate) || math.IsInf(s.Rate, 0):
		return fmt.Errorf("a rate of %v, expected requests per second, or 0 for no limit", s.Rate)
	case s.Bundle.Piece != "" && !validID(s.Bundle.Piece):
		return fmt.Errorf("piece %.80q of the bundle, expected letters and digits", s.Bundle.Piece)
	case s.Bundle != Bundle{} && (len(s.Bundle.Sum) != sumLength || !validID(s.Bundle.Sum) || s.Bundle.Size < 0):
		return fmt.Errorf("bundle %.80q of %d bytes, expected a SHA-256 in hexadecimal", s.Bundle.Sum, s.Bundle.Size)
	}
	return nil
}

// The phases of a scan.
const (
	phaseRun   = "run"
	phaseFinal = "final" // only parked hosts are left
	phaseStop  = "stop"  // hand back what you have
)

// notice is what stands of a scan where workers look for work.
type notice struct {
	Spec  Spec   `json:"spec"`
	Phase string `json:"phase"`
	// Bound is above the index of any target that is told of so far.
	Bound int64 `json:"bound"`
}

func (n *notice) check() error {
	if n.Phase != phaseRun && n.Phase != phaseFinal && n.Phase != phaseStop {
		return fmt.Errorf("phase %.40q, expected run, final or stop", n.Phase)
	}
	if n.Bound < 0 || n.Bound > maxTarget {
		return fmt.Errorf("bound %d, expected 0 to %d", n.Bound, int64(maxTarget))
	}
	return n.Spec.check()
}
