package cmd

import (
	"bufio"
	"net/netip"
	"os"
	"strings"
)

const wantResolver = "expected an address such as 192.0.2.53 or 192.0.2.53:5353, or a file with one a line"

// resolverAddrs turns the values of --resolvers into address:port. A value that is no address names a file of them.
func resolverAddrs(values []string) ([]string, error) {
	var all []string
	for _, given := range values {
		value := strings.TrimSpace(given)
		if addr, ok := resolverAddr(value); ok {
			all = append(all, addr)
			continue
		}
		more, err := resolverFile(value)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

func resolverAddr(text string) (string, bool) {
	if addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")); err == nil {
		return netip.AddrPortFrom(addr, 53).String(), true
	}
	addr, err := netip.ParseAddrPort(text)
	return addr.String(), err == nil && addr.Port() != 0
}

// isResolverFile says that a value of --resolvers is the name of a file.
func isResolverFile(value string) bool {
	if _, ok := resolverAddr(strings.TrimSpace(value)); ok {
		return false
	}
	info, err := os.Stat(strings.TrimSpace(value))
	return err == nil && !info.IsDir()
}

// resolverFile reads the addresses in a file: one a line, with comments (#) and blank lines.
func resolverFile(name string) ([]string, error) {
	if !isResolverFile(name) {
		return nil, usageErrorf("resolvers", "%q, %s", name, wantResolver)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, usageErrorf("resolvers", "%v", err)
	}
	defer f.Close()
	var all []string
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "\ufeff"), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		addr, ok := resolverAddr(text)
		if !ok {
			return nil, usageErrorf("resolvers", "%s:%d: %q, expected an address such as 192.0.2.53 or 192.0.2.53:5353", name, n, text)
		}
		all = append(all, addr)
	}
	switch {
	case lines.Err() != nil:
		return nil, usageErrorf("resolvers", "%s: %v", name, lines.Err())
	case len(all) == 0:
		return nil, usageErrorf("resolvers", "%s has no address in it, expected one a line", name)
	}
	return all, nil
}
