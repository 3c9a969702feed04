package check

import (
	"bytes"
	"strings"

	"github.com/redialscan/redial/pkg/hostkey"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

// requestTarget is what the request asks for.
func requestTarget(req *requester.Request) string {
	if req.Raw != nil {
		line, _, _ := bytes.Cut(req.Raw, []byte("\n"))
		_, path, err := requestLine(strings.TrimSuffix(string(line), "\r"))
		if err != nil || !strings.HasPrefix(path, "/") {
			return "/"
		}
		return path
	}
	if req.Target == "" || req.Target[0] == '?' {
		return "/" + req.Target
	}
	return req.Target
}

// requestURL is the URL of a request. A bare host stays without a slash, as it was asked for.
func requestURL(req *requester.Request) string {
	t := target.Target{Host: req.Host, Port: req.Port, Scheme: target.SchemeHTTP}
	if req.Scheme == "https" {
		t.Scheme = target.SchemeHTTPS
	}
	if req.Raw == nil && req.Target == "" {
		return rootURL(&t)
	}
	return rootURL(&t) + requestTarget(req)
}

// Method is the method that a request goes out with, also one of exact bytes.
func Method(req *requester.Request) string {
	switch {
	case req.Talk != nil:
		return "TCP"
	case req.Query != nil:
		return "GET" // as free of effect, and as repeatable
	}
	if req.Raw != nil {
		name, _, _ := bytes.Cut(req.Raw[:min(len(req.Raw), 32)], []byte(" "))
		return string(name)
	}
	if req.Method == "" {
		return "GET"
	}
	return req.Method
}

// requestText is a request as it goes over HTTP/1.1, without the fields that the client adds to all.
func requestText(req *requester.Request) string {
	switch {
	case req.Query != nil:
		m, err := req.Query.Message()
		if err != nil {
			return ""
		}
		return m.String()
	case req.Talk != nil, req.Handshake != nil:
		return ""
	}
	if req.Raw != nil {
		return string(req.Raw)
	}
	var b strings.Builder
	b.WriteString(Method(req) + " " + requestTarget(req) + " HTTP/1.1\r\n")
	hasHost := false
	for _, f := range req.Header {
		hasHost = hasHost || strings.EqualFold(f.Name, "Host")
	}
	if !hasHost {
		b.WriteString("Host: ")
		host, _, _ := strings.Cut(req.Host, "%")
		if req.Port == 80 && req.Scheme == "http" || req.Port == 443 && req.Scheme == "https" {
			b.Write(hostkey.AppendHost(nil, host))
		} else {
			b.WriteString(hostkey.Join(host, req.Port))
		}
		b.WriteString("\r\n")
	}
	for _, f := range req.Header {
		b.WriteString(f.Name + ": " + f.Value + "\r\n")
	}
	b.WriteString("\r\n")
	b.Write(req.Body)
	return b.String()
}

// curl is a command for a shell that sends the same request; "" for what curl does not send: exact bytes, and another name in the
// handshake than that of the host.
func curl(req *requester.Request) string {
	if req.Raw != nil || req.ServerName != "" {
		return ""
	}
	parts := []string{"curl", "-k", "--path-as-is", "-X", quoted(Method(req))}
	for _, f := range req.Header {
		parts = append(parts, "-H", quoted(f.Name+": "+f.Value))
	}
	if len(req.Body) > 0 {
		parts = append(parts, "--data-binary", quoted(string(req.Body)))
	}
	return strings.Join(append(parts, quoted(requestURL(req))), " ")
}

// quoted is a word for a POSIX shell.
func quoted(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
