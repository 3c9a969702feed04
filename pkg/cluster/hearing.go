package cluster

import (
	"fmt"

	"github.com/nats-io/nats.go"
)

// spoken is a message that can be checked.
type spoken[T any] interface {
	*T
	check() error
}

// hear passes on the messages of a subject until the function that it returns is called. Those that make no sense are refused.
func hear[T any, P spoken[T]](c *Conn, subject, kind string, limit int, refused *Refusals, take func(T, *nats.Msg)) (stop func(), err error) {
	sub, err := c.nc.Subscribe(subject, func(m *nats.Msg) {
		var said T
		if err := decode(m.Data, limit, &said, P(&said).check); err != nil {
			refused.note(kind, m.Subject, err)
			return
		}
		take(said, m)
	})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", subject, err)
	}
	return func() { _ = sub.Unsubscribe() }, nil
}
