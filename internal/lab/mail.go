package lab

import (
	"bytes"
	"strings"
)

// mail speaks as a mail server does: it greets, and answers each line, until QUIT. No line counts as a request.
func (c *conn) mail() {
	c.out = append(c.out, "220 lab.test ESMTP redial-lab 2.4\r\n"...)
	for c.flush() {
		line, err := c.br.ReadSlice('\n')
		if err != nil {
			return
		}
		verb, _, _ := strings.Cut(strings.ToUpper(string(bytes.TrimSpace(line))), " ")
		switch verb {
		case "HELO":
			c.out = append(c.out, "250 lab.test\r\n"...)
		case "EHLO":
			c.out = append(c.out, "250-lab.test\r\n250-SIZE 1048576\r\n250 HELP\r\n"...)
		case "NOOP", "RSET":
			c.out = append(c.out, "250 OK\r\n"...)
		case "HELP":
			c.out = append(c.out, "214 HELO EHLO NOOP RSET HELP QUIT\r\n"...)
		case "QUIT":
			c.out = append(c.out, "221 lab.test closes\r\n"...)
			_ = c.flush()
			c.finish()
			return
		default:
			c.out = append(c.out, "502 not known here\r\n"...)
		}
	}
}
