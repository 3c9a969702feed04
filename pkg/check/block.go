package check

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/redialscan/redial/pkg/check/dsl"
	"github.com/redialscan/redial/pkg/requester"
)

// block is one entry of a check's http section: requests, and what is made of their answers.
type block struct {
	protocol string
	label    string // protocol and number among its kind, as in http_1
	id       string
	requests []request
	payloads *payloads // nil = none
	operators

	redirects    int
	sameHost     bool
	maxSize      int // bytes of a body that are looked at; 0 = all
	stop         bool
	noCookies    bool
	unresolvedOK bool // a variable without a value is sent as it is written
	iterateAll   bool // a request is sent for each value that an internal extractor found
	history      bool // an expression looks at an earlier answer by its number
	wholePaths   bool // raw paths are not put below the target's own
	copies       int  // of each request, sent at once; 0 and 1 = it is sent alone
	timed        bool // an expression looks at how long the answer took
}

// request is what one request is made of. Either raw or path is set.
type request struct {
	path    *dsl.Text
	method  string
	headers []headerText
	body    *dsl.Text
	raw     *dsl.Text
	unsafe  bool // raw goes out byte for byte
	once    bool // it is sent with the first of all payloads only

	names []string // variables that it uses
	share Share

	address   *dsl.Text // of a TLS handshake, host:port
	handshake requester.Handshake

	talk *talkText // a conversation over TCP
	ask  *question // a question to DNS servers
}

// varies says that the request may be another each time it is made, on the same target.
func (q *request) varies() bool {
	for _, t := range [...]*dsl.Text{q.path, q.raw, q.body} {
		if t != nil && t.Varies() {
			return true
		}
	}
	return slices.ContainsFunc(q.headers, func(h headerText) bool { return h.value.Varies() })
}

type headerText struct {
	name  string
	value *dsl.Text
}

// blocks reads the http section.
func (t *templateReader) blocks(n *yaml.Node, field string) {
	if slices.ContainsFunc(t.check.blocks, func(b *block) bool { return b.protocol == protocolHTTP }) {
		t.problem(n, field, KindValue, "http and requests are one section, expected one of them")
		return
	}
	if n.Kind != yaml.SequenceNode {
		t.problem(n, field, KindValue, "expected a list of requests, got %s", nature(n))
		return
	}
	t.list(n, field, func(n *yaml.Node, field string) {
		t.check.blocks = append(t.check.blocks, t.block(n, field))
	})
}

// blockReader gathers what is needed to make requests of the fields.
type blockReader struct {
	*templateReader
	b             *block
	method        string
	headers       []headerText
	body          *dsl.Text
	paths         []*dsl.Text
	raws          []request
	unsafe        bool
	race          bool
	follow        bool
	hops          int
	attack        string
	payloadFields *yaml.Node
	idle          *yaml.Node // the first matcher without anything to look for
}

// notNowHTTP are fields of an http block that change what is sent or found in ways that redial does not have.
var notNowHTTP = [...]string{
	"pipeline", "pipeline-concurrent-connections", "pipeline-requests-per-connection", "fuzzing", "analyzer",
	"pre-condition", "digest-username", "digest-password", "signature", "global-matchers", "fuzz-pre-condition",
}

func (t *templateReader) block(n *yaml.Node, field string) *block {
	r := &blockReader{templateReader: t, b: &block{protocol: protocolHTTP}, method: "GET"}
	t.walk(n, field, r.field)
	r.finish(n, field)
	return r.b
}

// field gives the reader of a field of an http block.
func (r *blockReader) field(name string) taker {
	b := r.b
	switch name {
	case "id":
		return func(n *yaml.Node, field string) { b.id, _ = r.text(n, field) }
	case "method":
		return r.readMethod
	case "path":
		return r.readPaths
	case "raw":
		return r.readRaws
	case "headers":
		return r.readHeaders
	case "body":
		return r.readBody
	case "max-redirects":
		return func(n *yaml.Node, field string) { r.hops = r.number(n, field, 0) }
	case "max-size":
		return func(n *yaml.Node, field string) { b.maxSize = r.number(n, field, 1) }
	case "self-contained":
		return r.readSelfContained
	case "race_count":
		return func(n *yaml.Node, field string) { b.copies = r.count(n, field, maxCopies) }
	case "threads":
		return func(n *yaml.Node, field string) { r.number(n, field, 0) }
	case "attack":
		return func(n *yaml.Node, field string) { r.attack = r.oneOf(n, field, attacks[:]...) }
	case "payloads":
		return func(n *yaml.Node, _ string) { r.payloadFields = n }
	case "matchers":
		return r.readMatchers
	case "matchers-condition":
		return func(n *yaml.Node, field string) { b.all = r.oneOf(n, field, "or", "and") == "and" }
	case "extractors":
		return r.readExtractors
	case "name", "cookie-reuse", "read-all", "skip-secret-file":
		return ignored // cookies are used again and bodies read to their end anyway, and there is no file of secrets
	}
	if into := r.flag(name); into != nil {
		return func(n *yaml.Node, field string) { *into = r.bool(n, field) }
	}
	if slices.Contains(notNowHTTP[:], name) {
		return r.refuseUnlessFalse(name)
	}
	return nil
}

// flag is where a field that is true or false is kept.
func (r *blockReader) flag(name string) *bool {
	switch name {
	case "unsafe":
		return &r.unsafe
	case "race":
		return &r.race
	case "redirects":
		return &r.follow
	case "host-redirects":
		return &r.b.sameHost
	case "stop-at-first-match":
		return &r.b.stop
	case "iterate-all":
		return &r.b.iterateAll
	case "disable-cookie":
		return &r.b.noCookies
	case "skip-variables-check":
		return &r.b.unresolvedOK
	case "req-condition":
		return &r.b.history
	case "disable-path-automerge":
		return &r.b.wholePaths
	}
	return nil
}

func (r *blockReader) readMethod(n *yaml.Node, field string) {
	r.method, _ = r.text(n, field)
	if r.method = strings.ToUpper(strings.TrimSpace(r.method)); !isMethod(r.method) {
		r.problem(n, field, KindValue, "expected a method such as GET, got %s", nature(n))
	}
}

func isMethod(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_") == ""
}

func (r *blockReader) readPaths(n *yaml.Node, field string) {
	r.list(n, field, func(n *yaml.Node, field string) {
		if src, ok := r.text(n, field); ok {
			r.paths = append(r.paths, r.inRequest(n, field, src))
		}
	})
}

func (r *blockReader) readRaws(n *yaml.Node, field string) {
	r.list(n, field, func(n *yaml.Node, field string) {
		src, ok := r.text(n, field)
		if !ok {
			return
		}
		var notes rawRequest
		if _, err := notes.annotations(src); err != nil {
			r.about(n, field, KindUnsupported, "annotation of a raw request", "%v", err)
		}
		r.raws = append(r.raws, request{raw: r.inRequest(n, field, withCRLF(src)), once: notes.once})
	})
}

func (r *blockReader) readHeaders(n *yaml.Node, field string) {
	r.each(n, field, func(key, value *yaml.Node, name string) {
		if src, ok := r.text(value, name); ok {
			r.headers = append(r.headers, headerText{key.Value, r.inRequest(value, name, src)})
		}
	})
}

func (r *blockReader) readBody(n *yaml.Node, field string) {
	if src, ok := r.text(n, field); ok {
		r.body = r.inRequest(n, field, src)
	}
}

// finish puts the requests together and looks at what no field shows alone.
func (r *blockReader) finish(n *yaml.Node, field string) {
	b := r.b
	switch {
	case len(r.paths) == 0 && len(r.raws) == 0:
		r.problem(n, field, KindValue, "expected path or raw")
	case len(r.paths) > 0 && len(r.raws) > 0:
		r.problem(n, field, KindValue, "expected path or raw, got both")
	case r.unsafe && len(r.raws) == 0:
		r.problem(n, field, KindValue, "expected raw requests with unsafe")
	}
	for _, path := range r.paths {
		q := request{path: path, method: r.method, headers: r.headers, body: r.body, names: slices.Clone(path.Names())}
		for _, h := range r.headers {
			q.names = append(q.names, h.value.Names()...)
		}
		if r.body != nil {
			q.names = append(q.names, r.body.Names()...)
		}
		b.requests = append(b.requests, q)
	}
	for _, raw := range r.raws {
		raw.unsafe, raw.names = r.unsafe, raw.raw.Names()
		b.requests = append(b.requests, raw)
	}
	if r.follow || b.sameHost {
		if b.redirects = r.hops; b.redirects == 0 {
			b.redirects = DefaultMaxRedirects
		}
	}
	if r.payloadFields != nil {
		b.payloads = r.readPayloads(r.payloadFields, field+".payloads", r.attack)
	}
	if !r.race {
		b.copies = 0
	}
	r.look()
}

// look notes what the matchers and extractors want of the answers.
func (r *blockReader) look() {
	b := r.b
	if r.idle != nil && b.all {
		r.problem(r.idle, "matchers", KindValue, "expected a list of words in each, since all are to match")
	}
	for name := range b.names() {
		b.history = b.history || isNumbered(name)
		b.timed = b.timed || strings.HasPrefix(name, "duration")
	}
}
