package requester_test

import (
	"bufio"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// failsafe-go and Polly close the breaker here: a request that was sent before the trip is answered while the probe runs.
func TestAnswerFromBeforeTheTripIsNoProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(t, 1)
		answer := []chan bool{make(chan bool), make(chan bool)}
		c, _ := piped(t, requester.Config{Breaker: b, Timeout: time.Hour, MaxIdle: -1}, func(n int, c net.Conn) {
			readRequest(bufio.NewReader(c))
			if <-answer[n-1] {
				io.WriteString(c, ok200)
			}
		})
		ends := []chan error{make(chan error), make(chan error)}
		send := func(n int) {
			go func() {
				_, err := c.Do(t.Context(), get("/"), nil)
				ends[n] <- err
			}()
			synctest.Wait()
		}
		send(0)
		b.Trip(key, io.EOF)
		<-time.After(hosterrors.DefaultCooldown)
		send(1)
		answer[0] <- true
		if err := <-ends[0]; err != nil || b.State(key) != hosterrors.StateHalfOpen || !b.Quarantined(key) {
			t.Errorf("got %v, then %v; want an answer that leaves the probe its say", err, b.State(key))
		}
		answer[1] <- false
		if err := <-ends[1]; err == nil || b.State(key) != hosterrors.StateOpen {
			t.Errorf("got %v, then %v; want the probe's failure to count", err, b.State(key))
		}
	})
}
