// Package page makes one HTML page of a scan, which a person opens in a browser: findings, coverage, what each host that
// was quarantined did over time, requests and latency over time, and which flags to try.
//
//	events ──> Page.Add ──┬─> findings (the most severe)
//	                      ├─> a track of each host that tripped
//	                      ├─> a curve of requests and latency
//	                      └─> coverage by check ──> Page.Write ──> template
//
// The usual path is [New] and report.NewDocument, as for every other report.
//
// The promise: the page is one file and asks for nothing. What a host sent is text in it and nothing else: the template
// escapes by context, and a policy in the page itself allows the one script and the one style sheet that are part of it,
// by their digests, and nothing more. What is kept in memory is bounded, whatever the number of hosts and findings; where
// something was left out the page says so.
package page
