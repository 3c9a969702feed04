// Package batch runs the batches of a scan that is shared out over several processes: it is the [cluster.Runner] of redial,
// between package cluster, which knows nothing of requests, and package scan, which knows nothing of other processes.
//
//	cluster.Batch ──> targets, items left, hosts ──> scan.Scan ──> events ──> cluster.Run.Emit
//	                                                     │
//	           lease ──> permit of each send             └──> hosts, as they are left
//
// Each batch is a small scan of its own that does not linger. What the batches of one process have together is the pace, the
// budget of retries, the checks, and the concurrency, which is shared out by the hosts of those that run.
package batch
