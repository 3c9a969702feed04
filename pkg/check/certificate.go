package check

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// certificateFacts are what a handshake told, by the names that templates know.
func certificateFacts(state *tls.ConnectionState, host string, now time.Time) map[string]any {
	facts := map[string]any{
		"tls_version": strings.ToLower(strings.NewReplacer(" ", "", "1.0", "10", "1.1", "11", "1.2", "12", "1.3", "13").Replace(tls.VersionName(state.Version))),
		"cipher":      tls.CipherSuiteName(state.CipherSuite), "sni": state.ServerName, "probe_status": true, "tls_connection": "ctls",
	}
	if len(state.PeerCertificates) == 0 {
		return facts
	}
	leaf := state.PeerCertificates[0]
	facts["not_before"], facts["not_after"] = leaf.NotBefore.UTC().Format(time.RFC3339), leaf.NotAfter.UTC().Format(time.RFC3339)
	facts["expired"] = now.After(leaf.NotAfter)
	facts["self_signed"] = bytes.Equal(leaf.RawSubject, leaf.RawIssuer)
	facts["mismatched"] = leaf.VerifyHostname(host) != nil
	facts["untrusted"] = untrusted(state.PeerCertificates, now)
	facts["wildcard_certificate"] = wildcard(leaf)
	facts["subject_dn"], facts["issuer_dn"] = distinguished(leaf.RawSubject, leaf.Subject), distinguished(leaf.RawIssuer, leaf.Issuer)
	facts["subject_cn"], facts["issuer_cn"] = leaf.Subject.CommonName, leaf.Issuer.CommonName
	facts["subject_org"], facts["issuer_org"] = leaf.Subject.Organization, leaf.Issuer.Organization
	facts["subject_an"] = append([]string{}, leaf.DNSNames...)
	facts["serial"] = colons(leaf.SerialNumber.Bytes())
	md, sh1, sh2 := md5.Sum(leaf.Raw), sha1.Sum(leaf.Raw), sha256.Sum256(leaf.Raw)
	facts["fingerprint_hash"] = map[string]string{
		"md5": hex.EncodeToString(md[:]), "sha1": hex.EncodeToString(sh1[:]), "sha256": hex.EncodeToString(sh2[:]),
	}
	return facts
}

// untrusted says that no chain leads to a root that this system trusts.
func untrusted(chain []*x509.Certificate, now time.Time) bool {
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Intermediates: between, CurrentTime: now})
	return err != nil
}

func wildcard(leaf *x509.Certificate) bool {
	for _, name := range append([]string{leaf.Subject.CommonName}, leaf.DNSNames...) {
		if strings.HasPrefix(name, "*.") {
			return true
		}
	}
	return false
}

// colons writes a serial number as certificates are shown: 08:BB:00.
func colons(b []byte) string {
	parts := make([]string, len(b))
	for i := range b {
		parts[i] = fmt.Sprintf("%02X", b[i])
	}
	return strings.Join(parts, ":")
}

// attributes are the short names in distinguished names.
var attributes = map[string]string{
	"2.5.4.3": "CN", "2.5.4.4": "SN", "2.5.4.5": "serialNumber", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.9": "street",
	"2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.17": "postalCode", "2.5.4.42": "GN", "1.2.840.113549.1.9.1": "emailAddress",
	"0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID",
}

// distinguished writes a name with its last part first (RFC 4514), and a space after each comma.
func distinguished(raw []byte, parsed pkix.Name) string {
	var sequence pkix.RDNSequence
	if rest, err := asn1.Unmarshal(raw, &sequence); err != nil || len(rest) > 0 {
		return parsed.String()
	}
	var parts []string
	for i := len(sequence) - 1; i >= 0; i-- {
		for _, attribute := range sequence[i] {
			name := attribute.Type.String()
			if short, ok := attributes[name]; ok {
				name = short
			}
			parts = append(parts, name+"="+fmt.Sprint(attribute.Value))
		}
	}
	return strings.Join(parts, ", ")
}

// factsText is what queries and words look at where no part is named.
func factsText(facts map[string]any) string {
	b, err := json.Marshal(facts)
	if err != nil {
		return ""
	}
	return string(b)
}
