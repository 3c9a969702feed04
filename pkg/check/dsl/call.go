package dsl

import (
	"fmt"
	"strings"
)

// function is a helper of the language.
type function struct {
	least, most int // number of arguments; most -1 = any
	call        func(args []any) (any, error)
}

// call is a use of a function.
type call struct {
	name string
	call func(args []any) (any, error)
	args []node
}

func (n *call) eval(env Env) (any, error) {
	var room [4]any
	args := room[:0]
	for _, a := range n.args {
		v, err := a.eval(env)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	v, err := n.call(args)
	if err != nil {
		return nil, &FunctionError{Name: n.name, Err: err}
	}
	if s, ok := v.(string); ok && len(s) > MaxValue {
		return nil, &FunctionError{Name: n.name, Err: errTooLong}
	}
	return v, nil
}

// matchCall is a regular expression that is known when the check is loaded.
type matchCall struct {
	pattern *Pattern
	in      node
}

func (n *matchCall) eval(env Env) (any, error) {
	v, err := n.in.eval(env)
	if err != nil {
		return nil, err
	}
	return n.pattern.Regexp().MatchString(String(v)), nil
}

// newCall looks a function up and checks what can be checked before it is called.
func newCall(name string, args []node) (node, error) {
	key := strings.ReplaceAll(strings.ToLower(name), "_", "")
	if key == "waitfor" && len(args) == 1 {
		return &waitCall{args[0]}, nil
	}
	f, ok := functions[key]
	if !ok {
		return nil, &FunctionError{Name: name, Elsewhere: elsewhere[key]}
	}
	more := ""
	if key == "contains" { // a slip that is often made, and never true elsewhere
		more = " (contains_all and contains_any take more)"
	}
	if len(args) < f.least || f.most >= 0 && len(args) > f.most {
		return nil, &FunctionError{Name: name, Err: fmt.Errorf("%w: expected %s, got %d", errArguments, f.count()+more, len(args))}
	}
	if key != "regex" {
		return &call{name: name, call: f.call, args: args}, nil
	}
	pattern, ok := constant(args[0])
	if !ok {
		return &call{name: name, call: f.call, args: args}, nil
	}
	re, err := CompilePattern(String(pattern))
	if err != nil {
		return nil, &FunctionError{Name: name, Err: err}
	}
	return &matchCall{pattern: re, in: args[1]}, nil
}

// count says how many arguments a function takes.
func (f *function) count() string {
	switch {
	case f.most < 0:
		return fmt.Sprintf("%d or more", f.least)
	case f.least == f.most:
		return fmt.Sprint(f.least)
	}
	return fmt.Sprintf("%d to %d", f.least, f.most)
}

// texts reads all arguments as text.
func texts(args []any) []string {
	list := make([]string, 0, len(args))
	for _, a := range args {
		if many, ok := a.([]any); ok {
			list = append(list, texts(many)...)
			continue
		}
		list = append(list, String(a))
	}
	return list
}

// of1, of2 and of3 make functions of texts alone.
func of1[T any](f func(a string) T) function {
	return function{1, 1, func(args []any) (any, error) { return f(String(args[0])), nil }}
}

func of1Err[T any](f func(a string) (T, error)) function {
	return function{1, 1, func(args []any) (any, error) { return f(String(args[0])) }}
}

func of2[T any](f func(a, b string) T) function {
	return function{2, 2, func(args []any) (any, error) { return f(String(args[0]), String(args[1])), nil }}
}

func of3[T any](f func(a, b, c string) T) function {
	return function{3, 3, func(args []any) (any, error) { return f(String(args[0]), String(args[1]), String(args[2])), nil }}
}

// anyOf makes a function that is true when f is for one of the texts after the first, allOf when it is for all of them.
func anyOf(f func(s, part string) bool) function {
	return function{2, -1, func(args []any) (any, error) {
		s := String(args[0])
		for _, part := range texts(args[1:]) {
			if f(s, part) {
				return true, nil
			}
		}
		return false, nil
	}}
}

func allOf(f func(s, part string) bool) function {
	return function{2, -1, func(args []any) (any, error) {
		s := String(args[0])
		for _, part := range texts(args[1:]) {
			if !f(s, part) {
				return false, nil
			}
		}
		return true, nil
	}}
}
