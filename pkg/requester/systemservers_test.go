package requester

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/redialscan/redial/pkg/hosterrors"
)

func TestSystemServers(t *testing.T) {
	for text, want := range map[string]string{
		"search a\nnameserver 192.0.2.1\nnameserver 2001:db8::1\n": "192.0.2.1:53 [2001:db8::1]:53 ",
		"# none\n": "127.0.0.1:53 ",
	} {
		file := filepath.Join(t.TempDir(), "resolv.conf")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := readSystemServers(file)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range all.list {
			got += s.addr + " "
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	_, err := readSystemServers(filepath.Join(t.TempDir(), "none"))
	if _, ok := errors.AsType[*hosterrors.BuildError](err); !ok || !errors.Is(err, errNoServers) {
		t.Errorf("without the file: %v", err)
	}
}
