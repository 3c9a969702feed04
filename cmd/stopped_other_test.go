//go:build !unix

package cmd

import "github.com/rogpeppe/go-internal/testscript"

func wantStopped(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("stopped: this system has no signals; a script asks for [unix] before")
}
