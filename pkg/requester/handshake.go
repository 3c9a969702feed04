package requester

import "crypto/tls"

// Handshake is a TLS handshake that is wanted for itself: nothing is sent after it, and so no certificate has to be trusted. The zero value
// offers what every request offers.
type Handshake struct {
	ServerName             string   // "" = as for every request
	MinVersion, MaxVersion uint16   // as in crypto/tls; 0 = the client's
	CipherSuites           []uint16 // likewise; they have no say in TLS 1.3
}

// apply makes the client's configuration that of the handshake. A session that is resumed shows no certificate of today.
func (h *Handshake) apply(base *tls.Config) *tls.Config {
	own := base.Clone()
	own.ClientSessionCache, own.InsecureSkipVerify = nil, true //nolint:gosec // a bad certificate is what is looked for
	if h.ServerName != "" {
		own.ServerName = h.ServerName
	}
	if h.MinVersion != 0 {
		own.MinVersion = h.MinVersion
	}
	if h.MaxVersion != 0 {
		own.MaxVersion = h.MaxVersion
	}
	if h.CipherSuites != nil {
		own.CipherSuites = h.CipherSuites
	}
	return own
}

// alone is what has a connection of its own and speaks no HTTP over it.
func (s *sending) alone() (*Response, error) {
	if s.req.Talk != nil {
		return s.converse()
	}
	return s.shake()
}

// shake makes the handshake that is all of the request, over a connection of its own.
func (s *sending) shake() (*Response, error) {
	c, _, err := s.reach()
	if err != nil {
		return nil, err
	}
	defer c.shut()
	s.booking.success()
	return &Response{IP: c.ip, TLS: c.tls, Session: s.session, Took: s.took}, nil
}
