package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"belay/internal/plainjson"
)

// table lines up rows under headings. Where the rows do not fit the terminal,
// each becomes a paragraph of labelled lines instead, so that nothing is cut and
// nothing runs over.
type table struct {
	heads []string
	rows  [][]string
	// elastic is the column, counted from 1, that is cut short so that the others
	// fit; 0 for none.
	elastic int
}

// minElastic is how narrow the elastic column may become, in terminal columns.
const minElastic = 16

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
			widths[i] = max(widths[i], cells(c))
		}
	}
	total := 2 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	rows := t.rows
	if width > 0 && total > width {
		if t.elastic == 0 || widths[t.elastic-1]-(total-width) < minElastic {
			return t.paragraphs(width)
		}
		widths[t.elastic-1] -= total - width
		rows = t.cut(widths[t.elastic-1])
	}
	var b strings.Builder
	for _, row := range append([][]string{t.heads}, rows...) {
		var l strings.Builder
		for i, c := range row {
			l.WriteString(pad(c, widths[i]+2))
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

// cut returns the rows with the elastic column cut to a width.
func (t *table) cut(width int) [][]string {
	rows := make([][]string, len(t.rows))
	for i, row := range t.rows {
		rows[i] = slices.Clone(row)
		rows[i][t.elastic-1] = clip(row[t.elastic-1], width)
	}
	return rows
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
		_, _ = io.WriteString(c.err, none+"\n") // the sink keeps its first error
		return
	}
	c.write(t.String(c.width))
}

// write sends text to stdout.
func (c *console) write(text string) { _, _ = io.WriteString(c.out, text) } // the sink keeps its first error

// writeJSON sends v to stdout, indented for people who look at it.
func (c *console) writeJSON(v any) error { return encodeJSON(c.out, v) }

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

// jsonList prints a report as writeJSON does, but for its long list, which comes first.
func (c *console) jsonList(name string) *plainjson.List { return plainjson.NewList(c.out, name, "  ") }

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

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
