package check

import (
	"bytes"
	"net/netip"
	"strings"

	"github.com/redialscan/redial/pkg/requester"
)

// Page is what a response tells a person. It holds no part of the body, so that keeping a page does not keep the body. It is a plain value;
// the zero value is the page of no response.
type Page struct {
	Status      int
	Title       string // of the first title element, at most MaxTitle characters
	WebServer   string // the Server field
	ContentType string // the media type as sent, without parameters
	Location    string // the Location field as sent, be it relative or absolute
	Length      int64  // bytes of the decoded body, see requester.Response
	// Words and Lines are counted as httpx counts them: one more than the spaces of the body, and one more than the line feeds of the body
	// without the white space around it. So an empty body has one of each.
	Words, Lines int

	IP         netip.Addr // the peer; invalid behind a proxy
	TLSSubject string     // the common name in the certificate that was shown; "" without TLS

	FinalURL        string // the URL that answered, when redirects were followed
	Hops            int    // redirects followed
	RedirectSkipped string // the key of a hop that was not admitted
}

// ReadPage reads a response. It changes nothing in it.
func ReadPage(resp *requester.Response) Page {
	page := Page{
		Status: resp.Status, Length: resp.Length, IP: resp.IP,
		Words:    bytes.Count(resp.Body, []byte{' '}) + 1,
		Lines:    bytes.Count(bytes.TrimSpace(resp.Body), []byte{'\n'}) + 1,
		FinalURL: resp.FinalURL, Hops: resp.Hops, RedirectSkipped: resp.RedirectSkipped,
	}
	if resp.TLS != nil {
		page.TLSSubject = resp.TLS.Subject
	}
	contentType := ""
	for i := range resp.Header {
		field := &resp.Header[i]
		if into := page.slot(field.Name, &contentType); into != nil && *into == "" {
			*into = field.Value
		}
	}
	media, _, _ := strings.Cut(contentType, ";")
	page.ContentType = strings.TrimSpace(media)
	if hasMarkup(page.ContentType, resp.Body) {
		page.Title = title(resp.Body, contentType)
	}
	return page
}

// slot tells where the value of a field goes; nil = nowhere. The length decides nearly always.
func (p *Page) slot(name string, contentType *string) *string {
	switch len(name) {
	case len("Server"):
		if strings.EqualFold(name, "Server") {
			return &p.WebServer
		}
	case len("Location"):
		if strings.EqualFold(name, "Location") {
			return &p.Location
		}
	case len("Content-Type"):
		if strings.EqualFold(name, "Content-Type") {
			return contentType
		}
	}
	return nil
}

// hasMarkup tells whether a body can have a title: HTML, XML and the like, and what looks like it when the host does not say.
func hasMarkup(media string, body []byte) bool {
	if media == "" {
		return bytes.HasPrefix(bytes.TrimSpace(body[:min(len(body), 512)]), []byte{'<'})
	}
	return containsFold([]byte(media), "html") || containsFold([]byte(media), "xml")
}
