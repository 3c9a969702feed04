package cmd

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/redialscan/redial/pkg/report"
)

// withoutUser is a target as it was typed, without name and password.
func withoutUser(text string) string {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		scheme, _, ok := strings.Cut(text, "://")
		if ok {
			return scheme + "://" + text[at+1:]
		}
		return text[at+1:]
	}
	return text
}

// started describes the scan in its events file: what it was asked to do, and no secret. Of headers, bodies and
// credentials there are digests.
func (o *scanOptions) started() report.Started {
	st := report.Started{Version: version(), Options: map[string]string{
		"path":             strings.Join(o.request.paths, ","),
		"method":           o.request.method,
		"timeout":          o.request.timeout.String(),
		"retries":          strconv.Itoa(o.breaker.retries),
		"concurrency":      strconv.Itoa(o.pace.concurrency),
		"host-concurrency": strconv.Itoa(o.pace.hostConcurrency),
		"rate-limit":       strconv.FormatFloat(o.pace.rateLimit, 'g', -1, 64),
		"host-rate-limit":  strconv.FormatFloat(o.pace.hostRateLimit, 'g', -1, 64),
		"max-host-error":   strconv.Itoa(o.breaker.maxHostError),
		"first-contact":    strconv.Itoa(o.breaker.firstContact),
		"cooldown":         o.breaker.cooldown.String(),
		"max-cooldown":     o.breaker.maxCooldown.String(),
		"max-trips":        strconv.Itoa(o.breaker.maxTrips),
		"linger":           o.breaker.linger.String(),
		"outage-timeout":   o.breaker.outageTimeout.String(),
		"host-timeout":     o.breaker.hostTimeout.String(),
	}}
	st.Options["ports"] = o.input.ports
	if o.input.strict {
		st.Options["strict"] = "true"
	}
	st.Options["rate-mode"] = o.pace.rateMode
	if o.hold.failureLimit > 0 {
		st.Options["failure-limit"] = strconv.Itoa(o.hold.failureLimit)
		st.Options["failure-window"] = o.hold.failureWindow.String()
	}
	if len(o.pace.throttleStatus) > 0 {
		st.Options["throttle-status"] = strings.Join(o.pace.throttleStatus, ",")
	}
	o.request.describe(st.Options)
	if text := digestOfSecrets(o.checks.vars); text != "" {
		st.Options["var"] = fmt.Sprintf("%s (%s)", strings.Join(namesOf(o.checks.vars, "="), ", "), text)
	}
	for _, list := range o.input.lists {
		st.Inputs = append(st.Inputs, report.Input{Kind: "list", Name: list})
	}
	for _, name := range o.checks.templates {
		st.Inputs = append(st.Inputs, report.Input{Kind: "check", Name: name})
	}
	for _, t := range o.input.targets {
		st.Inputs = append(st.Inputs, report.Input{Kind: "target", Name: withoutUser(t)})
	}
	return st
}

// describe notes what is sent and what of the answers is found, where that is not as usual: an earlier scan went on only
// with the same.
func (o *requestOptions) describe(options map[string]string) {
	f := &o.filter
	for name, values := range map[string][]string{
		"match-status": f.MatchStatus, "filter-status": f.FilterStatus, "match-string": f.MatchString, "filter-string": f.FilterString,
		"match-regex": f.MatchRegex, "filter-regex": f.FilterRegex, "match-length": f.MatchLength, "filter-length": f.FilterLength,
		"resolvers": o.resolvers, "user-agent": {o.userAgent}, "sni": {o.sni}, "ip-version": {o.ipVersion},
	} {
		if text := strings.Join(values, ", "); text != "" {
			options[name] = text
		}
	}
	for name, on := range map[string]bool{
		"random-agent": o.randomAgent, "tls-verify": o.tlsVerify, "follow-redirects": o.followRedirects, "follow-host-redirects": o.followHost,
	} {
		if on {
			options[name] = "true"
		}
	}
	if o.followRedirects || o.followHost {
		options["max-redirects"] = strconv.Itoa(o.maxRedirects)
	}
	if len(o.headers) > 0 {
		options["header"] = fmt.Sprintf("%s (%s)", strings.Join(namesOf(o.headers, ":"), ", "), digestOfSecrets(o.headers))
	}
	if o.body != "" {
		options["body"] = fmt.Sprintf("%d bytes (%s)", len(o.body), digestOfSecrets([]string{o.body}))
	}
	if o.proxy != "" {
		options["proxy"] = proxyName(o.proxyURL())
		if options["proxy"] != o.proxyURL() { // with a password
			options["proxy"] += " (" + digestOfSecrets([]string{o.proxyURL()}) + ")"
		}
	}
	if text, err := os.ReadFile(o.clientCert); err == nil { // one that cannot be read was refused before
		options["client-cert"] = digestOfSecrets([]string{string(text)})
	}
}

// namesOf gives what stands before the separator in each value.
func namesOf(values []string, separator string) []string {
	var names []string
	for _, value := range values {
		name, _, _ := strings.Cut(value, separator)
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// digestOfSecrets tells whether secrets have changed, and is of little use to somebody who would like to know them: it is slow
// to compute, and so short that many texts have the same one. "" without values.
func digestOfSecrets(values []string) string {
	if len(values) == 0 {
		return ""
	}
	const rounds, size = 20_000, 4
	sum, err := pbkdf2.Key(sha256.New, strings.Join(values, "\x00"), []byte("redial events file"), rounds, size)
	if err != nil { // of a length that the standard forbids, which this is not
		return "no digest"
	}
	return hex.EncodeToString(sum)
}
