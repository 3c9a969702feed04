package requester

import (
	"context"
	"net"
	"testing"
	"time"
)

// In an outage, a port that was heard in a conversation is asked for a connection alone.
func TestCanaryAsksPortsForAConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := uint16(listener.Addr().(*net.TCPAddr).Port)
	c, err := New(Config{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if !c.sound(context.Background(), origin{"tcp", "127.0.0.1", port}) {
		t.Error("a port that accepts gives no sign of life")
	}
	_ = listener.Close()
	if c.sound(context.Background(), origin{"tcp", "127.0.0.1", port}) {
		t.Error("a port that refuses gives a sign of life")
	}
}
