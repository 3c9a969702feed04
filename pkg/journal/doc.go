// Package journal reads back the events file of an earlier run.
//
// The usual path is [Replay], which passes the events to a handler of package report as the scan did, so that every report can
// be made later:
//
//	scan.events ──> Replay ──> Multi ──┬─> SARIF
//	                                   └─> page
//
// A scan that was stopped goes on with [Load], which says of each target what is left ([Progress.Left]) and of each host where it
// stood; [Progress.Differences] tells whether it is the same scan, and [Progress.Trim] makes the file ready to be written on.
// An item is finished when the file says how it ended, not when it was sent: what was in flight is sent again.
//
// [LoadMissing] reads what a scan has not done, to be run again by another.
//
// The promise: what can be read is read, in the memory of one event. A line that is broken is named with its number and
// left out; a last line that was cut short, as a kill leaves it, is told apart from that. A file that is no
// events file, or one of a newer format, is refused before anything is passed on.
package journal
