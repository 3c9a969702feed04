// Command redial scans hosts, hangs up on the dead ones, and calls them back.
package main

import (
	"os"

	"github.com/redialscan/redial/cmd"
)

func main() { os.Exit(profiled(func() int { return cmd.Run(os.Args[1:], cmd.OSEnv()) })) }
