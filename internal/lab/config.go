package lab

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Defaults of the fields of a Spec that are zero.
const (
	DefaultDelay  = time.Second
	DefaultRate   = 20.0
	DefaultMarker = "/poison"
	// DefaultGood and DefaultBad are the lengths of the bursts of an Unavailable host.
	DefaultGood = 10
	DefaultBad  = 10
)

// maxHosts keeps a lab inside its part of 127.0.0.0/8 and far below any sane descriptor limit.
const maxHosts = 16384

// Config says which hosts a lab has. The zero value is an empty lab.
type Config struct {
	// Counts has the number of hosts of each kind, with the defaults of Spec.
	// They are listed in the order of Kinds.
	Counts map[Kind]int
	// Hosts are further ones with settings of their own, listed after those of Counts.
	Hosts []Spec
	// Port is that of all hosts; 0 takes a free one. On a system with one loopback
	// address it is the port of the first host, and the others follow it.
	Port int
	// FlakyDown is how long the Flaky hosts of Counts are down at the start;
	// 0 keeps them down until Up is called.
	FlakyDown time.Duration
	// Delay is that of the Slow hosts of Counts; 0 is DefaultDelay.
	Delay time.Duration
	// Rate is that of the Throttling hosts of Counts; 0 is DefaultRate.
	Rate float64
	// RetryAfter is sent by the Throttling and Unavailable hosts of Counts; "" sends none.
	RetryAfter string
	// Seed shuffles what WriteList writes; 0 keeps the order of Hosts.
	Seed uint64
	// RecordTimes keeps the moment of every request, 8 bytes each, for Host.Times.
	RecordTimes bool
	// RecordPaths counts the requests of each path, for Host.Paths.
	RecordPaths bool
	// RecordRaw keeps the bytes of the last so many requests of each host, for Host.Raw.
	RecordRaw int
}

// Spec describes one host. Fields that its kind does not use are ignored.
type Spec struct {
	Kind Kind
	// Schedule of a Flaky host: how long it is down, then up, then down, and so on,
	// from the start of the lab; it keeps the state that follows the last entry.
	// A first entry of 0 starts it up. Empty: down until Up is called.
	Schedule []time.Duration
	// Delay before each answer of a Slow host; 0 is DefaultDelay.
	Delay time.Duration
	// Rate is the number of requests a second that a Throttling host takes, and
	// those of one second are its burst; 0 is DefaultRate.
	Rate float64
	// RetryAfter is the value of that header in a 429 or 503, as it stands; "" sends none.
	RetryAfter string
	// Good and Bad are the numbers of requests that an Unavailable host answers,
	// and then does not, in turn; 0 is DefaultGood or DefaultBad.
	Good, Bad int
	// Marker is what a Firewall host does not let pass; "" is DefaultMarker.
	Marker string
	// Location and Code are where a Redirecting host sends its clients, and how.
	// "" is the path of the request on the first healthy host of the lab, or on
	// itself, which is a loop, when there is none; 0 is 302.
	Location string
	Code     int
	// ClientCert makes a host of a TLS kind demand a certificate, any, of its client.
	ClientCert bool
}

// specs lists every host of the lab in order, with defaults filled in.
func (c Config) specs() ([]Spec, error) {
	if c.Port < 0 || c.Port > 65535 {
		return nil, fmt.Errorf("lab: port %d: expected 0 to 65535", c.Port)
	}
	if c.FlakyDown < 0 || c.Delay < 0 {
		return nil, fmt.Errorf("lab: flaky-down %v, delay %v: expected 0 or more", c.FlakyDown, c.Delay)
	}
	known := Kinds()
	for _, kind := range slices.Sorted(maps.Keys(c.Counts)) {
		if !slices.Contains(known, kind) {
			return nil, fmt.Errorf("lab: kind %q is not known: expected one of %v", kind, known)
		}
		if n := c.Counts[kind]; n < 0 || n > maxHosts {
			return nil, fmt.Errorf("lab: %d %s hosts: expected 0 to %d", n, kind, maxHosts)
		}
	}
	var all []Spec
	for _, kind := range known {
		s := Spec{Kind: kind, Delay: c.Delay, Rate: c.Rate, RetryAfter: c.RetryAfter}
		if c.FlakyDown > 0 {
			s.Schedule = []time.Duration{c.FlakyDown}
		}
		all = append(all, slices.Repeat([]Spec{s}, c.Counts[kind])...)
	}
	all = append(all, c.Hosts...)
	if len(all) > maxHosts {
		return nil, fmt.Errorf("lab: %d hosts: expected at most %d", len(all), maxHosts)
	}
	for i := range all {
		if !slices.Contains(known, all[i].Kind) {
			return nil, fmt.Errorf("lab: kind %q is not known: expected one of %v", all[i].Kind, known)
		}
		if err := all[i].settle(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// settle fills in the defaults and refuses what makes no sense.
func (s *Spec) settle() error {
	if s.Delay == 0 {
		s.Delay = DefaultDelay
	}
	if s.Rate == 0 {
		s.Rate = DefaultRate
	}
	if s.Good == 0 {
		s.Good = DefaultGood
	}
	if s.Bad == 0 {
		s.Bad = DefaultBad
	}
	if s.Marker == "" {
		s.Marker = DefaultMarker
	}
	if s.Code == 0 {
		s.Code = 302
	}
	if s.Delay < 0 || !(s.Rate > 0) || s.Good < 0 || s.Bad < 0 {
		return fmt.Errorf("lab: %s host with delay %v, rate %v, good %d, bad %d: expected no negative one",
			s.Kind, s.Delay, s.Rate, s.Good, s.Bad)
	}
	if s.Code < 300 || s.Code > 399 {
		return fmt.Errorf("lab: redirect code %d: expected 300 to 399", s.Code)
	}
	if s.Kind != Flaky {
		s.Schedule = nil
	}
	for _, d := range s.Schedule {
		if d < 0 {
			return fmt.Errorf("lab: schedule %v: expected no negative time", s.Schedule)
		}
	}
	return nil
}
