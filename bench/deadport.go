package main

import (
	"errors"
	"fmt"
	"net"
)

// The ports that are looked at: below those that systems give to connections, of which one could meet itself.
const (
	firstDeadPort = 12_000
	lastDeadPort  = 12_999
)

// deadPort finds a port on which nothing listens on loopback, the one from before if that is still so.
func deadPort(before int) (int, error) {
	for port := max(before, firstDeadPort); port <= lastDeadPort; port++ {
		l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		return port, l.Close()
	}
	return 0, errors.New("found no free port")
}
