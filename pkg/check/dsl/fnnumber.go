package dsl

import (
	"strconv"
	"strings"

	"github.com/hashicorp/go-version"
)

// numberFunctions read and write numbers and versions.
var numberFunctions = map[string]function{
	"tonumber":        of1Err(func(s string) (float64, error) { return strconv.ParseFloat(strings.TrimSpace(s), 64) }),
	"tobool":          of1(toBool),
	"hextodec":        fromBase(16),
	"octtodec":        fromBase(8),
	"bintodec":        fromBase(2),
	"dectohex":        {1, 1, toHex},
	"compareversions": {2, -1, compareVersions},
}

// toBool is true for true and for 1, however they are written.
func toBool(s string) bool {
	s = strings.TrimSpace(s)
	if b, err := strconv.ParseBool(s); err == nil {
		return b
	}
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && f == 1
}

func fromBase(base int) function {
	return of1Err(func(s string) (float64, error) {
		s = strings.Trim(strings.ToLower(strings.TrimSpace(s)), `"`)
		for _, prefix := range [...]string{"0x", "0o", "0b"} {
			s = strings.TrimPrefix(s, prefix)
		}
		n, err := strconv.ParseInt(s, base, 64)
		return float64(n), err
	})
}

func toHex(args []any) (any, error) {
	n, ok := whole(args[0])
	if !ok {
		return nil, wantArguments("a whole number")
	}
	return strconv.FormatInt(int64(n), 16), nil
}

// compareVersions tells whether a version keeps all constraints, such as "< 2.4.1".
func compareVersions(args []any) (any, error) {
	v, err := version.NewVersion(String(args[0]))
	if err != nil {
		return nil, err
	}
	constraints, err := version.NewConstraint(strings.Join(texts(args[1:]), ","))
	if err != nil {
		return nil, err
	}
	return constraints.Check(v), nil
}
