package cli

import (
	"fmt"
	"strings"

	"belay/internal/fault"
	"belay/internal/quantity"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
)

// printRowProblems lists everything that is wrong with the rows of a proposal.
func printRowProblems(c *console, err error) {
	problems, _ := fault.From(err).Details["rowProblems"].([]register.Problem)
	if len(problems) < 2 {
		return // the error says it
	}
	for _, p := range problems {
		c.warn(strings.TrimSpace(fmt.Sprintf("row %d %s", p.Row, p.ID)) + ": " + p.Message)
	}
}

func printImport(c *console, done imported, apply bool) {
	d := done.Diff
	if done.Stale {
		c.warn("the register has changed since this was proposed; what follows is about the register as it is now")
	}
	by, made, note := "", "", ""
	if p := done.Proposal; p != nil {
		by, made, note = line(p.By), line(p.CreatedAt), line(p.Note)
	}
	c.fields("deliverable", done.Deliverable, "folder", done.Path, "proposed by", by, "at", made, "note", note,
		"new", quantity.Count(len(d.New), "row", "rows"), "confirmed", quantity.Count(len(d.Confirmed), "row", "rows"), "retired", quantity.Count(len(d.Retired), "row", "rows"),
		"left", leftRows(done.Left), "added", columnsAdded(d.Columns))
	printDiffRows(c, "+", styleAdded, d.New)
	printDiffRows(c, "~", stylePlace, d.Confirmed)
	printDiffRows(c, "-", styleRemoved, d.Retired)
	switch {
	case done.Applied && !d.Changes():
		c.note("nothing", "to apply: the register has all of it")
	case done.Applied:
		c.note("applied", "the register is changed; belay undo takes it back")
		if done.SummaryProblem != "" {
			c.warn(layout.DependenciesFile + " was not brought in line: " + done.SummaryProblem)
		}
	case !d.Changes():
		c.note("nothing", "to apply: the register has all of it")
	case !apply:
		c.note("nothing", "is written yet; --apply does it")
	}
}

// leftRows says how many rows of a proposal are not looked at, "" for none.
func leftRows(n int) string {
	if n == 0 {
		return ""
	}
	return quantity.Count(n, "row", "rows") + " that --only does not name"
}

// columnsAdded says which columns the register gets, "" for none.
func columnsAdded(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return quantity.Count(len(names), "column", "columns") + ": " + line(strings.Join(names, ", "))
}

// printDiffRows prints rows with what changes in them; those in which nothing does
// are left out.
func printDiffRows(c *console, mark string, s style, rows []register.DiffRow) {
	for _, row := range rows {
		for _, kept := range row.Kept {
			c.write("  " + hang("  "+line(row.ID)+": "+clean(kept), c.width, 4) + "\n")
		}
		if len(row.Changes) == 0 {
			continue
		}
		c.write("  " + painted(c.outColour, s, mark+" "+line(row.ID)) + "\n")
		for _, ch := range row.Changes {
			text := line(ch.Column) + ": "
			if ch.Before != "" {
				text += clip(line(ch.Before), maxShownCell) + " > "
			}
			c.write("      " + hang(text+clip(line(ch.After), maxShownCell), c.width, 8) + "\n")
		}
	}
}

// maxShownCell is how much is shown of a cell, in columns.
const maxShownCell = 200
