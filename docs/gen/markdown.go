package main

import (
	"bytes"
	"fmt"
	"strings"
)

// doc is a Markdown page while it is written.
type doc struct{ bytes.Buffer }

// newDoc begins a page with its title and where it comes from.
func newDoc(title, intro string) *doc {
	d := &doc{}
	fmt.Fprintf(d, "# %s\n\n<!-- Written by go run ./docs/gen; edits are lost. -->\n\n%s\n", title, intro)
	return d
}

func (d *doc) heading(text string) { fmt.Fprintf(d, "\n## %s\n\n", text) }

// table begins a table; row adds to it.
func (d *doc) table(heads ...string) {
	d.row(heads...)
	d.WriteString("|" + strings.Repeat("---|", len(heads)) + "\n")
}

func (d *doc) row(cells ...string) {
	for _, c := range cells {
		d.WriteString("| " + strings.ReplaceAll(strings.ReplaceAll(c, "|", `\|`), "\n", " ") + " ")
	}
	d.WriteString("|\n")
}

// code sets text as code, nothing as nothing.
func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// codes sets each of a list as code.
func codes(list []string) string {
	set := make([]string, len(list))
	for i, s := range list {
		set[i] = code(s)
	}
	return strings.Join(set, ", ")
}
