package lab

import (
	"bytes"
	"compress/gzip"
	"sync"
)

// bombSize is what the gzip bomb unpacks to.
const bombSize = 64 << 20

// newBrokenAnswer makes the behaviour of the kinds whose answers are no proper
// HTTP, or more than a client can want; nil for all others.
func newBrokenAnswer(kind Kind) answer {
	switch kind {
	case Garbage:
		return func(c *conn) next {
			c.out = append(c.out, "\x00\x17\xfe#! nobody speaks this \x9c\r\nor this\r\n\r\n"...)
			return hangUp
		}
	case CutBody:
		return func(c *conn) next {
			writeHalf(c)
			return hangUp
		}
	case StalledBody:
		return func(c *conn) next {
			writeHalf(c)
			if !c.flush() {
				return hangUp
			}
			return ignore // the next read tells when the client has had enough
		}
	case LyingLength:
		return func(c *conn) next {
			c.write(c.host.site.find(c.req.target))
			if !c.req.isHead {
				c.out = append(c.out, "and these bytes come after the end\r\n"...)
			}
			return keep
		}
	case EndlessBody:
		return answerEndless
	case GzipBomb:
		return gzipBomb()
	}
	return nil
}

// writeHalf announces the page and writes half of its body.
func writeHalf(c *conn) {
	c.write(c.host.site.find(c.req.target))
	if !c.req.isHead {
		c.out = c.out[:len(c.out)-len(c.host.site.find(c.req.target).body)/2]
	}
}

// answerEndless sends chunks until the client or the host has gone.
func answerEndless(c *conn) next {
	c.out = append(c.out, "HTTP/1.1 200 OK\r\nServer: redial-lab\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"...)
	if c.req.isHead {
		return keep
	}
	chunk := append([]byte("1000\r\n"), bytes.Repeat([]byte("and so on, and so on, and so on\n"), 128)...)
	chunk = append(chunk, "\r\n"...)
	for c.flush() {
		c.out = append(c.out, chunk...)
	}
	return hangUp
}

// gzipBomb packs its body at the first request that wants it.
func gzipBomb() answer {
	bomb := sync.OnceValue(func() *page {
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // the level is a valid one
		zeros := make([]byte, 1<<20)
		for range bombSize / len(zeros) {
			_, _ = w.Write(zeros) // into memory: cannot fail
		}
		_ = w.Close()
		return newPage("200 OK", html, "Content-Encoding: gzip\r\n", packed.String())
	})
	return func(c *conn) next {
		c.write(bomb())
		return keep
	}
}
