package cmd

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// buildVersion is set by the linker for a release.
var buildVersion string

// version is the release, or what the build says of itself.
func version() string {
	if buildVersion != "" {
		return strings.TrimPrefix(buildVersion, "v")
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version[1:]
	}
	return "dev"
}

func newVersionCommand(env Env) *cobra.Command {
	return &cobra.Command{
		Use:         "version",
		Short:       "Print the version",
		GroupID:     groupOther,
		Args:        noArguments,
		Annotations: map[string]string{exitStatusKey: plainExitStatusHelp},
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(env.Stdout, "redial", version())
			return err
		},
	}
}
