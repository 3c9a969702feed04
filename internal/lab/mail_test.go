package lab

import (
	"bufio"
	"net"
	"strings"
	"testing"
)

func TestMailHostSpeaks(t *testing.T) {
	l, err := Start(Config{Hosts: []Spec{{Kind: Mail}}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Hosts()[0].Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	lines := bufio.NewScanner(c)
	for _, row := range []struct{ say, want string }{
		{"", "220 lab.test ESMTP"},
		{"ehlo me\r\n", "250-lab.test|250-SIZE 1048576|250 HELP"},
		{"NOOP\n", "250 OK"},
		{strings.Repeat("x", 100) + "\r\n", "502 not known here"},
		{"QUIT\r\n", "221 lab.test closes"},
	} {
		if _, err := c.Write([]byte(row.say)); err != nil {
			t.Fatal(err)
		}
		for want := range strings.SplitSeq(row.want, "|") {
			if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
				t.Fatalf("after %q: got %q, want %q", row.say, lines.Text(), want)
			}
		}
	}
	if lines.Scan() {
		t.Errorf("after QUIT it says %q", lines.Text())
	}
}
