package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"
)

// writeTable prints the rows, and below them the goals.
func writeTable(w io.Writer, rows []row, goals []goal) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "workload\ttool\trequests/s\twall\tCPU s/1,000\tpeak MiB\tconns\tlost\tfirst\tlast\t")
	for i, r := range rows {
		name := r.workload
		if i > 0 && rows[i-1].workload == name {
			name = ""
		}
		if r.failed != "" {
			fmt.Fprintf(out, "%s\t%s\tfailed\t\t\t\t\t\t\t\t %s\n", name, r.tool, r.failed)
			continue
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%.4f\t%.1f\t%s\t%s\t%s\t%s\t\n", name, r.tool, thousands(int64(r.rate+0.5)), short(r.wall),
			r.cpu, float64(r.peak)/(1<<20), count(r.conns), count(r.lost), since(r.first), since(r.last))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	out = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, g := range goals {
		if i == 0 {
			fmt.Fprintln(out)
		}
		verdict := "yes"
		if !g.met {
			verdict = "NO"
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", g.what, g.got, g.want, verdict)
	}
	return out.Flush()
}

// short is a duration with three digits or so.
func short(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + "s"
}

func since(d time.Duration) string {
	if d == unknown {
		return "-"
	}
	return short(d)
}

func count(n int64) string {
	if n == unknown {
		return "-"
	}
	return thousands(n)
}

// thousands sets commas.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
