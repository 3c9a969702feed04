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
	return hear(c.conn, c.names.troubleSubject(), "trouble", 2*maxText, c.cfg.Refused, func(t trouble, _ *nats.Msg) {
		c.cfg.Log("worker %s cannot take part: %.1000q", t.Worker, t.Error)
	})
}
