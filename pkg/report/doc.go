// Package report carries what happens in a scan from the many goroutines that
// make it happen to the one that writes it down.
//
// Everything worth telling is an [Event]: an item that finished, a target that
// was left out, a host that changed its state. The usual path is [Run], which
// owns the way from the scan to the handlers:
//
//	scan ──emit──┐
//	scan ──emit──┼──> batch ──> one goroutine ──> Multi ──┬─> Text    (standard output, -o)
//	scan ──emit──┘   (bounded)                            ├─> JSONL   (standard output, -o)
//	                                                      ├─> Journal (the events file)
//	                                                      └─> Tally   (numbers of the summary)
//
// The promise: no event that was emitted is lost. A full batch makes emit wait,
// what is written is flushed at least each [FlushEvery], everything is flushed when the
// scan ends, however it ends, and an output that fails is remembered and named
// while the others go on.
//
// Results (one line for each finding, as text or as JSONL) are made for people and
// for jq. The events file is the lossless form: every event, one JSON object
// a line, with a type. A [Decoder] reads it back.
//
// The other reports ([SARIF], [JUnit], [Markdown], [CSV], [Annotations]) are handlers like these, so that they are made
// beside a scan or later from its events, and are the same. Each goes to a [WholeFile]: it is there whole or not
// at all, and it is there when nothing was found. What they keep in memory is bounded: the most severe findings, where
// a format has room for so many only.
//
// What comes from a scanned host is hostile until shown otherwise. Text passes
// through [Sanitize], and JSON escapes every rune that could steer a terminal.
package report
