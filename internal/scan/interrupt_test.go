package scan

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// An interrupted scan waits for what is in flight one timeout at most, also for a request that was dialling.
func TestInterruptedScanWaitsOneTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreet(map[string]func(int) string{"slow.test:80": func(int) string { return hush }})
		opt := base()
		opt.Requester.Timeout, opt.Requester.DialTimeout = 4*time.Second, 4*time.Second
		opt.Requester.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			<-time.After(3 * time.Second)
			return s.dial(ctx, network, addr)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		ending, err := scanInto(ctx, t, &book{}, opt, []string{"/"}, "http://slow.test/")
		s.open.Wait()
		if took := time.Since(start); took != 5*time.Second || err == nil || ending.SkippedBy["interrupted"] != 1 {
			t.Errorf("took %v with %v, ending %+v; want 5s, the item skipped", took, err, ending.Summary)
		}
	})
}
