// Package packing writes events so that they are short and quick to read, for their way from one process to another. What is
// read was written by others: all of it is checked and bounded.
//
//	packed   format byte, records
//	record   1, a result as it differs from another one before it
//	         2, length, any event as its line of an events file
//	result   number of a target seen before (1 = the first) and 0 for another one
//	         with 0: the target
//	         which fields differ, and the flags, as bits
//	         index, time, and the fields that differ
//	text     how much of its beginning stays, length of the rest, the rest
//
// A result differs from the last one of the same target, and the first one of a target from the one before. Results that say
// more than a plain one (matches, credentials, texts that are too long or no UTF-8) go as lines. Numbers are varints.
//
//	Packer.Add ... Packer.Take ──> bytes ──> Unpack ──> events
package packing
