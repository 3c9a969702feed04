package cmd

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/report/page"
)

// reportFormats are what --report takes, in the order of its help.
func reportFormats() []string {
	return []string{"sarif", "junit", "html", "markdown", "csv", "text", "jsonl"}
}

// reportOptions say which reports are made, of a scan or of an earlier one.
type reportOptions struct {
	reports     []string // as typed
	annotations bool
}

// wantedReport is one value of --report.
type wantedReport struct{ format, file string }

func (o *reportOptions) addFlags(fs *pflag.FlagSet) {
	listVar(fs, &o.reports, "report", "",
		"write a report too, as `format=file`: "+strings.Join(reportFormats(), ", ")+"; may be given several times")
	fs.BoolVar(&o.annotations, "annotations", false, "tell GitHub Actions the worst findings, as annotations of the run")
}

// wanted parses the values. Standard output is one file of them only where that is allowed.
func (o *reportOptions) wanted(stdout bool) ([]wantedReport, error) {
	var all []wantedReport
	taken := false
	for _, value := range o.reports {
		format, file, ok := strings.Cut(value, "=")
		format = strings.ToLower(strings.TrimSpace(format))
		if format == "md" {
			format = "markdown"
		}
		known := slices.Contains(reportFormats(), format)
		switch ext := strings.TrimPrefix(filepath.Ext(value), "."); {
		case !known && !ok && slices.Contains(reportFormats(), ext):
			return nil, usageErrorf("report", "%q names no format, expected format=file such as %s=%s", value, ext, value)
		case !known:
			hint := "expected one of " + strings.Join(reportFormats(), ", ")
			if meant := nearest(format, reportFormats()); meant != "" {
				hint = "did you mean " + meant + "?"
			}
			return nil, usageErrorf("report", "unknown format %q, %s", format, hint)
		case !ok || file == "":
			return nil, usageErrorf("report", "%q names no file, expected format=file such as %s=scan.%s", value, format, format)
		case file == "-" && !stdout:
			return nil, usageErrorf("report", "%q, expected a file; the results go to standard output", value)
		case file == "-" && taken:
			return nil, usageErrorf("report", "standard output is given twice")
		}
		taken = taken || file == "-"
		all = append(all, wantedReport{format, file})
	}
	return all, nil
}

// handlers opens the files, so that one that cannot be written is known before anything is done.
func (o *reportOptions) handlers(stdout, stderr io.Writer, files *report.Files) ([]report.Handler, error) {
	wanted, err := o.wanted(true) // what is not allowed was refused before
	if err != nil {
		return nil, err
	}
	var handlers []report.Handler
	// Files that are written line by line are there from now on, and those that come whole are told from them.
	for _, whole := range []bool{false, true} {
		for _, w := range wanted {
			if streamed := w.format == "text" || w.format == "jsonl"; streamed == whole {
				continue
			}
			h, err := w.open(stdout, files)
			if err != nil {
				return nil, err
			}
			handlers = append(handlers, h)
		}
	}
	if o.annotations {
		handlers = append(handlers, report.NewAnnotations(stderr))
	}
	return handlers, nil
}

// open makes the handler of a report.
func (w wantedReport) open(stdout io.Writer, files *report.Files) (report.Handler, error) {
	what := w.format + " report"
	if w.format == "text" || w.format == "jsonl" {
		out := report.NewOutput(standardOutput, stdout, false)
		if w.file != "-" {
			var err error
			if out, err = files.Open(w.file, what); err != nil {
				return nil, err
			}
		}
		if w.format == "jsonl" {
			return report.NewJSONL(out, false), nil
		}
		return report.NewText(out, report.TextOptions{}), nil
	}
	var out *report.WholeFile
	var err error
	if w.file == "-" {
		out, err = report.NewWholeStream(standardOutput, stdout)
	} else {
		out, err = files.OpenWhole(w.file, what)
	}
	if err != nil {
		return nil, err
	}
	switch w.format {
	case "sarif":
		return report.NewDocument(out, report.NewSARIF()), nil
	case "junit":
		return report.NewJUnit(out), nil
	case "html":
		return report.NewDocument(out, page.New()), nil
	case "markdown":
		return report.NewDocument(out, report.NewMarkdown()), nil
	case "csv":
		return report.NewCSV(out), nil
	}
	out.Discard()
	return nil, fmt.Errorf("report format %q, expected one that redial knows", w.format) // wanted has refused it
}
