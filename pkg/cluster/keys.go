package cluster

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// PublicKeys reads the keys of those who are let in, one a line: public keys, or seeds, of which the public key is taken.
// Blank lines and those that begin with # are passed over. The error names the line, and not what is in it.
func PublicKeys(text []byte) ([]string, error) {
	var all []string
	for i, line := range bytes.Split(text, []byte{'\n'}) {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0 || line[0] == '#':
		case nkeys.IsValidPublicUserKey(string(line)):
			all = append(all, string(line))
		default:
			pair, err := nkeys.FromSeed(line)
			if err != nil {
				return nil, fmt.Errorf("line %d: no nkey, expected the public key or the seed of a user (U..., SU...)", i+1)
			}
			public, err := pair.PublicKey()
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			all = append(all, public)
		}
	}
	return all, nil
}

// Seed finds the seed of a user's nkey in a text, as nk writes it: blank lines, comments and public keys are passed over. It is nil
// for an empty text. The error does not say what is in it.
func Seed(text []byte) ([]byte, error) {
	var seed []byte
	for i, line := range bytes.Split(text, []byte{'\n'}) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' || nkeys.IsValidPublicUserKey(string(line)) {
			continue
		}
		if _, err := nkeys.FromSeed(line); err != nil || seed != nil {
			return nil, fmt.Errorf("line %d: no seed of an nkey, or another one, expected one that begins with SU", i+1)
		}
		seed = line
	}
	if seed == nil && len(bytes.TrimSpace(text)) > 0 {
		return nil, errors.New("no seed of an nkey, expected one that begins with SU")
	}
	return seed, nil
}

func newKey() (seed []byte, public string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, "", err
	}
	if public, err = pair.PublicKey(); err != nil {
		return nil, "", err
	}
	seed, err = pair.Seed()
	return seed, public, err
}

func withSeed(seed []byte) (nats.Option, error) {
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return nil, fmt.Errorf("nkey seed: %w", err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("nkey seed: %w", err)
	}
	return nats.Nkey(public, pair.Sign), nil
}
