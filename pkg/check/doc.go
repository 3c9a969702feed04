// Package check knows what to ask of a target and what to make of the answer.
//
// Its one check so far is the built-in [Probe]: one request per target and path, and a [Page] with what a person wants to know of the
// response. The usual path of an item is
//
//	request, err := probe.Request(target, i)      // i from 0 to probe.Len()-1
//	response, err := client.Do(ctx, request, turn)
//	page := check.ReadPage(response)
//	finding := probe.Match(&page, response)
//
// A Probe is made once per scan from the values of flags, and everything that can be wrong with those is found then: a wrong value is a
// [FlagError], a wrong line in a list of paths a [ListError].
//
// # Paths
//
// Without paths a probe asks for what the target names, "/" when it names nothing. With paths it asks for each of them below the
// target's own path, as httpx does, so that a scan of an application that does not live at the root needs no other list:
//
//	target               path     request
//	http://h             /admin   /admin
//	http://h/app         /admin   /app/admin
//	http://h/app/        /        /app/
//	http://h/app?k=1     /admin   /app/admin?k=1
//	http://h/app?k=1     /a?x=2   /app/a?k=1&x=2
//
// The two are joined with exactly one slash and are otherwise sent as written: nothing is cleaned or guessed, "/a/../b" and "//a" arrive
// as that. (httpx takes a path that begins with the target's for a whole one; here /a and /admin give /a/admin.)
//
// # Promise
//
// Whatever a host sends, reading it takes time and memory in proportion to the body's length at most, and a title is valid UTF-8 of at
// most [MaxTitle] characters. It may hold control characters: to show it on a terminal is a matter of package report.
package check
