// Package target reads lists of what to scan.
//
// A [Reader] takes sources (files, values of flags, standard input) and gives
// one [Target] after another. It streams: it holds one line, the cursor of one
// expansion and the memory of duplicates, however long the input is, and gives
// a target as soon as its line is there.
//
//	sources -> line -> parse -> expand -> exclude -> duplicate? -> Target
//	            |        |     CIDR, range,   |          |
//	         counted  bad line   ports     counted    counted
//
// # What a line may be
//
//	https://user:pw@example.com:8443/path?query   URL, http or https
//	example.com  example.com:8080  example.com/p  host, port, path
//	10.0.0.1  2001:db8::1  [2001:db8::1]:8080     addresses
//	10.0.0.0/24  2001:db8::/120  10.0.0.0/24:8080 CIDR, every address of it
//	10.0.0.1-10.0.0.9  10.0.0.1-9                 range, both ends included
//	# a comment                                   also behind a target and a space
//
// Space around a target, CRLF and a byte order mark are no part of it. Hosts
// are made canonical by package hostkey. A fragment is dropped. A space or a
// control character inside a target makes a bad line, as does an unknown
// scheme, port 0, a line of more than 64 KiB. A CIDR or a range may have up to
// 2^32 addresses.
//
// # Ports
//
// With Config.Ports each target without an explicit port becomes one target per
// port, all ports of a host in a row. A URL that names a scheme and no port is
// expanded too and keeps its scheme, as httpx does it. An explicit port always
// stays alone.
//
// # Duplicates
//
// Two lines are the same when they ask for the same: scheme, canonical host,
// port, userinfo and path. HTTP://A/ and http://a.:80 are one, and so are an
// address and the CIDR that has it; host and http://host are two. A target is
// dropped when it is one of the last 1,048,576 that were given out: exactly,
// up to the chance that two 128-bit hashes are equal. Full, this takes 24 MiB.
//
// # Promise
//
// Nothing that is excluded is ever given out. Nothing is silent: every line is
// counted, and every bad one is reported with its source, number and reason.
package target
