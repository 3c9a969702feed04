// Package capture shows and keeps what went over the wire: [Printer] writes requests and responses for people,
// [Store] keeps responses as files.
//
// Both take the exchanges of a requester, from several goroutines at once. The promise of the printer: no escape
// sequence of a host reaches the terminal, no secret in a field of a head is shown, and no message takes more than
// [MaxShown] bytes. That of the store: nothing is written outside its folder, whatever a host is called, and it takes no
// more than its limits.
package capture
