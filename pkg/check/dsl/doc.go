// Package dsl is the expression language of checks: what stands in their dsl matchers and extractors, and between the double braces of
// their requests.
//
//	status_code == 200 && contains_any(to_lower(body), "jenkins", "hudson")
//	GET /search?q={{url_encode(base64(token))}} HTTP/1.1
//
// An expression is compiled once, when its check is loaded, and evaluated against an [Env] as often as wanted:
//
//	e, err := dsl.Compile(`len(body) > 100`)
//	ok, err := e.True(env)
//
// # The language
//
// It is that of the templates which people have, and so the one of the evaluator that they were written for:
//
//	values     numbers (64-bit floats), strings in ' or ", true, false, and lists of values: ('a', 'b')
//	operators  ? :   ??   ||   &&   == != < <= > >= =~ !~ in   | ^ &   << >>   + -   * / %   **   ! - ~
//	             loosest first; + joins where one side is a string; =~ and !~ take a regular expression on the right
//	strings    a backslash takes the next character as it is, whatever that is: "\d" is d, "\\d" is \d
//	{{x}}      inside a string the value of x, elsewhere a pair of parentheses
//
// Names of functions are known with and without underscores: to_lower and tolower are one.
//
// Errors of evaluation are of two kinds. A [MissingError] says that a variable has no value here: such an expression is no match, and no
// error of the check. Every other one is a value of a type that an operator or a function does not take.
//
// # Promise
//
// An [Expr] and a [Text] do not change, and are safe for concurrent use. Compiling takes time in proportion to the source; what a function
// returns is at most [MaxValue] bytes long, so that no expression can use up the memory.
package dsl
