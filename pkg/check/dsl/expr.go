package dsl

import (
	"slices"
	"strings"
)

// Expr is a compiled expression. The zero value is none; make one with [Compile].
type Expr struct {
	src   string
	root  node
	names []string
	calls bool
	// varies says that the value may be another at each evaluation, with the same variables.
	varies bool
}

// Compile reads an expression. The error is a [SyntaxError], a [FunctionError], or that of a regular expression that is no such.
func Compile(src string) (*Expr, error) { return compile(src, 0) }

func compile(src string, depth int) (*Expr, error) {
	tokens, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{src: src, tokens: tokens, depth: depth}
	root, err := p.expression()
	if err != nil {
		return nil, err
	}
	if p.is(",") { // a list needs no parentheses where it is everything
		list := []node{root}
		for p.accept(",") {
			more, err := p.expression()
			if err != nil {
				return nil, err
			}
			list = append(list, more)
		}
		root = &sequence{list}
	}
	if p.peek().kind != tokenEnd {
		return nil, p.want("an operator or the end")
	}
	slices.Sort(p.names)
	return &Expr{src: strings.Clone(src), root: root, names: slices.Compact(p.names), calls: p.calls, varies: p.varies}, nil
}

// String is the source.
func (e *Expr) String() string { return e.src }

// Names are the variables that the expression uses, sorted. The slice is not to be changed.
func (e *Expr) Names() []string { return e.names }

// Eval gives the value: a string, a float64, a bool or a []any.
func (e *Expr) Eval(env Env) (any, error) { return e.root.eval(env) }

// True evaluates an expression that is a condition.
func (e *Expr) True(env Env) (bool, error) { return truth(e.root, env) }
