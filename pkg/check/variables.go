package check

import (
	"math/rand/v2"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/redialscan/redial/pkg/hostkey"
	"github.com/redialscan/redial/pkg/target"
)

// builtins are the variables that every target has.
var builtins = map[string]func(t *target.Target) string{
	"BaseURL":  baseURL,
	"RootURL":  rootURL,
	"Input":    func(t *target.Target) string { return t.Input },
	"Hostname": authority,
	"Host":     func(t *target.Target) string { return t.Host },
	"Port":     func(t *target.Target) string { return strconv.Itoa(int(portOf(t))) },
	"Path":     func(t *target.Target) string { return folder(t) },
	"File":     func(t *target.Target) string { return pathOf(t)[strings.LastIndexByte("/"+pathOf(t), '/'):] },
	"Scheme":   func(t *target.Target) string { return t.Scheme.String() },
	"FQDN":     func(t *target.Target) string { return t.Host },
	"RDN":      func(t *target.Target) string { _, _, registered := domain(t.Host); return registered },
	"DN":       func(t *target.Target) string { _, dn, _ := domain(t.Host); return dn },
	"TLD": func(t *target.Target) string {
		_, dn, registered := domain(t.Host)
		return strings.TrimPrefix(strings.TrimPrefix(registered, dn), ".")
	},
	"SD": func(t *target.Target) string { sub, _, _ := domain(t.Host); return sub },
}

func isBuiltin(name string) bool {
	_, known := builtins[name]
	return known || isRandomText(name)
}

// isRandomText knows randstr, and randstr_1 and so on, which are values of their own.
func isRandomText(name string) bool {
	rest, ok := strings.CutPrefix(name, "randstr")
	return ok && (rest == "" || rest[0] == '_' && isDigits(rest[1:]))
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

const randomLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func randomText() string {
	var b [27]byte
	for i := range b {
		b[i] = randomLetters[rand.IntN(len(randomLetters))]
	}
	return string(b[:])
}

func portOf(t *target.Target) uint16 {
	if t.Port == 0 {
		return t.Scheme.Port()
	}
	return t.Port
}

// authority is host and port as they stand in a URL: without the port that the scheme implies.
func authority(t *target.Target) string {
	host, _, _ := strings.Cut(t.Host, "%")
	if port := portOf(t); port != t.Scheme.Port() {
		return hostkey.Join(host, port)
	}
	return string(hostkey.AppendHost(nil, host))
}

func rootURL(t *target.Target) string { return t.Scheme.String() + "://" + authority(t) }

// pathOf is the target's path without its query.
func pathOf(t *target.Target) string {
	path, _, _ := strings.Cut(t.Path, "?")
	return path
}

// folder is the target's path without what follows the last slash, and without that.
func folder(t *target.Target) string {
	path := pathOf(t)
	return path[:max(0, strings.LastIndexByte(path, '/'))]
}

// baseURL has no slash at its end, since checks begin their paths with one.
func baseURL(t *target.Target) string { return rootURL(t) + strings.TrimSuffix(pathOf(t), "/") }

// domain takes a name apart: www.example.co.uk is www, example and example.co.uk. An address has no parts.
func domain(host string) (sub, name, registered string) {
	if _, err := netip.ParseAddr(host); err == nil {
		return "", "", ""
	}
	registered, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return "", host, host
	}
	name, _, _ = strings.Cut(registered, ".")
	return strings.TrimSuffix(strings.TrimSuffix(host, registered), "."), name, registered
}
