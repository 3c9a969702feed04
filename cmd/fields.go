package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redialscan/redial/pkg/report"
)

// fieldsValue is the flag that names the fields of a line of text: "status,title", or "+ip" for one more than usual.
type fieldsValue struct {
	only []string // nil: the usual ones
	more []string
}

func (v *fieldsValue) String() string {
	var all []string
	all = append(all, v.only...)
	for _, name := range v.more {
		all = append(all, "+"+name)
	}
	return strings.Join(all, ",")
}

// Type names the value in helps.
func (v *fieldsValue) Type() string { return "names" }

// Set adds the names of a flag's text.
func (v *fieldsValue) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		name, more := strings.CutPrefix(strings.ToLower(strings.TrimSpace(part)), "+")
		known, err := fieldName(name)
		switch {
		case err != nil:
			return err
		case more:
			v.more = append(v.more, known)
		default:
			v.only = append(v.only, known)
		}
	}
	return nil
}

// fieldNames are the fields by our names.
func fieldNames() []string {
	var names []string
	for _, f := range report.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// fieldName gives our name of a field.
func fieldName(name string) (string, error) {
	var all []string
	for _, f := range report.Fields() {
		if f.Name == name || slices.Contains(f.Also, name) {
			return f.Name, nil
		}
		all = append(append(all, f.Name), f.Also...)
	}
	if meant := nearest(name, all); meant != "" {
		return "", fmt.Errorf("no field %q, did you mean %s?", name, meant)
	}
	return "", fmt.Errorf("no field %q, expected some of %s", name, strings.Join(fieldNames(), ","))
}
