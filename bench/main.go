// Command bench measures redial beside other tools on the same work, and prints one table.
//
//	go run ./bench                                # all workloads, five rounds: about half an hour with every tool
//	go run ./bench -workloads healthy -rounds 9   # one of them, more often
//	go run ./bench -scale 0.01 -rounds 1          # small: whether it all works
//	go run ./bench -profile -workloads healthy    # and where redial's CPU time goes
//
// It builds redial, and for each run starts a server in a process of its own: a lab (redial lab), or for workload wide one that
// answers on every loopback address. Then it runs the tool, waits for its end, and asks the system what that took and the
// server what arrived:
//
//	            .-----------> server ----- what arrived, the first one, the last one --.
//	            | requests                                                             v
//	bench --> tool ---------- wall, CPU time, peak memory, exit status -----------> one row
//
// The tools take turns within a round, and each round begins with another, so that what else the machine does meets all of
// them. A figure is the median of the rounds. Workload cluster is healthy by redial alone and by
// redial serve with one redial worker (serve), whose CPU time and memory are those of both. Besides redial there are two loops of this program's own, which only send: bare,
// on redial's HTTP code, and nethttp, on that of the standard library; and those of wrk, ffuf, httpx and nuclei that are
// on the PATH. What is missing is named.
//
// Peak memory is the system's figure for the process. On Linux it is not less than what this program itself holds when it
// starts the tool, about 15 MiB. Linux, or a part of the workloads on macOS.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program: the bench itself, or one of the parts of it that run in a process of their own.
func run(ctx context.Context, args []string, in io.Reader, out, messages io.Writer) (status int) {
	var err error
	switch {
	case len(args) > 0 && args[0] == bareCommand:
		err = runBare(ctx, args[1:])
	case len(args) > 0 && args[0] == wideCommand:
		err = serveWide(in, out)
	default:
		err = runBench(ctx, args, out, messages)
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintln(messages, "bench:", err)
	return 1
}
