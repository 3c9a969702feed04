package dsl

// binary operators by how tightly they bind; ?: and ?? stand below them.
var precedence = map[string]int{
	"||": 1, "&&": 2,
	"==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "=~": 3, "!~": 3, "in": 3,
	"|": 4, "^": 5, "&": 6, "<<": 7, ">>": 7, "+": 8, "-": 8, "*": 9, "/": 9, "%": 9, "**": 10,
}

// parser turns tokens into nodes by precedence climbing.
type parser struct {
	src    string
	tokens []token
	next   int
	depth  int
	names  []string // variables, in order, doubles included
	calls  bool     // some function is called
	varies bool     // one of those in varying
}

func (p *parser) peek() token { return p.tokens[p.next] }

func (p *parser) is(operator string) bool {
	t := p.peek()
	return t.kind == tokenOperator && t.text == operator
}

func (p *parser) accept(operator string) bool {
	if p.is(operator) {
		p.next++
		return true
	}
	return false
}

func (p *parser) want(what string) error { return &SyntaxError{p.src, p.peek().at, what} }

// expression is: binary [? expression : expression | ?? expression].
func (p *parser) expression() (node, error) {
	if p.depth++; p.depth > MaxDepth {
		return nil, p.want("less nesting")
	}
	defer func() { p.depth-- }()
	left, err := p.binary(1)
	switch {
	case err != nil:
		return nil, err
	case p.accept("??"):
		right, err := p.expression()
		return &orElse{left, right}, err
	case !p.accept("?"):
		return left, nil
	}
	yes, err := p.expression()
	if err != nil {
		return nil, err
	}
	c := &choice{cond: left, yes: yes}
	if p.accept(":") {
		c.no, err = p.expression()
	}
	return c, err
}

func (p *parser) binary(least int) (node, error) {
	left, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		t := p.peek()
		level := precedence[t.text]
		if t.kind != tokenOperator || level < least || level == 0 {
			return left, nil
		}
		p.next++
		right, err := p.binary(level + 1)
		if err != nil {
			return nil, err
		}
		if left, err = p.join(t, left, right); err != nil {
			return nil, err
		}
	}
}

func (p *parser) join(op token, left, right node) (node, error) {
	switch op.text {
	case "&&", "||":
		return &logical{left: left, right: right, stop: op.text == "||"}, nil
	case "=~", "!~":
		m := &matching{left: left, right: right, negative: op.text == "!~"}
		if pattern, ok := constant(right); ok {
			re, err := CompilePattern(String(pattern))
			if err != nil {
				return nil, err
			}
			m.pattern = re
		}
		return m, nil
	}
	return &operation{op: op.text, left: left, right: right}, nil
}

func (p *parser) unary() (node, error) {
	for _, op := range [...]string{"!", "-", "~"} {
		if !p.accept(op) {
			continue
		}
		if p.depth++; p.depth > MaxDepth {
			return nil, p.want("less nesting")
		}
		x, err := p.unary()
		p.depth--
		return &prefix{op: op, x: x}, err
	}
	return p.primary()
}

func (p *parser) primary() (node, error) {
	t := p.peek()
	switch t.kind {
	case tokenNumber:
		p.next++
		return &literal{t.number}, nil
	case tokenString:
		p.next++
		return p.text(t)
	case tokenName:
		p.next++
		return p.name(t)
	case tokenEnd:
		return nil, p.want("a value")
	}
	if !p.accept("(") {
		return nil, p.want("a value")
	}
	list, err := p.until(")")
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, p.want("a value between the parentheses")
	case len(list) == 1:
		return list[0], nil
	}
	return &sequence{list}, nil
}

// text is a string literal; double braces in it hold expressions of their own.
func (p *parser) text(t token) (node, error) {
	text, err := compileText(t.text, p.depth+1)
	if err != nil {
		return nil, err
	}
	if fixed, ok := text.Fixed(); ok {
		return &literal{fixed}, nil
	}
	p.names = append(p.names, text.names...)
	p.varies = p.varies || text.varies
	return &interpolation{text}, nil
}

func (p *parser) name(t token) (node, error) {
	switch {
	case p.accept("("):
		arguments, err := p.until(")")
		if err != nil {
			return nil, err
		}
		p.calls = true
		p.varies = p.varies || varies(t.text)
		return newCall(t.text, arguments)
	case t.text == "true" || t.text == "false":
		return &literal{t.text == "true"}, nil
	}
	p.names = append(p.names, t.text)
	return &variable{t.text}, nil
}

// until reads values with commas between them, and the closing parenthesis.
func (p *parser) until(closing string) ([]node, error) {
	var list []node
	if p.accept(closing) {
		return nil, nil
	}
	for {
		x, err := p.expression()
		if err != nil {
			return nil, err
		}
		list = append(list, x)
		if p.accept(closing) {
			return list, nil
		}
		if !p.accept(",") {
			return nil, p.want("a comma or a closing parenthesis")
		}
	}
}

// constant is the value of a node that has always the same.
func constant(n node) (any, bool) {
	l, ok := n.(*literal)
	if !ok {
		return nil, false
	}
	return l.value, true
}
