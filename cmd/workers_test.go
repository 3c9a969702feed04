package cmd

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/redialscan/redial/pkg/cluster"
)

func TestWorkersAreListedInColumns(t *testing.T) {
	now := time.Now()
	batch := func(partition, hosts, targets int, age time.Duration, delivery uint64) cluster.BatchStatus {
		return cluster.BatchStatus{Partition: partition, Hosts: hosts, Targets: targets, Since: now.Add(-age), Delivery: delivery}
	}
	all := []cluster.WorkerStatus{
		{Name: "idle"},
		{Name: "rack1\x1b[2J", Scan: "s1", Slots: 1, Failing: true, Batches: []cluster.BatchStatus{
			batch(3, 1, 1, 1500*time.Millisecond, 1), batch(12, 100, 10_000, 2*time.Hour+3*time.Second, 2),
		}},
	}
	const want = `idle  waits for a scan
rack1\x1b[2J  scan s1, 2 of 1 slot, 101 hosts, 10001 targets
  its last batch could not be run
  partition   hosts  targets      for
          3       1        1       1s
         12     100    10000   2h0m3s  handed out 2 times
`
	got, err := (&workersOptions{}).text(all, now)
	if err != nil || string(got) != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
	if got, err := (&workersOptions{}).text(nil, now); err != nil || string(got) != "no workers\n" {
		t.Errorf("none: got %q, %v", got, err)
	}
}

func TestWorkersAreListedThoughScansAreNot(t *testing.T) {
	server, err := cluster.Embed(cluster.EmbedConfig{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	nc, err := nats.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	// In the place of the list of scans: somebody has made a stream that does not answer as ours does.
	foreign := []byte(`{"name":"KV_redial-scans","subjects":["$KV.redial-scans.>"],"storage":"memory","retention":"limits","num_replicas":1}`)
	m, err := nc.Request("$JS.API.STREAM.CREATE.KV_redial-scans", foreign, 10*time.Second)
	if err != nil || bytes.Contains(m.Data, []byte(`"error"`)) {
		t.Fatalf("%v, %s", err, m.Data)
	}
	var stdout, stderr bytes.Buffer
	status := Run([]string{"workers", "--join", server.URL()}, quietEnv(strings.NewReader(""), &stdout, &stderr))
	if status == StatusOK || stdout.String() != "no workers\n" || !strings.Contains(stderr.String(), "scans") {
		t.Errorf("ends with %d:\n%s%s", status, &stdout, &stderr)
	}
}
