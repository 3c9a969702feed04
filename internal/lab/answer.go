package lab

import (
	"bytes"
	"strconv"
	"sync/atomic"

	"golang.org/x/time/rate"
)

// answer writes what a request gets into its connection and says what comes next.
// It is called from many connections at once.
type answer func(c *conn) next

// newAnswer makes the behaviour of a kind. Kinds that never come as far as a
// request answer as a healthy host.
func newAnswer(s Spec) answer {
	switch s.Kind {
	case Silent:
		return func(*conn) next { return ignore }
	case Mute:
		return func(*conn) next { return hangUp }
	case Resetting:
		return func(*conn) next { return reset }
	case Slow:
		return func(c *conn) next {
			if !c.wait(s.Delay) {
				return hangUp
			}
			return answerPage(c)
		}
	case Firewall:
		return func(c *conn) next {
			if bytes.Contains(c.req.target, []byte(s.Marker)) {
				return reset
			}
			return answerPage(c)
		}
	case Throttling:
		return throttle(s)
	case Unavailable:
		return unavailable(s)
	case OneInFive:
		return oneInFive()
	case Redirecting:
		return answerRedirect
	}
	if a := newBrokenAnswer(s.Kind); a != nil {
		return a
	}
	return answerPage
}

func answerPage(c *conn) next {
	c.write(c.host.site.find(c.req.target))
	return keep
}

// throttle takes s.Rate requests a second and answers 429 above.
func throttle(s Spec) answer {
	bucket := rate.NewLimiter(rate.Limit(s.Rate), max(1, int(s.Rate)))
	refusal := newPage("429 Too Many Requests", html, retryAfter(s.RetryAfter), htmlPage("Too many requests", "Slow down."))
	return func(c *conn) next {
		if bucket.Allow() {
			return answerPage(c)
		}
		c.host.count.refuse()
		c.write(refusal)
		return keep
	}
}

// unavailable answers s.Good requests, refuses s.Bad with 503, and so on.
func unavailable(s Spec) answer {
	var n atomic.Int64
	refusal := newPage("503 Service Unavailable", html, retryAfter(s.RetryAfter), htmlPage("Unavailable", "Come back later."))
	return func(c *conn) next {
		if (n.Add(1)-1)%int64(s.Good+s.Bad) < int64(s.Good) {
			return answerPage(c)
		}
		c.host.count.refuse()
		c.write(refusal)
		return keep
	}
}

func retryAfter(value string) string {
	if value == "" {
		return ""
	}
	return "Retry-After: " + value + "\r\n"
}

// oneInFive closes after its good answers too: a reset on a connection that has
// answered before could pass for an idle one that timed out.
func oneInFive() answer {
	var n atomic.Int64
	return func(c *conn) next {
		if (n.Add(1)-1)%5 != 0 {
			return reset
		}
		c.req.close = true
		return answerPage(c)
	}
}

func answerRedirect(c *conn) next {
	if p := c.host.redirect.Load(); p != nil {
		c.write(p)
		return keep
	}
	c.write(newRedirect(c.host.spec.Code, c.host.redirectBase+string(c.req.target)))
	return keep
}

func newRedirect(code int, location string) *page {
	return newPage(strconv.Itoa(code)+" Redirect", html, "Location: "+location+"\r\n", htmlPage("Moved", "This page has moved."))
}
