package chat

import (
	"strings"

	"belay/internal/render"
)

// row is one line of a list from which a person picks.
type row struct {
	// head says what it is, detail what else is known.
	head, detail string
	// mark is set on where one is.
	mark bool
}

// namesColumn is how wide the first column gets where the heads are names. Lists of
// longer heads, such as what was said first, have their details at the right.
const namesColumn = 28

// drawList draws as many rows as fit around the one at an index; -1 picks none. more is
// how many rows stand below the last one.
func drawList(l *render.Look, rows []row, at, most, width int) (lines []string, more int) {
	top := max(0, min(at-most/2, len(rows)-most))
	column := 0
	for _, r := range rows {
		column = max(column, l.Cells(render.Line(r.head)))
	}
	if column > namesColumn || column > width/2 {
		column = 0
	}
	end := min(len(rows), top+most)
	for i, r := range rows[top:end] {
		lines = append(lines, r.draw(l, top+i == at, column, width))
	}
	return lines, len(rows) - end
}

// draw draws the head, then as much of the detail as fits: after a column, or at the
// right where that is 0.
func (r row) draw(l *render.Look, picked bool, column, width int) string {
	sign, style := "  ", l.Plain
	switch {
	case picked:
		sign, style = "› ", l.Strong
	case r.mark:
		sign = "* "
	}
	room, detail := max(1, width-2), render.Line(r.detail)
	head := render.Line(r.head)
	if column == 0 && detail != "" {
		detail = l.Cut(detail, max(0, room/2, room-2-l.Cells(head)))
		head = l.Cut(head, max(1, room-2-l.Cells(detail)))
	} else {
		head = l.Cut(head, room)
		detail = l.Cut(detail, max(0, room-2-column))
	}
	line := l.Accent.Render(l.Cut(sign, width)) + style.Render(head)
	gap := column + 2 - l.Cells(head)
	if column == 0 {
		gap = room - l.Cells(head) - l.Cells(detail)
	}
	if detail != "" && gap > 0 {
		line += strings.Repeat(" ", gap) + l.Faint.Render(detail)
	}
	return line
}

// cutOff reports whether the window is too narrow for the detail of a row that explains a
// name.
func cutOff(l *render.Look, rows []row, at, width int) bool {
	column := 0
	for _, r := range rows {
		column = max(column, l.Cells(render.Line(r.head)))
	}
	return column <= namesColumn && 2+column+2+l.Cells(render.Line(rows[at].detail)) > width
}
