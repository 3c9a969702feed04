package cluster

import (
	"fmt"

	"github.com/nats-io/nats.go"
)

// trouble is why a worker cannot take part: whoever watches the coordinator should learn of it.
type trouble struct {
	Worker string `json:"worker"`
	Error  string `json:"error"`
}

func (t *trouble) check() error {
	if !validID(t.Worker) || len(t.Error) > maxText {
		return fmt.Errorf("trouble of %d bytes of worker %.40q", len(t.Error), t.Worker)
	}
	return nil
}

// complain tells the coordinator of a scan why this worker has no part in it.
func (w *worker) complain(scan string, err error) {
	text := fmt.Sprintf("%.1000s", err)
	_ = w.conn.nc.Publish(names{scan}.troubleSubject(), mustEncode(trouble{Worker: w.cfg.Name, Error: text})) // it is told here, too
	_ = w.conn.nc.FlushTimeout(callTimeout)
}

// hearTrouble logs what workers complain of until the function that it returns is called.
func (c *Coordinator) hearTrouble() (stop func(), err error) {
	sub, err := c.conn.nc.Subscribe(c.names.troubleSubject(), func(m *nats.Msg) {
		var t trouble
		if err := decode(m.Data, 2*maxText, &t, t.check); err != nil {
			c.cfg.Refused.note("trouble", m.Subject, err)
			return
		}
		c.cfg.Log("worker %s cannot take part: %.1000q", t.Worker, t.Error)
	})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", c.names.troubleSubject(), err)
	}
	return func() { _ = sub.Unsubscribe() }, nil
}
