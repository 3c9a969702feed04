package check

import (
	"crypto/tls"
	"net/netip"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/redialscan/redial/pkg/hostkey"
	"github.com/redialscan/redial/pkg/requester"
)

// tlsVersions are the versions that a handshake can be held to. SSL 3.0 is none of them: nobody here speaks it any more.
var tlsVersions = map[string]uint16{
	"tls10": tls.VersionTLS10, "tls11": tls.VersionTLS11, "tls12": tls.VersionTLS12, "tls13": tls.VersionTLS13,
}

// sslBlocks reads the ssl section: handshakes, and what is made of the certificates.
func (t *templateReader) sslBlocks(n *yaml.Node, field string) {
	t.list(n, field, func(n *yaml.Node, field string) {
		r := &blockReader{templateReader: t, b: &block{protocol: protocolSSL}}
		q := request{}
		known := fields{
			"id":                 func(n *yaml.Node, field string) { r.b.id, _ = t.text(n, field) },
			"address":            func(n *yaml.Node, field string) { r.readAddress(&q, n, field) },
			"min_version":        func(n *yaml.Node, field string) { q.handshake.MinVersion = t.tlsVersion(n, field) },
			"max_version":        func(n *yaml.Node, field string) { q.handshake.MaxVersion = t.tlsVersion(n, field) },
			"cipher_suites":      func(n *yaml.Node, field string) { q.handshake.CipherSuites = t.cipherSuites(n, field) },
			"scan_mode":          func(n *yaml.Node, field string) { t.oneOf(n, field, "auto", "ctls") },
			"matchers":           r.readMatchers,
			"matchers-condition": func(n *yaml.Node, field string) { r.b.all = t.oneOf(n, field, "or", "and") == "and" },
			"extractors":         r.readExtractors,
		}
		for _, name := range []string{"tls_version_enum", "tls_cipher_enum", "tls_cipher_types"} {
			known[name] = func(n *yaml.Node, field string) { t.unsupported(n, field, name) }
		}
		t.mapping(n, field, known)
		if q.address == nil {
			t.problem(n, field+".address", KindValue, "expected an address such as {{Host}}:{{Port}}")
		}
		r.b.requests = []request{q}
		r.look()
		t.check.blocks = append(t.check.blocks, r.b)
	})
}

func (r *blockReader) readAddress(q *request, n *yaml.Node, field string) {
	if src, ok := r.text(n, field); ok {
		q.address = r.inRequest(n, field, src)
	}
}

func (t *templateReader) tlsVersion(n *yaml.Node, field string) uint16 {
	name := strings.ToLower(n.Value)
	if name == "ssl30" {
		t.unsupported(n, field, "SSL 3.0")
		return 0
	}
	v, ok := tlsVersions[name]
	if !ok {
		t.problem(n, field, KindValue, "expected tls10, tls11, tls12 or tls13, got %s", nature(n))
	}
	return v
}

func (t *templateReader) cipherSuites(n *yaml.Node, field string) []uint16 {
	byName := map[string]uint16{}
	for _, suite := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
		byName[suite.Name] = suite.ID
	}
	var ids []uint16
	t.list(n, field, func(n *yaml.Node, field string) {
		id, ok := byName[n.Value]
		if !ok {
			t.about(n, field, KindUnsupported, "cipher suite", "cipher suite %s is not supported", nature(n))
		}
		ids = append(ids, id)
	})
	return ids
}

// composeHandshake makes the request for a handshake.
func (s *state) composeHandshake(q *request) (*requester.Request, error) {
	address, err := s.expand(q.address)
	if err != nil {
		return nil, err
	}
	host, port, err := splitAddress(address, 0)
	if err != nil {
		return nil, err
	}
	return &requester.Request{Scheme: "https", Host: host, Port: port, Handshake: &q.handshake}, nil
}

// newCertificate is the answer to a handshake.
func newCertificate(req *requester.Request, resp *requester.Response) *answer {
	facts := certificateFacts(resp.Session, req.Host, time.Now())
	facts["port"] = float64(req.Port)
	if _, err := netip.ParseAddr(req.Host); err != nil {
		facts["domain"] = req.Host
	}
	return &answer{req: req, resp: resp, url: hostkey.Join(req.Host, req.Port), body: factsText(facts), facts: facts}
}
