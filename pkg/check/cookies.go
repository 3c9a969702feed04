package check

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"github.com/redialscan/redial/pkg/hostkey"
	"github.com/redialscan/redial/pkg/requester"
)

// cookies are what the hosts of one run have set. The zero value has none.
type cookies struct {
	off bool
	jar *cookiejar.Jar
}

// keep takes the cookies of an answer, and of those that redirected to it.
func (c *cookies) keep(req *requester.Request, resp *requester.Response) {
	if c.off {
		return
	}
	if resp.Before != nil {
		c.keep(req, resp.Before)
	}
	var header http.Header
	for _, f := range resp.Header {
		if strings.EqualFold(f.Name, "Set-Cookie") {
			if header == nil {
				header = http.Header{}
			}
			header.Add("Set-Cookie", f.Value)
		}
	}
	if header == nil {
		return
	}
	if c.jar == nil {
		c.jar, _ = cookiejar.New(nil) // it has no errors
	}
	from := cookieURL(req)
	if final, err := url.Parse(resp.FinalURL); err == nil && resp.FinalURL != "" {
		from = final
	}
	c.jar.SetCookies(from, (&http.Response{Header: header}).Cookies())
}

// add gives a request the cookies of its host. One that the check has written itself stays.
func (c *cookies) add(req *requester.Request) {
	if c.off || c.jar == nil || req.Raw != nil {
		return
	}
	var pairs []string
	for _, cookie := range c.jar.Cookies(cookieURL(req)) {
		pairs = append(pairs, cookie.Name+"="+cookie.Value)
	}
	if len(pairs) == 0 {
		return
	}
	fields := make([]requester.Field, 0, len(req.Header)+1)
	for _, f := range req.Header {
		if strings.EqualFold(f.Name, "Cookie") {
			pairs = append([]string{f.Value}, pairs...)
			continue
		}
		fields = append(fields, f)
	}
	req.Header = append(fields, requester.Field{Name: "Cookie", Value: strings.Join(pairs, "; ")})
}

func cookieURL(req *requester.Request) *url.URL {
	path, _, _ := strings.Cut(req.Target, "?")
	if path == "" {
		path = "/"
	}
	return &url.URL{Scheme: req.Scheme, Host: hostkey.Join(req.Host, req.Port), Path: path}
}
