package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/redialscan/redial/pkg/check/dsl"
	"github.com/redialscan/redial/pkg/target"
)

// Check is a template that was loaded: everything in it is understood, and compiled. It does not change and is safe for concurrent use.
type Check struct {
	id       string
	file     string
	info     Info
	blocks   []*block
	flow     flow // nil: one block after the other
	defined  []definition
	stop     bool // at the first block that matches
	alone    bool // see SelfContained
	home     target.Target
	requests int

	payloadFiles []string
	root         string // the folder that was given, or that of the file
}

// definition is one of the variables section.
type definition struct {
	name string
	text *dsl.Text
}

// ID is the check's name among others.
func (c *Check) ID() string { return c.id }

// File is where the check was loaded from.
func (c *Check) File() string { return c.file }

// PayloadFiles are the files that its payloads were read from.
func (c *Check) PayloadFiles() []string { return c.payloadFiles }

// Files are all files that the check was made of, the template first, by their names below root: the folder that was given to [Load], or
// that of a file that was. With them below another root the check is the same.
func (c *Check) Files() (root string, below []string) {
	for _, file := range append([]string{c.file}, c.payloadFiles...) {
		name, err := filepath.Rel(c.root, file)
		if err != nil { // neither can be without the other
			name = filepath.Base(file)
		}
		below = append(below, name)
	}
	return c.root, below
}

// Info is what the check says about itself.
func (c *Check) Info() *Info { return &c.info }

// Protocol is the kind of its requests, of the first where there are several: http, ssl, tcp or dns.
func (c *Check) Protocol() string {
	if len(c.blocks) == 0 {
		return protocolHTTP
	}
	return c.blocks[0].protocol
}

// NeedsScheme says that the target's scheme is to be settled before a run.
func (c *Check) NeedsScheme() bool {
	return slices.ContainsFunc(c.blocks, func(b *block) bool {
		return b.protocol != protocolTCP && b.protocol != protocolDNS || slices.ContainsFunc(b.requests, func(q request) bool {
			return slices.ContainsFunc(q.names, func(name string) bool { return c.ofScheme(name, 0) })
		})
	})
}

// ofScheme says that a variable has no value, or another one, where the scheme is not settled.
func (c *Check) ofScheme(name string, depth int) bool {
	switch name {
	case "BaseURL", "RootURL", "Scheme":
		return true
	}
	return depth < dsl.MaxDepth && slices.ContainsFunc(c.defined, func(d definition) bool {
		return d.name == name && slices.ContainsFunc(d.text.Names(), func(n string) bool { return c.ofScheme(n, depth+1) })
	})
}

// AsksTarget says that a request may go to the target or its host; one of a dns check does not.
func (c *Check) AsksTarget() bool {
	return slices.ContainsFunc(c.blocks, func(b *block) bool { return b.protocol != protocolDNS })
}

// AsksServers says that a run asks the DNS servers of the user or the system.
func (c *Check) AsksServers() bool {
	return slices.ContainsFunc(c.blocks, func(b *block) bool {
		return slices.ContainsFunc(b.requests, func(q request) bool { return q.ask != nil && len(q.ask.servers) == 0 })
	})
}

// Requests is the greatest number of requests that one run sends, redirects and repeats aside.
func (c *Check) Requests() int { return c.requests }

// The protocols of requests.
const (
	protocolHTTP = "http"
	protocolSSL  = "ssl"
	protocolTCP  = "tcp"
	protocolDNS  = "dns"
)

var protocols = [...]string{protocolHTTP, protocolSSL, protocolTCP, protocolDNS}

// notNow are parts of a template that redial does not run.
var notNow = [...]string{
	"headless", "code", "javascript", "file", "websocket", "whois", "workflows", "signature",
}

// source is where a template comes from, and what it may use.
type source struct {
	file string
	root string            // the folder that payload files must be below
	vars map[string]string // given by the user
	read func(file string) // hears of each payload file; nil: nobody asks
}

// parse reads one template. A check that comes with problems is not to be run; it has what could be read of its id and info, and is nil
// when that is nothing.
func parse(text []byte, src source) (*Check, []*Problem) {
	r := &reader{file: src.file}
	doc := r.document(text)
	if doc == nil {
		return nil, r.problems
	}
	c := &Check{file: src.file, root: src.root}
	src.read = func(file string) { c.payloadFiles = append(c.payloadFiles, file) }
	t := &templateReader{reader: r, src: src, check: c}
	t.template(doc)
	return t.check, r.problems
}

// document parses the YAML; a second document in the file is a problem, because it would not be run.
func (r *reader) document(text []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(withoutLastComment(text)))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		r.problem(nil, "", KindNoTemplate, "expected a template, got an empty file")
		return nil
	case err != nil:
		r.problem(nil, "", KindYAML, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
		return nil
	}
	if bytes.Contains(text, []byte("\n---")) || bytes.Contains(text, []byte("\n...")) { // what begins a document, and costs nothing to look for
		if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
			r.problem(nil, "", KindYAML, "expected one document, got several")
			return nil
		}
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		r.problem(&doc, "", KindNoTemplate, "expected a template with id, info and requests")
		return nil
	}
	return doc.Content[0]
}

// withoutLastComment leaves out a comment in the last line: there stands the signature that most templates have, which is long.
func withoutLastComment(text []byte) []byte {
	end := bytes.TrimRight(text, "\r\n")
	if line := bytes.LastIndexByte(end, '\n') + 1; line > 0 && line < len(end) && end[line] == '#' && !bytes.ContainsAny(end[line:], `"'`) {
		return end[:line]
	}
	return text
}

// templateReader reads the parts that belong together.
type templateReader struct {
	*reader
	src   source
	check *Check
	names map[string]bool // that payloads, extractors and the variables section define
	uses  []use

	aloneAt *yaml.Node // where it says that it is self-contained
}

// use is a text of a request with the variables that it needs.
type use struct {
	node  *yaml.Node
	field string
	text  *dsl.Text
}

func (t *templateReader) template(doc *yaml.Node) {
	t.names = map[string]bool{}
	var flowNode *yaml.Node
	t.walk(doc, "", func(name string) taker {
		if name == "flow" {
			return func(n *yaml.Node, _ string) { flowNode = n }
		}
		return t.section(name)
	})
	if !isID(t.check.id) {
		t.problem(doc, "id", KindNoTemplate, "expected letters and digits, with - or _ between them, got %q", t.check.id)
	}
	if t.check.info.Name == "" {
		t.problem(doc, "info", KindNoTemplate, "expected the section info")
	}
	if len(t.check.blocks) == 0 {
		t.problem(doc, "http", KindNoTemplate, "expected requests, got none")
	}
	if len(t.check.blocks) > 0 && !slices.ContainsFunc(t.check.blocks, func(b *block) bool { return b.looks() }) {
		t.problem(doc, "", KindValue, "expected matchers or extractors, got neither")
	}
	if flowNode != nil {
		t.flow(flowNode)
	}
	t.checkVariables()
	t.findHome()
	count := map[string]int{}
	for _, b := range t.check.blocks {
		count[b.protocol]++
		b.label = fmt.Sprintf("%s_%d", b.protocol, count[b.protocol])
		t.check.requests += len(b.requests) * b.payloads.count() * max(1, b.copies)
	}
}

// section gives the reader of a field of the template itself, but for its flow.
func (t *templateReader) section(name string) taker {
	switch name {
	case "id":
		return func(n *yaml.Node, field string) { t.check.id, _ = t.text(n, field) }
	case "info":
		return func(n *yaml.Node, field string) { t.info(n, field, &t.check.info) }
	case "http", "requests":
		return t.blocks
	case "ssl":
		return t.sslBlocks
	case "tcp", "network":
		return t.tcpBlocks
	case "dns":
		return t.dnsBlocks
	case "variables", "constants":
		return t.variables
	case "self-contained":
		return t.readSelfContained
	case "stop-at-first-match":
		return func(n *yaml.Node, field string) { t.check.stop = t.bool(n, field) }
	}
	if slices.Contains(notNow[:], name) {
		return t.refuseUnlessFalse(name)
	}
	return nil
}

// refuseUnlessFalse takes a part that redial does not have only where it says that it is not wanted.
func (t *templateReader) refuseUnlessFalse(name string) taker {
	return func(n *yaml.Node, field string) {
		if n.Kind != yaml.ScalarNode || n.Value != "false" {
			t.unsupported(n, field, name)
		}
	}
}

func isID(id string) bool {
	letter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
	for i := range len(id) {
		if c := id[i]; !letter(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return id != "" && letter(id[0]) && letter(id[len(id)-1])
}
