package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// table lines up rows under headings. Where the rows do not fit the terminal, the
// last column wraps under its heading. Where too little is left for it, each row
// becomes a paragraph of labelled lines. Nothing is cut but a preview.
type table struct {
	heads []string
	rows  [][]string
	// preview is the column, counted from 1, whose text only helps to recognise a
	// row. It is cut so that the others fit; 0 for none.
	preview int
}

// minElastic is how narrow the column that wraps or is cut may become, in terminal
// columns.
const minElastic = 16

// maxPadded is how far one cell moves those after it in all rows where no terminal sets a width,
// in columns. A longer one moves those of its own row.
const maxPadded = 80

// add appends a row; cells may come from outside.
func (t *table) add(cols ...string) {
	row := make([]string, len(t.heads))
	for i := range row {
		if i < len(cols) {
			row[i] = line(cols[i])
		}
	}
	t.rows = append(t.rows, row)
}

// String lays the table out for a width, 0 for no limit.
func (t *table) String(width int) string {
	if len(t.rows) == 0 {
		return ""
	}
	widths := make([]int, len(t.heads))
	for _, row := range append([][]string{t.heads}, t.rows...) {
		for i, c := range row {
			n := cells(c)
			if width == 0 {
				n = min(n, maxPadded)
			}
			widths[i] = max(widths[i], n)
		}
	}
	last := len(widths) - 1
	margin := 2 * last
	for _, w := range widths[:last] {
		margin += w
	}
	if over := margin + widths[last] - width; width > 0 && over > 0 {
		elastic := last
		if t.preview > 0 {
			elastic = t.preview - 1
		}
		widths[elastic] -= over
		if elastic != last {
			margin -= over
		}
		if widths[elastic] < minElastic || t.unbreakable(last, widths[last]) {
			return t.paragraphs(width)
		}
	}
	var b strings.Builder
	for _, row := range append([][]string{t.heads}, t.rows...) {
		var l strings.Builder
		for i, c := range row {
			switch {
			case i == t.preview-1:
				c = clip(c, widths[i])
			case i == last:
				c = hang(c, width, margin)
			}
			l.WriteString(pad(c, widths[i]) + "  ")
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

// unbreakable reports whether a column has a cell that cannot wrap and is wider than
// this, such as a path. Its row needs the whole width.
func (t *table) unbreakable(column, width int) bool {
	return column != t.preview-1 && slices.ContainsFunc(t.rows, func(row []string) bool {
		return cells(row[column]) > width && len(pieces(row[column])) == 1
	})
}

func (t *table) paragraphs(width int) string {
	label := 0
	for _, h := range t.heads {
		label = max(label, cells(h))
	}
	var b strings.Builder
	for i, row := range t.rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		for j, c := range row {
			if c == "" {
				continue
			}
			b.WriteString(pad(strings.ToLower(t.heads[j]), label+2) + hang(c, width, label+2) + "\n")
		}
	}
	return b.String()
}

// print writes the table to stdout, or says on stderr that there is nothing.
func (c *console) print(t *table, none string) {
	if len(t.rows) == 0 {
		_, _ = io.WriteString(c.err, hang(none, c.width, 0)+"\n") // the sink keeps its first error
		return
	}
	c.write(t.String(c.width))
}

// write sends text to stdout.
func (c *console) write(text string) { _, _ = io.WriteString(c.out, text) } // the sink keeps its first error

// writeJSON sends v to stdout, indented for people who look at it.
func (c *console) writeJSON(v any) error { return encodeJSON(c.out, v) }

// answer gives the answer of a command: with --json v, else what show prints for people.
func answer(c *console, v any, show func()) error {
	if c.json {
		return c.writeJSON(v)
	}
	show()
	return nil
}

// encodeJSON writes a value in the form that every report has.
func encodeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	return nil
}

// fields prints labelled lines, in order, leaving out the empty ones.
func (c *console) fields(pairs ...string) {
	label := 0
	for i := 0; i < len(pairs); i += 2 {
		label = max(label, cells(pairs[i]))
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if v := clean(pairs[i+1]); v != "" {
			c.write(pad(pairs[i], label+2) + hang(v, c.width, label+2) + "\n")
		}
	}
}
