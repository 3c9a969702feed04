package dsl

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// Waiter is an [Env] in which wait_for works.
type Waiter interface {
	Env
	// Wait returns after d, or with an error when that is not to be awaited.
	Wait(d time.Duration) error
}

// maxWait is the longest time that wait_for takes.
const maxWait = 10 * time.Minute

var errNoWait = errors.New("there is no waiting here")

// waitCall is wait_for(seconds), which is true once they have passed.
type waitCall struct{ seconds node }

func (n *waitCall) eval(env Env) (any, error) {
	v, err := n.seconds.eval(env)
	if err != nil {
		return nil, err
	}
	seconds, ok := number(v)
	if !ok || seconds < 0 || seconds > maxWait.Seconds() {
		return nil, &FunctionError{Name: "wait_for", Err: wantArguments("a number of seconds, at most 600")}
	}
	waiter, ok := env.(Waiter)
	if !ok {
		return nil, &FunctionError{Name: "wait_for", Err: errNoWait}
	}
	if err := waiter.Wait(time.Duration(seconds * float64(time.Second))); err != nil {
		return nil, err
	}
	return true, nil
}

// varying are the functions whose value may be another at each call, by the beginnings of their names.
var varying = [...]string{"rand", "unixtime", "datetime", "aesgcm", "rsaencrypt", "generatejwt", "waitfor"}

func varies(name string) bool {
	key := strings.ReplaceAll(strings.ToLower(name), "_", "")
	return slices.ContainsFunc(varying[:], func(beginning string) bool { return strings.HasPrefix(key, beginning) })
}
