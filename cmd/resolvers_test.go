package cmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestResolverValues(t *testing.T) {
	write := func(name, text string) string {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	list := write("resolvers.txt", "\ufeff# ours\r\n192.0.2.1\r\n\n  192.0.2.2:5353 # the other one\n::1\n")
	for _, c := range []struct {
		values []string
		want   string // or, after a "!", what the error says
	}{
		{nil, ""},
		{[]string{"192.0.2.1", " 192.0.2.1:54"}, "192.0.2.1:53 192.0.2.1:54"},
		{[]string{"2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:54"}, "[2001:db8::1]:53 [2001:db8::1]:53 [2001:db8::1]:54"},
		{[]string{list, "192.0.2.3"}, "192.0.2.1:53 192.0.2.2:5353 [::1]:53 192.0.2.3:53"},
		{[]string{"192.0.2.1:0"}, `!"192.0.2.1:0", expected an address`},
		{[]string{"192.0.2.1:99999"}, `!"192.0.2.1:99999", expected an address`},
		{[]string{"missing.txt"}, `!"missing.txt", expected an address such as 192.0.2.53 or 192.0.2.53:5353, or a file`},
		{[]string{t.TempDir()}, "!or a file with one a line"},
		{[]string{""}, `!"", expected an address`},
		{[]string{write("empty.txt", "# none\n")}, "!empty.txt has no address in it"},
		{[]string{write("bad.txt", "192.0.2.1\n\ndns.example\n")}, `!bad.txt:3: "dns.example", expected an address`},
	} {
		got, err := resolverAddrs(c.values)
		if want, bad := strings.CutPrefix(c.want, "!"); bad {
			if err == nil || !strings.HasPrefix(err.Error(), "--resolvers: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v, want an error that says %q", c.values, err, want)
			}
		} else if err != nil || !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: got %q, %v; want %q", c.values, got, err, want)
		}
	}
}
