package check

import (
	"strings"

	"github.com/antchfx/htmlquery"
	"github.com/antchfx/xmlquery"
	"github.com/antchfx/xpath"
	"go.yaml.in/yaml/v3"
	"golang.org/x/net/html"
)

// nodePath is an XPath that selects elements of a page.
type nodePath struct {
	src       string // an Expr keeps state while it is evaluated, so each use compiles its own
	attribute string // whose value is taken; "" = the text of the element
}

func (t *templateReader) xpath(n *yaml.Node, field, attribute string) *nodePath {
	src, ok := t.text(n, field)
	if !ok {
		return nil
	}
	if _, err := xpath.Compile(src); err != nil {
		t.problem(n, field, KindExpression, "expected an XPath: %v", err)
	}
	return &nodePath{src: src, attribute: attribute}
}

// document is the tree of a part, as XML where it says that it is.
type document struct {
	html *html.Node
	xml  *xmlquery.Node
}

func parseDocument(text string) document {
	if strings.HasPrefix(strings.TrimSpace(text[:min(len(text), 512)]), "<?xml") {
		if root, err := xmlquery.Parse(strings.NewReader(text)); err == nil {
			return document{xml: root}
		}
	}
	root, err := htmlquery.Parse(strings.NewReader(text))
	if err != nil {
		return document{}
	}
	return document{html: root}
}

// find gives what the path selects in a part: one entry per element, which may be empty.
func (p *nodePath) find(s *state, name, part string) []string {
	doc := s.document(name, part)
	expr, err := xpath.Compile(p.src)
	if err != nil {
		return nil
	}
	var found []string
	switch {
	case doc.xml != nil:
		for _, n := range xmlquery.QuerySelectorAll(doc.xml, expr) {
			if p.attribute != "" {
				found = append(found, n.SelectAttr(p.attribute))
			} else {
				found = append(found, n.InnerText())
			}
		}
	case doc.html != nil:
		for _, n := range htmlquery.QuerySelectorAll(doc.html, expr) {
			if p.attribute != "" {
				found = append(found, htmlquery.SelectAttr(n, p.attribute))
			} else {
				found = append(found, htmlquery.InnerText(n))
			}
		}
	}
	return found
}
