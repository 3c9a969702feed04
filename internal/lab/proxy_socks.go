package lab

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
)

// What RFC 1928 and RFC 1929 call these bytes.
const (
	socksVersion     = 5
	socksNoAuth      = 0
	socksPassword    = 2
	socksNoMethod    = 0xff
	socksConnect     = 1
	socksIPv4        = 1
	socksName        = 3
	socksIPv6        = 4
	socksGranted     = 0
	socksNotAllowed  = 2
	socksUnreachable = 4
	socksRefused     = 5
	socksExpired     = 6
	socksNoCommand   = 7
)

var errSOCKS = errors.New("lab: expected SOCKS version 5 with a known address type")

// StartSOCKS5 starts a SOCKS5 proxy for CONNECT, with names resolved by Route alone.
//
// A host that refuses is reply 5, one that times out 6, anything else 4; what
// is neither routed nor loopback is 2.
func StartSOCKS5(cfg ProxyConfig) (*Proxy, error) {
	return newProxy(cfg, "socks5", serveSOCKS5)
}

func serveSOCKS5(p *Proxy) {
	var clients sync.WaitGroup
	defer clients.Wait()
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		if !p.enter(c) {
			return
		}
		clients.Go(func() {
			defer p.leave(c)
			p.socks(c)
		})
	}
}

// socks serves one client. A client that does not follow the protocol is hung up on.
func (p *Proxy) socks(c net.Conn) {
	br := bufio.NewReader(c)
	if ok, err := p.socksGreet(br, c); err != nil || !ok {
		return
	}
	command, host, err := readSOCKSRequest(br)
	if err != nil {
		return
	}
	if command != socksConnect {
		_ = socksReply(c, socksNoCommand)
		return
	}
	if code := p.ask(host); code != 0 {
		_ = socksReply(c, byte(code))
		return
	}
	up, err := p.dial(host)
	if err != nil {
		_ = socksReply(c, socksCode(err))
		return
	}
	defer p.leave(up)
	if err := socksReply(c, socksGranted); err == nil {
		p.tunnel(br, c, up)
	}
}

// socksGreet agrees on a method and checks the password.
func (p *Proxy) socksGreet(br *bufio.Reader, c net.Conn) (bool, error) {
	var head [2]byte
	if _, err := io.ReadFull(br, head[:]); err != nil {
		return false, err
	}
	if head[0] != socksVersion {
		return false, errSOCKS
	}
	methods := make([]byte, head[1])
	if _, err := io.ReadFull(br, methods); err != nil {
		return false, err
	}
	want := byte(socksNoAuth)
	if p.cfg.User != "" {
		want = socksPassword
	}
	offered := false
	for _, m := range methods {
		offered = offered || m == want
	}
	if !offered {
		_, err := c.Write([]byte{socksVersion, socksNoMethod})
		return false, err
	}
	if _, err := c.Write([]byte{socksVersion, want}); err != nil || want == socksNoAuth {
		return true, err
	}
	return p.socksPassword(br, c)
}

func (p *Proxy) socksPassword(br *bufio.Reader, c net.Conn) (bool, error) {
	if _, err := br.ReadByte(); err != nil { // the version of the sub-negotiation
		return false, err
	}
	user, err := readCounted(br)
	if err != nil {
		return false, err
	}
	password, err := readCounted(br)
	if err != nil {
		return false, err
	}
	ok := string(user) == p.cfg.User && string(password) == p.cfg.Password
	status := byte(1)
	if ok {
		status = 0
	}
	_, err = c.Write([]byte{1, status})
	return ok, err
}

// readSOCKSRequest returns the command and the "host:port" that the client asks for.
func readSOCKSRequest(br *bufio.Reader) (command byte, host string, err error) {
	var head [4]byte
	if _, err := io.ReadFull(br, head[:]); err != nil {
		return 0, "", err
	}
	if head[0] != socksVersion {
		return 0, "", errSOCKS
	}
	var name string
	switch head[3] {
	case socksIPv4, socksIPv6:
		ip := make([]byte, map[byte]int{socksIPv4: 4, socksIPv6: 16}[head[3]])
		if _, err := io.ReadFull(br, ip); err != nil {
			return 0, "", err
		}
		addr, _ := netip.AddrFromSlice(ip) // 4 or 16 bytes
		name = addr.String()
	case socksName:
		text, err := readCounted(br)
		if err != nil {
			return 0, "", err
		}
		name = string(text)
	default:
		return 0, "", errSOCKS
	}
	var port [2]byte
	if _, err := io.ReadFull(br, port[:]); err != nil {
		return 0, "", err
	}
	return head[1], net.JoinHostPort(name, strconv.Itoa(int(binary.BigEndian.Uint16(port[:])))), nil
}

// readCounted reads a length of one byte and that many bytes.
func readCounted(br *bufio.Reader) ([]byte, error) {
	n, err := br.ReadByte()
	if err != nil {
		return nil, err
	}
	text := make([]byte, n)
	_, err = io.ReadFull(br, text)
	return text, err
}

// socksReply answers the request; the bound address is left at 0.0.0.0:0, which no client needs.
func socksReply(c net.Conn, code byte) error {
	_, err := c.Write([]byte{socksVersion, code, 0, socksIPv4, 0, 0, 0, 0, 0, 0})
	return err
}

func socksCode(err error) byte {
	switch {
	case errors.Is(err, errNotLoopback):
		return socksNotAllowed
	case errors.Is(err, syscall.ECONNREFUSED):
		return socksRefused
	case isTimeout(err):
		return socksExpired
	}
	return socksUnreachable
}
