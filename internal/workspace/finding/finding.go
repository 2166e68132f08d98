// Package finding is what belay has to say about a project's files: where, how
// bad, and what to do about it.
//
// Every reader and linter of the workspace answers with findings; their codes are
// stable, listed in one table of [Rule]s per package, and documented from there.
// Contract: workspace spec, section 12; the register linter's codes are those of
// the original.
package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says how bad a finding is.
type Severity string

// The severities. A file with an error does not hold what the specification
// demands; a warning is a difference that readers cope with.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Finding is one thing that is wrong with a file or folder.
type Finding struct {
	// Path is relative to the project root, with slashes.
	Path     string   `json:"path,omitempty"`
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`
	// Line is the line in the file, from 1; 0 when it is about the whole file.
	Line int `json:"line,omitempty"`
	// Row is the record of a register, the header being 1; 0 when there is none.
	Row    int    `json:"row,omitempty"`
	Column string `json:"column,omitempty"`
	// Value is what was found, capped.
	Value   string `json:"value,omitempty"`
	Message string `json:"message"`
	// Fix is the next step, in the imperative.
	Fix string `json:"fix,omitempty"`
	// Extra is set for what the original's linter does not look at: it does not
	// count in a register's status and summary.
	Extra bool `json:"extra,omitempty"`
	// Package is the id of the package that a finding is about whose path is in
	// none.
	Package string `json:"-"`
	// Remedy is the command for the finding; its zero value is none.
	Remedy Remedy `json:"-"`
}

// Rule is a kind of finding.
type Rule struct {
	Code     string
	Severity Severity
	// Section of the workspace spec, "6.8".
	Section string
	// Means explains the rule in a sentence for the reference table.
	Means string
	// Fix is the usual next step.
	Fix string
	// Extra is [Finding.Extra], Remedy is [Finding.Remedy].
	Extra  bool
	Remedy Remedy
}

// What is shown of a value is capped, in bytes, as a cell may hold megabytes: in
// [Finding.Value], which programs compare, and in a message.
const (
	maxValue = 1000
	maxShown = 200
)

// At makes a finding of the rule about a line of a file.
func (r *Rule) At(path string, line int, format string, args ...any) Finding {
	return Finding{
		Path: path, Line: line, Severity: r.Severity, Code: r.Code, Extra: r.Extra, Fix: r.Fix, Remedy: r.Remedy,
		Message: fmt.Sprintf(format, args...),
	}
}

// Of returns f with the value that was found. It is copied: a finding does not keep
// the file in memory.
func (f Finding) Of(value string) Finding {
	f.Value = strings.Clone(capped(value, maxValue))
	return f
}

// In returns f for a cell of a register.
func (f Finding) In(row int, column string) Finding {
	f.Row, f.Column = row, column
	return f
}

// About returns f for a package, by its id, in whose folder its path is not.
func (f Finding) About(pkg string) Finding {
	f.Package = pkg
	return f
}

// WithFix returns f with a next step of its own.
func (f Finding) WithFix(format string, args ...any) Finding {
	f.Fix = fmt.Sprintf(format, args...)
	return f
}

// Shown is a value from a file as a message may quote it: capped, valid UTF-8.
func Shown(value string) string { return capped(value, maxShown) }

func capped(value string, most int) string {
	if len(value) <= most {
		return Printable(value)
	}
	return Printable(value[:most]) + "…"
}

// Sort orders findings by path, line, row and column, then as they were found.
func Sort(all []Finding) {
	slices.SortStableFunc(all, compare)
}

func compare(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
}

// Count returns how many of each severity there are.
func Count(all []Finding) (errors, warnings int) {
	for _, f := range all {
		if f.Severity == Error {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}
