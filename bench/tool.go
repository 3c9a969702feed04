package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"time"
)

// concurrency is what every tool is given, as requests in flight, threads or connections: redial's default.
const concurrency = 150

// wrkTime is how long wrk sends: it knows no number of requests.
const wrkTime = 2 * time.Second

// tool is a program that is measured.
type tool struct {
	name string
	// ours: this program itself, or the redial that it built; any other is looked for on the PATH.
	ours bool
	args func(work) []string
	// beside are the arguments of a second process of the same program, which does a part of the work; nil = there is none.
	beside func(work) []string
	// tells says that it tells what became of its items, as redial does.
	tells bool
}

// work is what a tool is told to do, as files and numbers.
type work struct {
	workload
	dir      string
	urls     string // file with a URL a line; "-" where they come by standard input
	hosts    string // the same as host:port
	paths    string // file with a path a line
	words    string // the same without the slash
	template string // the same as a template for nuclei
	scheme   string
	first    string // one of the URLs
	port     int    // free for a server of the tool's own, or on which nothing listens
}

func allTools() []tool {
	return []tool{
		{name: "redial", ours: true, args: redialArgs, tells: true},
		{name: "serve", ours: true, args: sharedArgs, beside: workerArgs, tells: true},
		{name: "bare", ours: true, args: bareArgs},
		{name: "nethttp", ours: true, args: func(w work) []string { return append(bareArgs(w), "-nethttp") }},
		{name: "wrk", args: wrkArgs},
		{name: "ffuf", args: ffufArgs},
		{name: "httpx", args: httpxArgs},
		{name: "nuclei", args: nucleiArgs},
	}
}

func toolNames() []string {
	var names []string
	for _, t := range allTools() {
		names = append(names, t.name)
	}
	return names
}

// find splits the tools that were asked for into those that can be run, each with its program, and the missing.
func find(wanted []string, redial, self string) (programs map[string]string, missing []string) {
	programs = map[string]string{"redial": redial, "serve": redial, "bare": self, "nethttp": self}
	for _, name := range wanted {
		if programs[name] != "" {
			continue
		}
		path, err := exec.LookPath(name)
		if err != nil {
			missing = append(missing, name)
			continue
		}
		programs[name] = path
	}
	return programs, missing
}

func redialArgs(w work) []string {
	args := []string{
		"scan", "-l", w.urls, "--rate-limit", "0", "--host-rate-limit", "0", "--no-progress",
		"--concurrency", strconv.Itoa(concurrency), "--timeout", w.timeout.String(),
	}
	if w.checks > 1 {
		args = append(args, "--path", w.paths)
	}
	return append(args, w.flags...)
}

func bareArgs(w work) []string {
	args := []string{bareCommand, "-list", w.urls, "-workers", strconv.Itoa(concurrency), "-timeout", w.timeout.String()}
	if w.checks > 1 {
		args = append(args, "-paths", w.paths)
	}
	return args
}

// wrk asks one host for one path: it is the limit of what the server and the system give.
func wrkArgs(w work) []string {
	args := []string{
		"-t", strconv.Itoa(min(2, runtime.NumCPU())), "-c", strconv.Itoa(concurrency),
		"-d", fmt.Sprintf("%.0fs", wrkTime.Seconds()), "--timeout", seconds(w.timeout),
	}
	if w.checks == 1 {
		return append(args, "-H", "Connection: close", w.first)
	}
	return append(args, w.first+"p1")
}

func ffufArgs(w work) []string {
	args := []string{"-s", "-t", strconv.Itoa(concurrency), "-timeout", seconds(w.timeout), "-w", w.hosts + ":HOST"}
	if w.checks == 1 {
		return append(args, "-mc", "all", "-u", w.scheme+"://HOST/")
	}
	return append(args, "-w", w.words+":WORD", "-u", w.scheme+"://HOST/WORD")
}

func httpxArgs(w work) []string {
	args := []string{
		"-silent", "-nc", "-duc", "-t", strconv.Itoa(concurrency), "-rl", "1000000", "-timeout", seconds(w.timeout), "-retries", "0",
	}
	if w.urls != stdin {
		args = append(args, "-l", w.urls)
	}
	if w.checks > 1 {
		args = append(args, "-path", w.paths, "-mc", "200")
	}
	return args
}

func nucleiArgs(w work) []string {
	return []string{
		"-l", w.urls, "-t", w.template, "-silent", "-nc", "-duc", "-ni", "-nh", "-bs", strconv.Itoa(concurrency),
		"-c", strconv.Itoa(concurrency), "-rl", "1000000", "-timeout", seconds(w.timeout), "-retries", "0",
	}
}

func seconds(d time.Duration) string { return strconv.Itoa(max(1, int(d.Seconds()))) }
