package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// stdin stands for a list that comes by standard input.
const stdin = "-"

// wideAddress is the i-th loopback address of a wide list: 127.16.0.1, 127.16.0.2, and so on, without .0 and .255.
func wideAddress(i int) string {
	block := i / 254
	return fmt.Sprintf("127.%d.%d.%d", 16+block/256, block%256, 1+i%254)
}

// writeAddresses writes a wide list of n targets, each with prefix and suffix.
func writeAddresses(w io.Writer, n int, prefix, suffix string) error {
	out := bufio.NewWriter(w)
	for i := range n {
		_, _ = fmt.Fprintf(out, "%s%s%s\n", prefix, wideAddress(i), suffix) // an error stays until Flush
	}
	return out.Flush()
}

// prepare writes the files that tools are given: the list is at urls already, or nobody has made one.
func prepare(w workload, dir, urls string) (work, error) {
	job := work{workload: w, dir: dir, urls: urls, hosts: stdin, scheme: "http"}
	if urls != stdin {
		list, err := os.ReadFile(urls)
		if err != nil {
			return job, err
		}
		text := string(list)
		job.first, _, _ = strings.Cut(text, "\n")
		job.scheme, _, _ = strings.Cut(job.first, "://")
		text = strings.ReplaceAll(strings.ReplaceAll(text, job.scheme+"://", ""), "/\n", "\n")
		job.hosts = filepath.Join(dir, "hosts.txt")
		if err := os.WriteFile(job.hosts, []byte(text), 0o600); err != nil {
			return job, err
		}
	}
	var paths, words, template strings.Builder
	template.WriteString("id: bench\ninfo:\n  name: bench\n  author: bench\n  severity: info\nhttp:\n  - method: GET\n    path:\n")
	for i := range w.checks {
		fmt.Fprintf(&words, "p%d\n", i+1)
		fmt.Fprintf(&paths, "/p%d\n", i+1)
		fmt.Fprintf(&template, "      - \"{{BaseURL}}/p%d\"\n", i+1)
	}
	template.WriteString("    matchers:\n      - type: status\n        status: [200]\n")
	for _, file := range []struct {
		into *string
		name string
		text string
	}{
		{&job.paths, "paths.txt", paths.String()},
		{&job.words, "words.txt", words.String()},
		{&job.template, "bench.yaml", template.String()},
	} {
		*file.into = filepath.Join(dir, file.name)
		if err := os.WriteFile(*file.into, []byte(file.text), 0o600); err != nil {
			return job, err
		}
	}
	return job, nil
}
