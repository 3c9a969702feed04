package dsl

import (
	"math/rand/v2"
	"net/netip"
	"strings"
)

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
	// maxRandom bounds what a check may draw at once.
	maxRandom = 1 << 20
)

// randomFunctions draw values, anew at each call.
var randomFunctions = map[string]function{
	"randbase":             {1, 2, randomBase},
	"randchar":             {0, 1, randomChar},
	"randtextalphanumeric": {1, 2, randomFrom(letters + digits)},
	"randtextalpha":        {1, 2, randomFrom(letters)},
	"randtextnumeric":      {1, 2, randomFrom(digits)},
	"randint":              {0, 2, randomInt},
	"randip":               {1, -1, randomIP},
}

func draw(n int, from string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = from[rand.IntN(len(from))]
	}
	return string(b)
}

func randomLength(v any) (int, error) {
	n, ok := whole(v)
	if !ok || n < 0 || n > maxRandom {
		return 0, wantArguments("a length")
	}
	return n, nil
}

// randomBase is rand_base(length, characters).
func randomBase(args []any) (any, error) {
	n, err := randomLength(args[0])
	from := letters + digits
	if len(args) == 2 && String(args[1]) != "" {
		from = String(args[1])
	}
	return draw(n, from), err
}

func randomChar(args []any) (any, error) {
	if len(args) == 1 && String(args[0]) != "" {
		return draw(1, String(args[0])), nil
	}
	return draw(1, letters+digits), nil
}

// randomFrom is rand_text_...(length, characters that are not wanted).
func randomFrom(characters string) func(args []any) (any, error) {
	return func(args []any) (any, error) {
		n, err := randomLength(args[0])
		if err != nil {
			return nil, err
		}
		from := characters
		if len(args) == 2 {
			if from = without(from, String(args[1])); from == "" {
				return nil, wantArguments("some characters that are wanted")
			}
		}
		return draw(n, from), nil
	}
}

// randomInt is rand_int(least, most), both included.
func randomInt(args []any) (any, error) {
	least, most, ok := 0, 1<<31-1, true
	if len(args) > 0 {
		least, ok = whole(args[0])
	}
	if ok && len(args) > 1 {
		most, ok = whole(args[1])
	}
	if !ok || most < least {
		return nil, wantArguments("a least and a greatest number")
	}
	return float64(least + rand.IntN(most-least+1)), nil
}

// randomIP draws an address out of one of the networks.
func randomIP(args []any) (any, error) {
	networks := texts(args)
	network, err := netip.ParsePrefix(strings.TrimSpace(networks[rand.IntN(len(networks))]))
	if err != nil {
		return nil, err
	}
	b := network.Masked().Addr().AsSlice()
	for bit := network.Bits(); bit < len(b)*8; bit++ {
		if rand.IntN(2) == 1 {
			b[bit/8] |= 0x80 >> (bit % 8)
		}
	}
	a, _ := netip.AddrFromSlice(b)
	return a.String(), nil
}
