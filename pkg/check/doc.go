// Package check knows what to ask of a target and what to make of the answer.
//
// A check is a template in the format of nuclei. Templates are loaded once, a whole folder at a time, and run on one target after the other:
//
//	set, err := check.Load(ctx, check.LoadOptions{Paths: []string{"templates"}})
//	for _, c := range set.Checks {
//		out, err := c.Run(ctx, check.Job{Target: target, Send: client})
//	}
//
// Everything in a loaded [Check] is understood and compiled. A template with anything else in it is in the set's Refused, with each [Problem]
// by file, line, column and field, and is not run in part. A run sends its requests one after the other through a [Sender], and waits by the
// turn that it is given, so that it holds no worker meanwhile:
//
//	          .-- next request, next payload <--.
//	          v                                 |
//	variables ──> request ──> Sender ──> extractors ──> matchers ──> findings
//	                  ^                      |
//	                  '---- internal values -'
//
// Requests that several checks of a set make in the same way are known by their [Share]; a Sender that is a [Sharer] may answer all of
// them at once.
//
// # What is read
//
//	requests    http with path or raw, unsafe, payloads by all three attacks, redirects, races, conditions over blocks (flow), variables; ssl;
//	            tcp with inputs, ports, payloads and TLS; dns with all types and classes of records, payloads and servers of its own
//	matchers    word, regex, binary, status, size, dsl, xpath
//	extractors  regex, kval, json, xpath, dsl
//
// Headless, code, javascript, file, whois and websocket requests, fuzzing, programs in flow, and all
// that waits for a call from outside are refused by name.
//
// # Other than HTTP
//
// A conversation over tcp goes to the template's port where the target is named by a website (ports 80, 443, 8080, 8443, 8081 and 53, or
// exclude-ports) or by no port at all, and to the target's own where that is another one. What comes after the last input is data, body or
// nothing; raw is all of it, and each input with a name has what came after it. An input that is to be answered and is not ends the
// conversation without a finding. A port that refuses has none either, and is an error of the run only where it is the target's.
//
// A question to DNS servers says nothing of the target, so its checks come first in a [Set], need no scheme and no website, and have
// [Outcome].Heard unset. The reply is raw, body or nothing as text; its sections are question, answer, ns and extra, its code is rcode, and the
// values of its records go by their types, as in cname. An address is asked for in questions of the type PTR only.
//
// # A run
//
// What fails on the way to the target ends the run with a [SendError]; the caller repeats a run as a whole or not at all. A request that
// makes no sense on the target, or that goes elsewhere in vain, is passed over.
//
// # The probe
//
// Where there are no templates the built-in [Probe] runs: one request per target and path, and a [Page] with what a person wants to know of
// the response. The usual path of an item is
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
