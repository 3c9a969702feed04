package metrics

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

// bounds are the upper ends of the histogram's buckets, in seconds.
var bounds = [...]float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// Scan is what is known of a scan. Make one with [New]. All methods are safe for concurrent use, and none waits for another.
type Scan struct {
	version string
	sample  func() report.Status

	cluster func() Cluster // nil = the scan has no workers

	errors    [classes]atomic.Int64
	responses [6]atomic.Int64 // by the first digit of the status; 0 is any that makes no sense
	buckets   [len(bounds) + 1]atomic.Int64
	took      atomic.Int64 // nanoseconds, of all that are in the buckets
}

// New makes the metrics of a scan, of which sample tells where it stands.
func New(version string, sample func() report.Status) *Scan {
	return &Scan{version: version, sample: sample}
}

// Cluster is where the workers of a scan that is shared out stand.
type Cluster struct {
	Queued, Parked int // batches that workers have or may have, and remainders that wait for their hosts
	Workers        int
	Slots, Running int   // of all workers
	Refused        int64 // messages that made no sense
}

// Share makes the metrics those of a scan that is shared out, whose requests are counted elsewhere. Call it before the
// metrics are served.
func (s *Scan) Share(sample func() Cluster) { s.cluster = sample }

func writeCluster(p *page, c Cluster) {
	p.family("redial_cluster_batches", "gauge", "Batches of hosts, by where they are: with workers or waiting for one, or parked until a host is due.")
	p.sample("redial_cluster_batches", `state="queued"`, float64(c.Queued))
	p.sample("redial_cluster_batches", `state="parked"`, float64(c.Parked))
	p.single("redial_cluster_workers", "gauge", "Workers that were heard of lately.", float64(c.Workers))
	p.single("redial_cluster_slots", "gauge", "Batches that all workers can run at once.", float64(c.Slots))
	p.single("redial_cluster_batches_running", "gauge", "Batches that workers run.", float64(c.Running))
	p.single("redial_cluster_messages_refused_total", "counter", "Messages that made no sense.", float64(c.Refused))
}

// Observe counts one request that is over.
func (s *Scan) Observe(e requester.Exchange) {
	if e.Err != nil {
		s.errors[classOf(e.Err)].Add(1)
		return
	}
	if e.Method != "" && e.Response != nil { // a handshake for itself has no status
		digit := e.Response.Status / 100
		if digit < 1 || digit > 5 {
			digit = 0
		}
		s.responses[digit].Add(1)
	}
	i := 0
	for i < len(bounds) && e.Took.Seconds() > bounds[i] {
		i++
	}
	s.buckets[i].Add(1)
	s.took.Add(int64(e.Took))
}

// page gathers the text format of Prometheus, version 0.0.4.
type page struct{ strings.Builder }

func (p *page) family(name, kind, help string) {
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// sample writes a line. Values of labels are ours, and need no escapes.
func (p *page) sample(name, labels string, value float64) {
	if labels != "" {
		labels = "{" + labels + "}"
	}
	fmt.Fprintf(p, "%s%s %s\n", name, labels, number(value))
}

func (p *page) single(name, kind, help string, value float64) {
	p.family(name, kind, help)
	p.sample(name, "", value)
}

func number(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// WriteTo writes all metrics as they are now, in the text format of Prometheus.
func (s *Scan) WriteTo(w io.Writer) (int64, error) {
	var p page
	p.family("redial_build_info", "gauge", "The version that runs, always 1.")
	p.sample("redial_build_info", fmt.Sprintf("version=%q,go=%q", s.version, runtime.Version()), 1)
	s.writeStatus(&p, s.sample())
	if s.cluster != nil {
		writeCluster(&p, s.cluster())
	} else {
		s.writeRequests(&p)
	}
	writeProcess(&p)
	n, err := io.WriteString(w, p.String())
	return int64(n), err
}

func (s *Scan) writeStatus(p *page, st report.Status) {
	p.single("redial_scan_seconds", "gauge", "Time since the scan began.", st.Elapsed.Seconds())
	p.single("redial_requests_total", "counter", "Requests sent or dialed for, repeats and redirects included.", float64(st.Sent))
	p.family("redial_items_total", "counter", "Items that came to an end.")
	p.sample("redial_items_total", `outcome="done"`, float64(st.Done))
	p.sample("redial_items_total", `outcome="failed"`, float64(st.Failed))
	p.sample("redial_items_total", `outcome="skipped"`, float64(st.Skipped))
	p.single("redial_items_waiting", "gauge", "Items read from the input that have no end yet.", float64(st.Items-st.Finished()))
	reading := 0.0
	if st.Growing {
		reading = 1
	}
	p.single("redial_input_reading", "gauge", "1 while the input may have more targets.", reading)
	p.family("redial_hosts", "gauge", "Hosts read from the input, by the state of their breaker.")
	p.sample("redial_hosts", `state="closed"`, float64(max(0, st.Hosts-st.Open-st.Dead)))
	p.sample("redial_hosts", `state="open"`, float64(st.Open-st.HalfOpen))
	p.sample("redial_hosts", `state="half-open"`, float64(st.HalfOpen))
	p.sample("redial_hosts", `state="dead"`, float64(st.Dead))
}

func (s *Scan) writeRequests(p *page) {
	p.family("redial_request_errors_total", "counter", "Requests that had no answer, by the class of the error.")
	for c := range classes {
		p.sample("redial_request_errors_total", fmt.Sprintf("class=%q", c), float64(s.errors[c].Load()))
	}
	p.family("redial_responses_total", "counter", "Responses, by the first digit of their status.")
	for digit := range s.responses {
		code := strconv.Itoa(digit) + "xx"
		if digit == 0 {
			code = "other"
		}
		p.sample("redial_responses_total", fmt.Sprintf("code=%q", code), float64(s.responses[digit].Load()))
	}
	const name = "redial_request_duration_seconds"
	p.family(name, "histogram", "Time from the begin of the dial to the last byte of an answer.")
	var below int64
	for i := range s.buckets {
		below += s.buckets[i].Load()
		le := math.Inf(1)
		if i < len(bounds) {
			le = bounds[i]
		}
		p.sample(name+"_bucket", fmt.Sprintf("le=%q", number(le)), float64(below))
	}
	p.sample(name+"_sum", "", time.Duration(s.took.Load()).Seconds())
	p.sample(name+"_count", "", float64(below))
}

func writeProcess(p *page) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/sched/goroutines:goroutines"}}
	metrics.Read(samples)
	p.single("go_memory_total_bytes", "gauge", "Memory that the Go runtime has from the system.", float64(samples[0].Value.Uint64()))
	p.single("go_goroutines", "gauge", "Goroutines.", float64(samples[1].Value.Uint64()))
}
