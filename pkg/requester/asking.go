package requester

import "time"

// asking is the wire of one exchange, as its buffer reads it: the first read sends the request.
//
// Over a kept-alive connection in the clear the request is written and its answer awaited in one step (see askWait). Its deadline
// is then coarse: it stands for a while and is moved when it has passed before its time, rather than once for each exchange.
type asking struct {
	c        *conn
	client   *Client
	out      []byte // the request; nil once it was sent
	deadline time.Time
	sent     int
	writeErr error
	wait     askWait
}

const (
	// coarseDeadline is how far ahead a coarse deadline is set. It is also how long an answer can be missed that was there before
	// the request: by then one looks.
	coarseDeadline = time.Second
	// coarseLeft is what must be left of it for another exchange.
	coarseLeft = 100 * time.Millisecond
)

// begin prepares the exchange of a request.
func (a *asking) begin(c *conn, out []byte, deadline time.Time, client *Client) {
	a.c, a.out, a.deadline, a.client = c, out, deadline, client
	a.sent, a.writeErr = 0, nil
}

// end lets go of the connection.
func (a *asking) end() { a.c, a.out, a.client = nil, nil, nil }

// Read implements io.Reader.
func (a *asking) Read(p []byte) (int, error) {
	c := a.c
	if out := a.out; out != nil {
		a.out = nil
		if !a.client.permitted() {
			a.writeErr = errWithdrawn
			return 0, errWithdrawn
		}
		if c.coarse {
			n, err, ok := a.wait.do(c.raw, out, p)
			a.sent = a.wait.sent
			if ok && !a.early(err) {
				return n, err
			}
			if out = out[a.sent:]; len(out) > 0 { // more than the system takes at once
				if err := c.arm(a.deadline); err != nil {
					return 0, err
				}
			}
		}
		if len(out) > 0 {
			n, err := c.Write(out)
			a.sent += n
			if a.writeErr = err; err != nil && isTimeout(err) {
				return 0, err
			}
		}
	}
	// A host may answer and close before it has read the whole request: look for the answer before complaining.
	n, err := c.Conn.Read(p)
	if n == 0 && a.early(err) {
		n, err = c.Conn.Read(p)
	}
	return n, err
}

// early says that a coarse deadline has passed, and the exchange's not: that one is in force from now on.
func (a *asking) early(err error) bool {
	return err != nil && a.c.coarse && isTimeout(err) && time.Now().Before(a.deadline) && a.c.arm(a.deadline) == nil
}
