//go:build unix

package report

import (
	"os"
	"strings"
	"testing"
)

// A report for a stream needs no name while it is gathered, so that a kill leaves none.
func TestGatheredStreamsHaveNoName(t *testing.T) {
	var b strings.Builder
	out, err := NewWholeStream("stream", &b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(out.file.Name()); !os.IsNotExist(err) {
		t.Errorf("%s is there (%v)", out.file.Name(), err)
	}
	if _, err := out.Write([]byte("text")); err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(); err != nil || b.String() != "text" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
