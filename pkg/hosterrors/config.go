package hosterrors

import (
	"fmt"
	"time"
)

// Defaults of the zero fields of Config.
const (
	DefaultMaxHostsCount = 10000
	DefaultCooldown      = 30 * time.Second
	DefaultMaxCooldown   = 5 * time.Minute
	DefaultMaxTrips      = 5
	// DefaultProbeTTL is twice the default request timeout of 15 s. Callers with another timeout pass twice
	// their own, so that a probe is only given up when its request must long be over.
	DefaultProbeTTL = 30 * time.Second
)

// Config says how soon a host is quarantined and how it is called back. The zero value is not valid:
// MaxHostError must be set. All other zero fields take their defaults.
type Config struct {
	// MaxHostError is the number of host errors in a row that opens a host. More than 0.
	MaxHostError int
	// MaxHostsCount bounds the counters kept for hosts that have errors but never tripped. 0 is
	// DefaultMaxHostsCount. Beyond it the least useful counters are forgotten, so those hosts start from 0.
	MaxHostsCount int
	// TrackError are further substrings of an error's text that make it a host error.
	TrackError []string
	// Cooldown is how long a host stays open after it tripped. 0 is DefaultCooldown, or MaxCooldown if
	// that is set and shorter.
	Cooldown time.Duration
	// MaxCooldown is what the cooldown, doubled by each failed probe, never exceeds. 0 is
	// DefaultMaxCooldown, or Cooldown if that is longer.
	MaxCooldown time.Duration
	// MaxTrips is how many probes in a row may fail before the host is dead. 0 is DefaultMaxTrips, a
	// negative number means never.
	MaxTrips int
	// ProbeTTL is how long a probe may be silent before another takes its place. 0 is DefaultProbeTTL.
	ProbeTTL time.Duration
	// UndoWindow is how far back Undo reaches; 0 switches it off. Within it each host error since the first
	// success costs about 200 bytes, for at most 131,072 of them.
	UndoWindow time.Duration
	// Now is the clock; nil is time.Now. It is called with a host's lock held and must not call the breaker.
	Now func() time.Time
	// Log takes a line for each transition and, after SetVerbose(true), for each counted error; nil logs
	// nothing. It is called outside all locks, by several goroutines at a time.
	Log func(format string, args ...any)
}

// policy is a validated Config in the form that one host's state machine reads.
type policy struct {
	maxTrips    int
	cooldown    time.Duration
	maxCooldown time.Duration
	probeTTL    time.Duration
}

// withDefaults fills the zero fields. A default gives way to an explicit neighbour; two explicit values that
// contradict each other are left for validate to refuse.
func (cfg Config) withDefaults() Config {
	if cfg.MaxHostsCount == 0 {
		cfg.MaxHostsCount = DefaultMaxHostsCount
	}
	if cfg.Cooldown == 0 {
		cfg.Cooldown = DefaultCooldown
		if cfg.MaxCooldown > 0 {
			cfg.Cooldown = min(DefaultCooldown, cfg.MaxCooldown)
		}
	}
	if cfg.MaxCooldown == 0 {
		cfg.MaxCooldown = max(DefaultMaxCooldown, cfg.Cooldown)
	}
	if cfg.MaxTrips == 0 {
		cfg.MaxTrips = DefaultMaxTrips
	}
	if cfg.ProbeTTL == 0 {
		cfg.ProbeTTL = DefaultProbeTTL
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return cfg
}

// validate reports the first field that makes no sense, by name.
func (cfg Config) validate() error {
	switch {
	case cfg.MaxHostError <= 0:
		return fmt.Errorf("hosterrors: MaxHostError is %d, want more than 0", cfg.MaxHostError)
	case cfg.MaxHostsCount < 0:
		return fmt.Errorf("hosterrors: MaxHostsCount is %d, want more than 0, or 0 for %d", cfg.MaxHostsCount, DefaultMaxHostsCount)
	case cfg.Cooldown < 0:
		return fmt.Errorf("hosterrors: Cooldown is %v, want more than 0, or 0 for %v", cfg.Cooldown, DefaultCooldown)
	case cfg.MaxCooldown < 0:
		return fmt.Errorf("hosterrors: MaxCooldown is %v, want more than 0, or 0 for %v", cfg.MaxCooldown, DefaultMaxCooldown)
	case cfg.MaxCooldown < cfg.Cooldown:
		return fmt.Errorf("hosterrors: MaxCooldown is %v, want at least the Cooldown of %v", cfg.MaxCooldown, cfg.Cooldown)
	case cfg.ProbeTTL < 0:
		return fmt.Errorf("hosterrors: ProbeTTL is %v, want more than 0, or 0 for %v", cfg.ProbeTTL, DefaultProbeTTL)
	case cfg.UndoWindow < 0:
		return fmt.Errorf("hosterrors: UndoWindow is %v, want more than 0, or 0 for none", cfg.UndoWindow)
	}
	for i, text := range cfg.TrackError {
		if text == "" {
			return fmt.Errorf("hosterrors: TrackError[%d] is empty, which every error contains", i)
		}
	}
	return nil
}

func (cfg Config) policy() policy {
	return policy{
		maxTrips:    cfg.MaxTrips,
		cooldown:    cfg.Cooldown,
		maxCooldown: cfg.MaxCooldown,
		probeTTL:    cfg.ProbeTTL,
	}
}
