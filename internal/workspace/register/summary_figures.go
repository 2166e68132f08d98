package register

import (
	"cmp"
	"fmt"
	"strings"

	"belay/internal/workspace/document"
)

// figures are the lines of _DEPENDENCIES.md that belay owns (workspace 5.2): they
// say what is in the register, and nothing else.
type figures struct {
	// labels are the six lines with which the register's section begins, anchors and
	// executions its two tables, lifecycle the table of the Lifecycle Summary.
	labels, anchors, executions, lifecycle []string
}

// The labels of the six lines.
var figureLabels = []string{
	"Run date", "Schema version", "Total ACTIVE rows", "ANCHOR rows (ACTIVE)", "EXECUTION rows (ACTIVE)", "RETIRED rows",
}

// The headings and the columns of the two tables, and of the third.
const (
	anchorHeading    = "### ANCHOR Rows"
	executionHeading = "### EXECUTION Rows (summary)"
)

var (
	anchorListing    = []string{"DependencyID", "AnchorType", "TargetType", "TargetRefID / TargetName", "Confidence"}
	executionListing = []string{"DependencyID", "Direction", "DependencyType", "TargetType", "Target", "Confidence"}
	lifecycleHeader  = []string{"Dimension", "Count"}

	anchorColumns    = []Column{DependencyID, AnchorType, TargetType, numColumns, Confidence}
	executionColumns = []Column{DependencyID, Direction, Type, TargetType, numColumns, Confidence}
)

// figures are those of the register. Day is that of the run.
func (r *Register) figures(day string) figures {
	f := figures{
		anchors:    []string{document.TableRow(anchorListing...), rule(anchorListing)},
		executions: []string{document.TableRow(executionListing...), rule(executionListing)},
		lifecycle:  []string{document.TableRow(lifecycleHeader...), rule(lifecycleHeader)},
	}
	var active, retired, anchors, parents, traces, executions, blank int
	closure := map[string]int{}
	for i := range r.rows {
		row := r.Row(i)
		if row.Value(Status) == statusRetired {
			retired++
		}
		if !row.Active() {
			continue
		}
		active++
		if word := row.Value(Satisfaction); enumerations[Satisfaction].has(word) {
			closure[word]++
		} else {
			blank++
		}
		switch row.Value(Class) {
		case classAnchor:
			anchors++
			f.anchors = append(f.anchors, listLine(row, anchorColumns))
			switch row.Value(AnchorType) {
			case implementsNode:
				parents++
			case tracesToRequirement:
				traces++
			}
		case classExecution:
			executions++
			f.executions = append(f.executions, listLine(row, executionColumns))
		}
	}
	for i, value := range []string{
		day, Version, fmt.Sprint(active), fmt.Sprintf("%d (%d parent + %d trace)", anchors, parents, traces), fmt.Sprint(executions), fmt.Sprint(retired),
	} {
		f.labels = append(f.labels, "**"+figureLabels[i]+":** "+value)
	}
	count := func(dimension string, n int) {
		f.lifecycle = append(f.lifecycle, document.TableRow(dimension, fmt.Sprint(n)))
	}
	count(statusActive, active)
	count(statusRetired, retired)
	for _, word := range enumerations[Satisfaction].words {
		if closure[word] > 0 {
			count("SatisfactionStatus "+word+" (ACTIVE)", closure[word])
		}
	}
	if blank > 0 {
		count("SatisfactionStatus not assessed (ACTIVE)", blank)
	}
	return f
}

// section is the body of the register's section.
func (f *figures) section() []string {
	return append(append([]string{}, f.labels...), f.tables()...)
}

// tables are the two tables under their headings, each with a blank line before it.
func (f *figures) tables() []string {
	all := append([]string{"", anchorHeading, ""}, f.anchors...)
	all = append(all, "", executionHeading, "")
	return append(all, f.executions...)
}

func rule(header []string) string { return "|" + strings.Repeat("---|", len(header)) }

// listLine is the line of a table for a row, with what it shows in these columns;
// numColumns stands for the target.
func listLine(row Row, columns []Column) string {
	cells := make([]string, len(columns))
	for k, c := range columns {
		if c == numColumns {
			cells[k] = row.target()
		} else {
			cells[k] = oneBlank(row.Value(c))
		}
	}
	return document.TableRow(cells...)
}

// target names a row's target by its id and its name.
func (w Row) target() string {
	id, name := "", oneBlank(w.Value(TargetName))
	for _, c := range []Column{TargetDeliverableID, TargetRefID, TargetPackageID} {
		if id = oneBlank(w.Value(c)); id != "" {
			break
		}
	}
	name = cmp.Or(name, oneBlank(w.Value(TargetLocation)))
	switch {
	case id == "" || strings.HasPrefix(name, id):
		return name
	case name == "":
		return id
	}
	return id + ": " + name
}

// oneBlank is a text with one blank where it has any.
func oneBlank(text string) string { return strings.Join(strings.Fields(text), " ") }
