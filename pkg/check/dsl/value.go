package dsl

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Env gives the variables of an expression. A value is a string, a float64, a bool or a []any of those; other integers are taken as numbers.
type Env interface {
	Lookup(name string) (value any, ok bool)
}

// Map is an [Env] of fixed values.
type Map map[string]any

// Lookup implements [Env].
func (m Map) Lookup(name string) (any, bool) {
	v, ok := m[name]
	return v, ok
}

// String is a value as text: a number without an exponent, a list as its members with a space between.
func String(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = String(v[i])
		}
		return strings.Join(parts, " ")
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}

// number reads a value as a number: one, or the text of one.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return f, err == nil
	}
	return 0, false
}

// whole reads a value as a whole number that an int holds.
func whole(v any) (int, bool) {
	f, ok := number(v)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<52 {
		return 0, false
	}
	return int(f), true
}

// plain turns whatever an Env gives into one of the four types.
func plain(v any) any {
	switch v := v.(type) {
	case string, float64, bool, []any:
		return v
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case []byte:
		return string(v)
	case []string:
		list := make([]any, len(v))
		for i := range v {
			list[i] = v[i]
		}
		return list
	}
	return String(v)
}

func same(a, b any) bool {
	if la, ok := a.([]any); ok {
		lb, ok := b.([]any)
		if !ok || len(la) != len(lb) {
			return false
		}
		for i := range la {
			if !same(la[i], lb[i]) {
				return false
			}
		}
		return true
	}
	if _, ok := b.([]any); ok {
		return false
	}
	return a == b
}
