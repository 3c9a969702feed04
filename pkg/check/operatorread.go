package check

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// kindOf is a type of matchers or extractors, with the field that its list stands in.
type kindOf struct{ kind, list string }

// operatorReader reads what matchers and extractors have in common: a type, the list that goes with it, and the part of the answer.
type operatorReader struct {
	*blockReader
	what  string // matcher or extractor
	kinds []kindOf
	kind  string
	part  string
	lists []listNode
}

type listNode struct {
	name string
	node *yaml.Node
}

// common gives the reader of a field that both have, nil for others.
func (o *operatorReader) common(name string) taker {
	switch name {
	case "type":
		return o.readType
	case "part":
		return o.readPart
	}
	if slices.ContainsFunc(o.kinds, func(k kindOf) bool { return k.list == name }) {
		return func(n *yaml.Node, _ string) { o.lists = append(o.lists, listNode{name, n}) }
	}
	return nil
}

func (o *operatorReader) readType(n *yaml.Node, field string) {
	if i := slices.IndexFunc(o.kinds, func(k kindOf) bool { return k.kind == n.Value }); i >= 0 && n.Kind == yaml.ScalarNode {
		o.kind = o.kinds[i].kind
		return
	}
	words := make([]string, len(o.kinds))
	for i, k := range o.kinds {
		words[i] = k.kind
	}
	o.kind = o.oneOf(n, field, words...)
}

// readPart reads which part of an answer is looked at.
func (o *operatorReader) readPart(n *yaml.Node, field string) {
	o.part, _ = o.text(n, field)
	if strings.HasPrefix(o.part, outOfBand) {
		o.unsupported(n, field, "out-of-band interaction")
	}
}

// found gives the list of the operator's type, nil when there is none. false: it has no type.
func (o *operatorReader) found(n *yaml.Node, field string) (*yaml.Node, bool) {
	if o.kind == "" {
		o.problem(n, field+".type", KindValue, "expected the type of the %s, got nothing", o.what)
		return nil, false
	}
	var list *yaml.Node
	for _, l := range o.lists {
		if l.name == o.wanted() {
			list = l.node
		} else {
			o.problem(l.node, field+"."+l.name, KindValue, "expected %s with type %s", o.wanted(), o.kind)
		}
	}
	return list, true
}

// wanted is the field of the list that goes with the type.
func (o *operatorReader) wanted() string {
	return o.kinds[slices.IndexFunc(o.kinds, func(k kindOf) bool { return k.kind == o.kind })].list
}

// members hands each member of the list to f. false: there are none.
func (o *operatorReader) members(list, n *yaml.Node, field string, f taker) bool {
	if list == nil || list.Kind == yaml.SequenceNode && len(list.Content) == 0 {
		o.problem(n, field+"."+o.wanted(), KindValue, "expected a list, got nothing")
		return false
	}
	o.list(list, field+"."+o.wanted(), f)
	return true
}
