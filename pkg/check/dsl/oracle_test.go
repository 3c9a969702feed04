package dsl

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/Knetic/govaluate"
	"pgregory.net/rapid"
)

// oracle evaluates as the tool does that the templates were written for.
func oracle(src string) (any, error) {
	calls := map[string]govaluate.ExpressionFunction{}
	for name, f := range functions {
		calls[name] = func(args ...any) (any, error) { return f.call(args) }
	}
	e, err := govaluate.NewEvaluableExpressionWithFunctions(src, calls)
	if err != nil {
		return nil, err
	}
	return e.Evaluate(map[string]any{"body": "Sign in", "code": 200.0, "yes": true, "word": "in"})
}

var oracleEnv = Map{"body": "Sign in", "code": 200, "yes": true, "word": "in"}

// condition draws an expression that is true or false, text one that is text, and figure one that is a number.
func condition(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 7).Draw(t, "condition")
	if depth > 3 {
		kind %= 3
	}
	switch kind {
	case 0:
		return rapid.SampledFrom([]string{"yes", "true", "false"}).Draw(t, "bool")
	case 1:
		return figure(t, depth+1) + rapid.SampledFrom([]string{" == ", " != ", " < ", " <= ", " > ", " >= "}).Draw(t, "compare") + figure(t, depth+1)
	case 2:
		return text(t, depth+1) + rapid.SampledFrom([]string{" == ", " != ", " < ", " >= "}).Draw(t, "compare") + text(t, depth+1)
	case 3:
		return condition(t, depth+1) + rapid.SampledFrom([]string{" && ", " || "}).Draw(t, "join") + condition(t, depth+1)
	case 4:
		return "!(" + condition(t, depth+1) + ")"
	case 5:
		return "contains(" + text(t, depth+1) + ", " + text(t, depth+1) + ")"
	case 6:
		return text(t, depth+1) + rapid.SampledFrom([]string{" =~ ", " !~ "}).Draw(t, "match") + `"(?i)s.?g"`
	default:
		return "(" + condition(t, depth+1) + " ? " + condition(t, depth+1) + " : " + condition(t, depth+1) + ")"
	}
}

func text(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 4).Draw(t, "text")
	if depth > 3 {
		kind %= 2
	}
	switch kind {
	case 0:
		return rapid.SampledFrom([]string{"body", "word"}).Draw(t, "name")
	case 1:
		return rapid.SampledFrom([]string{`"a"`, `'b c'`, `"\"x"`, `'\\d'`, `"\n"`, `""`}).Draw(t, "string")
	case 2:
		return "(" + text(t, depth+1) + " + " + text(t, depth+1) + ")"
	case 3:
		return rapid.SampledFrom([]string{"tolower", "md5", "base64"}).Draw(t, "call") + "(" + text(t, depth+1) + ")"
	default:
		return "concat(" + text(t, depth+1) + ", " + text(t, depth+1) + ")"
	}
}

func figure(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 4).Draw(t, "figure")
	if depth > 3 {
		kind %= 2
	}
	switch kind {
	case 0:
		return "code"
	case 1:
		return fmt.Sprint(rapid.IntRange(0, 300).Draw(t, "number"))
	case 2:
		return "(" + figure(t, depth+1) + rapid.SampledFrom([]string{" + ", " - ", " * ", " / "}).Draw(t, "operator") + figure(t, depth+1) + ")"
	case 3:
		return "-(" + figure(t, depth+1) + ")"
	default:
		return "len(" + text(t, depth+1) + ")"
	}
}

// Every expression has the value that it has in the evaluator whose language this is.
func TestAgreesWithTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := condition(t, 0)
		want, wantErr := oracle(src)
		e, err := Compile(src)
		if err != nil {
			t.Fatalf("%s: %v, the oracle has %v, %v", src, err, want, wantErr)
		}
		got, err := e.Eval(oracleEnv)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%s = %v, %v; the oracle has %v, %v", src, got, err, want, wantErr)
		}
	})
}

// Where the oracle and this language part: it ends a string at either quote, so that no template can have the other one in it.
func TestQuotesOfTheOtherKind(t *testing.T) {
	src := `contains("it's", "'")`
	if _, err := oracle(src); err == nil {
		t.Error("the oracle reads quotes of the other kind now")
	}
	e, err := Compile(src)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := e.Eval(nil); err != nil || v != true {
		t.Errorf("%s = %v, %v", src, v, err)
	}
	if names := strings.Join(Functions(), " "); !strings.Contains(names, "contains containsall") {
		t.Errorf("functions %s", names)
	}
}
