// Package hostkey turns the many ways of writing a host into one.
//
// The breaker, the gate of a host and the list of targets all count per host,
// so all of them must agree on when two hosts are the same. The key is the
// canonical host and the explicit port of a URL:
//
//	https://Example.COM./login   example.com:443
//	http://user@example.com      example.com:80
//	http://bücher.example:8080   xn--bcher-kva.example:8080
//	http://[FE80::1%25eth0]/     [fe80::1%eth0]:80
//
// Scheme, method, path and userinfo play no part, nor does the address that a
// name resolves to, nor a proxy on the way.
//
// [Split] takes an authority as written apart, [Host] makes its host canonical
// and [Join] builds the key; [FromURL] is the three in a row. All of them are
// pure functions, safe for concurrent use. A host that is canonical already
// costs no allocation.
package hostkey
