package lab

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// layout is how the hosts of a lab are told apart.
type layout uint8

const (
	manyAddresses layout = iota // an address each, one port
	manyPorts                   // 127.0.0.1, a port each
)

// The /24 blocks from 127.1.0 to 127.254.255 are a lab's to choose from: it
// leaves out 127.0, where everybody else is.
const blocks = 254 * 256

// attempts bounds how often a lab looks for another block when one is taken.
const attempts = 10

// place is an address with what holds it.
type place struct {
	addr     string
	listener *net.TCPListener // nil when the host starts down, or is a hole
	hole     *hole
}

// pickLayout tries whether the system binds more of 127.0.0.0/8 than 127.0.0.1.
func pickLayout() layout {
	l, err := listenTCP("127.254.254.254:0")
	if err != nil {
		return manyPorts
	}
	_ = l.Close()
	return manyAddresses
}

// settleIn finds a place for every host. Labs run side by side in other
// processes, so it takes a random block and proves it free by listening on
// every address, also on those that are to refuse.
func settleIn(specs []Spec, port int, how layout) (places []place, err error) {
	for range attempts {
		if places, err = tryBlock(specs, port, how); err == nil {
			return places, nil
		}
	}
	return nil, err
}

func tryBlock(specs []Spec, port int, how layout) (_ []place, err error) {
	places := make([]place, 0, len(specs))
	defer func() {
		if err != nil {
			leave(places)
		}
	}()
	first := rand.IntN(blocks - maxHosts/254 - 1)
	for i, spec := range specs {
		p := place{addr: addressOf(first, i, port, how)}
		if spec.Kind == BlackHole {
			p.hole, p.addr, err = openHole(p.addr)
		} else if p.listener, err = listenTCP(p.addr); err == nil {
			p.addr = p.listener.Addr().String()
		}
		if err != nil {
			return nil, fmt.Errorf("lab: host %d of %d (%s): %w", i+1, len(specs), spec.Kind, err)
		}
		places = append(places, p)
		if i == 0 && port == 0 && how == manyAddresses {
			port = portOf(p.addr)
		}
	}
	// Only now: a port given up earlier could have become that of a later host.
	for i, spec := range specs {
		if spec.startsDown() {
			_ = places[i].listener.Close()
			places[i].listener = nil
		}
	}
	return places, nil
}

// addressOf gives the address of host i, when the lab starts in the given block.
func addressOf(first, i, port int, how layout) string {
	if how == manyPorts {
		if port != 0 {
			port += i
		}
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	}
	block := first + i/254 // .0 and .255 are left out: they look like a network and its broadcast
	return fmt.Sprintf("127.%d.%d.%d:%d", 1+block/256, block%256, 1+i%254, port)
}

func portOf(addr string) int {
	_, text, _ := net.SplitHostPort(addr)
	port, _ := strconv.Atoi(text) // of an address that a listener gave
	return port
}

// leave gives up what the places hold.
func leave(places []place) {
	for _, p := range places {
		if p.listener != nil {
			_ = p.listener.Close()
		}
		if p.hole != nil {
			p.hole.close()
		}
	}
}

func listenTCP(addr string) (*net.TCPListener, error) {
	at, err := net.ResolveTCPAddr("tcp4", addr) // a literal address: nothing is looked up
	if err != nil {
		return nil, err
	}
	return net.ListenTCP("tcp4", at)
}
