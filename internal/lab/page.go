package lab

import (
	"fmt"
	"strconv"
)

// page is a prebuilt answer. The empty line after the head is left to the
// sender, which may have a field to add.
type page struct {
	head []byte
	body []byte
}

// newPage builds a page with a Server and a Content-Length; fields end in CRLF each.
func newPage(status, contentType, fields, body string) *page {
	return &page{
		head: []byte("HTTP/1.1 " + status + "\r\nServer: redial-lab\r\n" + fields +
			"Content-Type: " + contentType + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"),
		body: []byte(body),
	}
}

const (
	html  = "text/html; charset=utf-8"
	plain = "text/plain; charset=utf-8"
)

// site has the pages of a host.
type site struct {
	home, admin, login, old, robots, status, missing *page
}

// newSite builds the pages that all hosts of a lab share.
func newSite() site {
	return site{
		admin:   newPage("200 OK", html, "", htmlPage("Administration", "Sign in to go on.")),
		login:   newPage("200 OK", html, "", htmlPage("Sign in", `<form method="post"><input name="user"></form>`)),
		old:     newPage("301 Moved Permanently", html, "Location: /login\r\n", htmlPage("Moved", "This page has moved.")),
		robots:  newPage("200 OK", plain, "", "User-agent: *\nDisallow: /admin\n"),
		status:  newPage("200 OK", "application/json", "", `{"status":"up","version":"1.4.2"}`+"\n"),
		missing: newPage("404 Not Found", html, "", htmlPage("Not found", "No such page.")),
	}
}

// at returns the site with the home page of one host, whose title has its address.
func (s site) at(kind Kind, addr string) *site {
	s.home = newPage("200 OK", html, "", htmlPage(fmt.Sprintf("Lab host %s (%s)", addr, kind), "It works."))
	return &s
}

func htmlPage(title, body string) string {
	return "<!doctype html>\n<html><head><title>" + title + "</title></head>\n<body><h1>" + title + "</h1><p>" + body + "</p></body></html>\n"
}

// find returns the page of a path; the query plays no part.
func (s *site) find(target []byte) *page {
	for i, b := range target {
		if b == '?' {
			target = target[:i]
			break
		}
	}
	switch string(target) {
	case "/":
		return s.home
	case "/admin":
		return s.admin
	case "/login":
		return s.login
	case "/old":
		return s.old
	case "/robots.txt":
		return s.robots
	case "/status":
		return s.status
	}
	return s.missing
}
