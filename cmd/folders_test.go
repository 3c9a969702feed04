package cmd

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestUserFolder(t *testing.T) {
	xdg := t.TempDir()
	for _, tt := range []struct {
		name, system string
		env          map[string]string
		want         string
	}{
		{"the variable", "linux", map[string]string{"XDG_STATE_HOME": xdg, "HOME": "/home/u"}, xdg},
		{"the variable on Windows too", "windows", map[string]string{"XDG_STATE_HOME": xdg, "LocalAppData": "local"}, xdg},
		{"a relative one counts for nothing", "linux", map[string]string{"XDG_STATE_HOME": "state", "HOME": "/home/u"}, "/home/u/.local/state"},
		{"none", "freebsd", map[string]string{"HOME": "/home/u"}, "/home/u/.local/state"},
		{"macOS", "darwin", map[string]string{"HOME": "/Users/u"}, "/Users/u/Library/Application Support"},
		{"Windows", "windows", map[string]string{"HOME": "/home/u", "LocalAppData": "local"}, "local"},
		{"nowhere", "linux", nil, ""},
	} {
		got := userFolder(tt.system, func(name string) string { return tt.env[name] }, "XDG_STATE_HOME", "LocalAppData", ".local/state")
		if got != filepath.FromSlash(tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	env := testEnv(t)
	if configFile(env) != "" || stateFolder(env) != "" {
		t.Error("a file in no folder")
	}
	env.Getenv = func(name string) string {
		return map[string]string{"XDG_STATE_HOME": xdg, "XDG_CONFIG_HOME": xdg}[name]
	}
	if stateFolder(env) != filepath.Join(xdg, "redial", "scans") || configFile(env) != filepath.Join(xdg, "redial", "config.yaml") {
		t.Errorf("%s and %s on %s", stateFolder(env), configFile(env), runtime.GOOS)
	}
}
