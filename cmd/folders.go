package cmd

import (
	"path/filepath"
	"runtime"
)

// configFile is where the file is looked for when --config does not say; "" when the user has no folder.
func configFile(env Env) string {
	return inFolder(userFolder(runtime.GOOS, env.Getenv, "XDG_CONFIG_HOME", "AppData", ".config"), "redial", "config.yaml")
}

// stateFolder is where journals are kept that nobody has named a file for; "" when the user has no folder.
func stateFolder(env Env) string {
	return inFolder(userFolder(runtime.GOOS, env.Getenv, "XDG_STATE_HOME", "LocalAppData", ".local/state"), "redial", "scans")
}

// userFolder is the user's folder of a kind: that of the XDG variable on any system, otherwise what the system has for it.
// A relative name in the variable counts for nothing, as the XDG rules say.
func userFolder(system string, getenv func(string) string, xdg, windows, below string) string {
	if folder := getenv(xdg); filepath.IsAbs(folder) {
		return folder
	}
	switch home := getenv("HOME"); {
	case system == "windows":
		return getenv(windows)
	case home == "":
		return ""
	case system == "darwin":
		return filepath.Join(home, "Library", "Application Support")
	default:
		return filepath.Join(home, filepath.FromSlash(below))
	}
}

func inFolder(folder string, names ...string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(append([]string{folder}, names...)...)
}
