package check

import (
	"encoding/hex"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/redialscan/redial/pkg/check/dsl"
	"github.com/redialscan/redial/pkg/hostkey"
)

// readSize is how many bytes are waited for at the end of a conversation that does not say.
const readSize = 1024

// webPorts are the ports of targets that a tcp check with a port of its own does not mean: the target is named by its website there.
var webPorts = []uint16{80, 443, 8080, 8443, 8081, 53}

// talkText is a conversation over TCP as a template has it.
type talkText struct {
	address *dsl.Text // host:port
	secure  bool
	port    uint16   // where the target's is not meant; 0 = the target's in any case
	exclude []uint16 // ports of targets that are not meant
	inputs  []talkInput
	end     int // bytes that are waited for after the inputs
}

// talkInput is one line of it.
type talkInput struct {
	data *dsl.Text // nil = nothing is said
	hex  bool      // data is in hexadecimal
	read int       // bytes that are waited for after it; 0 = the next input follows at once
	name string    // of what came
}

// tcpReader gathers what the requests of a block are made of.
type tcpReader struct {
	*blockReader
	hosts   []talkText // address and secure alone
	ports   []uint16
	exclude []uint16
	inputs  []talkInput
	end     int
	all     bool
}

// tcpBlocks reads the tcp section: conversations, and what is made of what was heard.
func (t *templateReader) tcpBlocks(n *yaml.Node, field string) {
	if slices.ContainsFunc(t.check.blocks, func(b *block) bool { return b.protocol == protocolTCP }) {
		t.problem(n, field, KindValue, "tcp and network are one section, expected one of them")
		return
	}
	t.list(n, field, func(n *yaml.Node, field string) {
		r := &tcpReader{blockReader: &blockReader{templateReader: t, b: &block{protocol: protocolTCP}}, exclude: webPorts, end: readSize}
		b := r.b
		known := r.common()
		known["host"] = r.readHosts
		known["port"] = func(n *yaml.Node, field string) { r.ports = r.readPorts(n, field) }
		known["exclude-ports"] = func(n *yaml.Node, field string) { r.exclude = r.readPorts(n, field) }
		known["inputs"] = r.readInputs
		known["read-size"] = func(n *yaml.Node, field string) { r.end = t.number(n, field, 1) }
		known["read-all"] = func(n *yaml.Node, field string) { r.all = t.bool(n, field) }
		known["stop-at-first-match"] = func(n *yaml.Node, field string) { b.stop = t.bool(n, field) }
		t.mapping(n, field, known)
		r.finishTCP(n, field)
		t.check.blocks = append(t.check.blocks, b)
	})
}

// common are the fields that tcp and dns blocks have in common with http.
func (r *blockReader) common() fields {
	return fields{
		"id":                 func(n *yaml.Node, field string) { r.b.id, _ = r.text(n, field) },
		"name":               nil,
		"threads":            func(n *yaml.Node, field string) { r.number(n, field, 0) },
		"attack":             func(n *yaml.Node, field string) { r.attack = r.oneOf(n, field, attacks[:]...) },
		"payloads":           func(n *yaml.Node, _ string) { r.payloadFields = n },
		"matchers":           r.readMatchers,
		"matchers-condition": func(n *yaml.Node, field string) { r.b.all = r.oneOf(n, field, "or", "and") == "and" },
		"extractors":         r.readExtractors,
	}
}

func (r *tcpReader) readHosts(n *yaml.Node, field string) {
	r.list(n, field, func(n *yaml.Node, field string) {
		src, ok := r.text(n, field)
		if !ok {
			return
		}
		address, secure := strings.CutPrefix(src, "tls://")
		if scheme, _, other := strings.Cut(address, "://"); other {
			r.unsupported(n, field, scheme+"://")
			return
		}
		r.hosts = append(r.hosts, talkText{address: r.inRequest(n, field, address), secure: secure})
	})
}

// readPorts reads numbers with commas between them.
func (r *tcpReader) readPorts(n *yaml.Node, field string) []uint16 {
	var ports []uint16
	for _, text := range r.texts(n, field, true) {
		port, err := hostkey.Port(text)
		if err != nil {
			r.problem(n, field, KindValue, "expected the numbers of ports, got %s", nature(n))
			return nil
		}
		if !slices.Contains(ports, port) {
			ports = append(ports, port)
		}
	}
	return ports
}

func (r *tcpReader) readInputs(n *yaml.Node, field string) {
	r.list(n, field, func(n *yaml.Node, field string) {
		var input talkInput
		var data *yaml.Node
		r.mapping(n, field, fields{
			"data": func(n *yaml.Node, _ string) { data = n },
			"type": func(n *yaml.Node, field string) { input.hex = r.oneOf(n, field, "text", "hex") == "hex" },
			"read": func(n *yaml.Node, field string) { input.read = r.number(n, field, 0) },
			"name": func(n *yaml.Node, field string) {
				if input.name, _ = r.text(n, field); input.name != "" {
					r.names[input.name] = true
				}
			},
		})
		if src, ok := "", false; data != nil {
			if src, ok = r.text(data, field+".data"); ok && src != "" {
				input.data = r.inRequest(data, field+".data", src)
				if fixed, ok := input.data.Fixed(); ok && input.hex {
					if _, err := unhex(fixed); err != nil {
						r.problem(data, field+".data", KindValue, "expected bytes in hexadecimal, got %s", nature(data))
					}
				}
			}
		}
		r.inputs = append(r.inputs, input)
	})
}

// unhex reads bytes in hexadecimal, which may stand on several lines.
func unhex(text string) ([]byte, error) {
	return hex.DecodeString(strings.Join(strings.Fields(text), ""))
}

// finishTCP makes a request for each port and address.
func (r *tcpReader) finishTCP(n *yaml.Node, field string) {
	if len(r.hosts) == 0 {
		r.problem(n, field+".host", KindValue, "expected an address such as {{Hostname}} or {{Host}}:21")
	}
	if r.all {
		r.end = math.MaxInt
	}
	ports := r.ports
	if len(ports) == 0 {
		ports = []uint16{0}
	}
	for _, port := range ports {
		for _, host := range r.hosts {
			talk := host
			talk.port, talk.exclude, talk.inputs, talk.end = port, r.exclude, r.inputs, r.end
			q := request{talk: &talk, names: slices.Clone(host.address.Names())}
			for _, input := range r.inputs {
				if input.data != nil {
					q.names = append(q.names, input.data.Names()...)
				}
			}
			r.b.requests = append(r.b.requests, q)
		}
	}
	r.finishOther(field)
}

// finishOther is what is left to do for a block that is not of http.
func (r *blockReader) finishOther(field string) {
	if r.payloadFields != nil {
		r.b.payloads = r.readPayloads(r.payloadFields, field+".payloads", r.attack)
	}
	r.look()
}

// splitAddress takes host:port apart; without a port it is the one given, where that is not 0.
func splitAddress(address string, port uint16) (string, uint16, error) {
	host := address
	if _, err := netip.ParseAddr(address); err == nil { // of version 6, without a port
		address = ""
	}
	if at := strings.LastIndexByte(address, ':'); at >= 0 && strings.IndexByte(address[at:], ']') < 0 {
		var err error
		if port, err = hostkey.Port(address[at+1:]); err != nil {
			return "", 0, err
		}
		host = address[:at]
	}
	if port == 0 {
		return "", 0, &addressError{address}
	}
	host, err := hostkey.Host(strings.Trim(host, "[]"))
	return host, port, err
}

// addressError says that an address of a check has no port.
type addressError struct{ address string }

func (e *addressError) Error() string { return "expected host:port, got " + strconv.Quote(e.address) }
