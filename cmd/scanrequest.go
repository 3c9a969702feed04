package cmd

import (
	"crypto/tls"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/net/http/httpguts"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/requester"
)

// requestOptions say what is asked of each target, and how.
type requestOptions struct {
	paths           []string
	method          string
	headers         []string
	body            string
	followRedirects bool
	followHost      bool
	maxRedirects    int
	filter          check.FilterOptions

	timeout     durationValue
	dialTimeout durationValue
	proxy       string
	userAgent   string
	randomAgent bool
	tlsVerify   bool
	clientCert  string
	clientKey   string
	sni         string
	resolvers   []string
	ipVersion   string
}

func (o *requestOptions) addFlags(fs *pflag.FlagSet) {
	o.timeout = durationValue(requester.DefaultTimeout)
	listVar(fs, &o.paths, "path", "", "`paths` to ask for: one, a comma list, or a file with one a line; a 404 is then printed only with --match-status")
	fs.StringVar(&o.method, "method", "GET", "HTTP `method`")
	listVar(fs, &o.headers, "header", "H", "`header` of every request, \"Name: value\"")
	fs.StringVar(&o.body, "body", "", "`body` of every request")
	fs.BoolVar(&o.followRedirects, "follow-redirects", false, "follow redirects")
	fs.BoolVar(&o.followHost, "follow-host-redirects", false, "follow redirects that stay on the host")
	fs.IntVar(&o.maxRedirects, "max-redirects", check.DefaultMaxRedirects, "redirects to follow at most")

	fs.Var(&o.timeout, "timeout", "time for a response after the connection stands")
	fs.Var(&o.dialTimeout, "dial-timeout", "time for a connection (default 5s, or --timeout when that is less)")
	fs.StringVar(&o.proxy, "proxy", "", "`URL` of a proxy: http://, https:// or socks5://")
	fs.StringVar(&o.userAgent, "user-agent", "", "`text` of the User-Agent (default: redial's name and version)")
	fs.BoolVar(&o.randomAgent, "random-agent", false, "a browser's User-Agent, drawn anew for each request")
	fs.BoolVar(&o.tlsVerify, "tls-verify", false, "verify certificates")
	fs.StringVar(&o.clientCert, "client-cert", "", "`file` with a client certificate (PEM)")
	fs.StringVar(&o.clientKey, "client-key", "", "`file` with its key (PEM)")
	fs.StringVar(&o.sni, "sni", "", "server `name` in the TLS handshake instead of the host's")
	commaListVar(fs, &o.resolvers, "resolvers", "", "DNS `servers`, asked in turn: address, address:port, a comma list, or a file with one a line")
	fs.StringVar(&o.ipVersion, "ip-version", "", "`4|6`: use only that family")
}

func (o *requestOptions) addFilterFlags(fs *pflag.FlagSet) {
	f := &o.filter
	listVar(fs, &f.MatchStatus, "match-status", "", "print only these status `codes`, such as 200,300-399")
	listVar(fs, &f.FilterStatus, "filter-status", "", "do not print these status `codes`")
	listVar(fs, &f.MatchString, "match-string", "", "print only responses with this `text`")
	listVar(fs, &f.FilterString, "filter-string", "", "do not print responses with this `text`")
	listVar(fs, &f.MatchRegex, "match-regex", "", "print only responses that match this `expression`")
	listVar(fs, &f.FilterRegex, "filter-regex", "", "do not print responses that match this `expression`")
	listVar(fs, &f.MatchLength, "match-length", "", "print only bodies of these `lengths`, such as 0,100-200")
	listVar(fs, &f.FilterLength, "filter-length", "", "do not print bodies of these `lengths`")
}

// validate refuses a flag that would do nothing.
func (o *requestOptions) validate(fs *pflag.FlagSet) error {
	if fs.Changed("max-redirects") && !o.followRedirects && !o.followHost {
		return usageErrorf("max-redirects", "expected together with --follow-redirects or --follow-host-redirects")
	}
	return nil
}

// probe makes the built-in check.
func (o *requestOptions) probe(told func(format string, args ...any)) (*check.Probe, error) {
	var paths []string
	for _, value := range o.paths {
		name, isFile := check.PathFile(value)
		if !isFile && looksLikeList(value) {
			return nil, usageErrorf("path", "no file %s, expected one; a path of that name is written /%s", value, value)
		}
		if isFile {
			told("paths are read from the file %s", name)
		}
		more, err := check.ParsePaths(value)
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	if err := atLeast("max-redirects", o.maxRedirects, 1); err != nil {
		return nil, err
	}
	return check.NewProbe(check.ProbeOptions{
		Paths: paths, Method: o.method, Body: []byte(o.body), Filter: o.filter,
		FollowRedirects: o.followRedirects, SameHostRedirects: o.followHost, MaxRedirects: o.maxRedirects,
	})
}

// looksLikeList says that a value of --path was meant as the name of a file.
func looksLikeList(value string) bool {
	if strings.HasPrefix(value, "/") || strings.Contains(value, ",") {
		return false
	}
	switch filepath.Ext(value) {
	case ".txt", ".lst", ".list":
		return true
	}
	return false
}

// requester makes the configuration of the send path; its breaker and its pace are added later.
func (o *requestOptions) requester(version string) (requester.Config, error) {
	cfg := requester.Config{
		Timeout: time.Duration(o.timeout), DialTimeout: time.Duration(o.dialTimeout), Proxy: o.proxyURL(),
		UserAgent: o.userAgent, RandomAgent: o.randomAgent, Verify: o.tlsVerify, SNI: o.sni, Version: version,
	}
	if cfg.Timeout <= 0 {
		return cfg, usageErrorf("timeout", "0 is out of range, expected more")
	}
	if cfg.DialTimeout == 0 {
		cfg.DialTimeout = min(requester.DefaultDialTimeout, cfg.Timeout)
	}
	if cfg.DialTimeout > cfg.Timeout {
		return cfg, usageErrorf("dial-timeout", "%s is longer than --timeout %s, expected at most that", cfg.DialTimeout, cfg.Timeout)
	}
	for _, line := range o.headers {
		name, value, ok := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		switch {
		case !ok: // what stands there may be a secret
			return cfg, usageErrorf("header", "no colon, expected \"Name: value\"")
		case !httpguts.ValidHeaderFieldName(name):
			return cfg, usageErrorf("header", "%q is no name of a header, expected \"Name: value\"", name)
		case strings.ContainsAny(value, "\r\n\x00"):
			return cfg, usageErrorf("header", "%s has more than one line, expected \"Name: value\"", name)
		}
		cfg.Header = append(cfg.Header, requester.Field{Name: name, Value: strings.TrimSpace(value)})
	}
	switch o.ipVersion {
	case "", "4,6", "6,4":
	case "4":
		cfg.IPVersion = 4
	case "6":
		cfg.IPVersion = 6
	default:
		return cfg, usageErrorf("ip-version", "%q, expected 4 or 6", o.ipVersion)
	}
	resolvers, err := resolverAddrs(o.resolvers)
	if err != nil {
		return cfg, err
	}
	cfg.Resolvers = resolvers
	if (o.clientCert == "") != (o.clientKey == "") {
		return cfg, usageErrorf("client-cert", "expected together with --client-key")
	}
	if o.clientCert != "" {
		cert, err := tls.LoadX509KeyPair(o.clientCert, o.clientKey)
		if err != nil {
			return cfg, usageErrorf("client-cert", "%v", err)
		}
		cfg.Certs = []tls.Certificate{cert}
	}
	return cfg, nil
}
