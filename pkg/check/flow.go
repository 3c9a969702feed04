package check

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// flow says which blocks run, depending on what others found.
type flow interface {
	run(ctx context.Context, s *state) (bool, error)
}

type (
	flowBlocks []*block // all of them, one after the other; true when one matched
	flowNot    struct{ x flow }
	flowJoin   struct {
		left, right flow
		stop        bool // the value of left that makes right superfluous
	}
)

func (f flowBlocks) run(ctx context.Context, s *state) (bool, error) {
	matched := false
	for _, b := range f {
		ok, err := s.run(ctx, b)
		if err != nil {
			return false, err
		}
		matched = matched || ok
	}
	return matched, nil
}

func (f flowNot) run(ctx context.Context, s *state) (bool, error) {
	ok, err := f.x.run(ctx, s)
	return !ok, err
}

func (f flowJoin) run(ctx context.Context, s *state) (bool, error) {
	ok, err := f.left.run(ctx, s)
	if err != nil || ok == f.stop {
		return ok, err
	}
	return f.right.run(ctx, s)
}

// flow reads a condition of blocks: http(1) && (http(2) || !http("login")). Templates may have a program there, which is refused.
func (t *templateReader) flow(n *yaml.Node) {
	src, ok := t.text(n, "flow")
	if !ok {
		return
	}
	p := &flowParser{src: strings.TrimSpace(src), blocks: t.check.blocks}
	f, err := p.or(0)
	if p.space(); err != nil || p.at < len(p.src) {
		if err == nil {
			err = p.want("&& or ||")
		}
		t.about(n, "flow", KindUnsupported, "flow with a program", "expected a condition such as http(1) && http(2): %v", err)
		return
	}
	t.check.flow = f
}

// flowParser reads the condition by recursive descent.
type flowParser struct {
	src    string
	at     int
	blocks []*block
}

func (p *flowParser) space() {
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
}

func (p *flowParser) accept(token string) bool {
	p.space()
	if !strings.HasPrefix(p.src[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *flowParser) want(what string) error {
	rest := p.src[p.at:]
	return fmt.Errorf("%s expected, got %q", what, rest[:min(len(rest), 24)])
}

func (p *flowParser) or(depth int) (flow, error) {
	left, err := p.and(depth)
	for err == nil && p.accept("||") {
		var right flow
		right, err = p.and(depth)
		left = flowJoin{left, right, true}
	}
	return left, err
}

func (p *flowParser) and(depth int) (flow, error) {
	left, err := p.one(depth)
	for err == nil && p.accept("&&") {
		var right flow
		right, err = p.one(depth)
		left = flowJoin{left, right, false}
	}
	return left, err
}

func (p *flowParser) one(depth int) (flow, error) {
	if depth > 100 {
		return nil, p.want("less nesting")
	}
	switch {
	case p.accept("!"):
		x, err := p.one(depth + 1)
		return flowNot{x}, err
	case p.accept("http("):
		return p.call(protocolHTTP)
	case p.accept("ssl("):
		return p.call(protocolSSL)
	case p.accept("tcp("), p.accept("network("):
		return p.call(protocolTCP)
	case p.accept("dns("):
		return p.call(protocolDNS)
	case p.accept("("):
		x, err := p.or(depth + 1)
		if err == nil && !p.accept(")") {
			err = p.want("a closing parenthesis")
		}
		return x, err
	}
	return nil, p.want("http(...), ssl(...), tcp(...) or dns(...)")
}

// call reads the numbers or ids of blocks; none stand for all.
func (p *flowParser) call(protocol string) (flow, error) {
	var blocks flowBlocks
	for _, b := range p.blocks {
		if b.protocol == protocol {
			blocks = append(blocks, b)
		}
	}
	end := strings.IndexByte(p.src[p.at:], ')')
	if end < 0 {
		return nil, p.want("a closing parenthesis")
	}
	list := strings.TrimSpace(p.src[p.at : p.at+end])
	p.at += end + 1
	if list == "" && len(blocks) > 0 {
		return blocks, nil
	}
	var chosen flowBlocks
	for name := range strings.SplitSeq(list, ",") {
		name = strings.Trim(strings.TrimSpace(name), `"'`)
		i, err := strconv.Atoi(name)
		if i--; err != nil {
			i = slices.IndexFunc(blocks, func(b *block) bool { return b.id == name && name != "" })
		}
		if i < 0 || i >= len(blocks) {
			return nil, fmt.Errorf("there is no %s(%s)", protocol, name)
		}
		chosen = append(chosen, blocks[i])
	}
	return chosen, nil
}
