// Package document is a text file that remembers its bytes.
//
// Project files are people's: an edit changes the lines that it is about and
// leaves every other byte as it was, whatever line endings, BOM, blank lines or
// prose the file has. A [Document] is read once, looked at as lines, headings,
// fields and tables, edited by line, and written back. Without an edit, what is
// written equals what was read.
//
// Contract: workspace spec, sections 3 to 5, 7, 8, 11 and 13; architecture, "A
// change to a project file".
package document

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Line is one line of a file.
type Line struct {
	// Text is the line without its end.
	Text string
	// End is "\n", "\r\n", "\r", or "" for a last line without one.
	End string
}

// Document is a text file as lines. It is not safe for concurrent use.
type Document struct {
	bom   string
	lines []Line
	// inert is of each line, headings are those of the others; nil until they are asked
	// for, and after every edit.
	inert    []inert
	headings []Heading
	// tables are those that were asked for last.
	tables tables
}

const bom = "\ufeff"

// Parse reads a file. Any bytes are a document.
func Parse(data []byte) *Document {
	d := &Document{}
	text := string(data)
	if rest, ok := strings.CutPrefix(text, bom); ok {
		d.bom, text = bom, rest
	}
	d.lines = make([]Line, 0, strings.Count(text, "\n")+1)
	returns := strings.IndexByte(text, '\r') >= 0
	for text != "" {
		var l Line
		l, text = cut(text, returns)
		d.lines = append(d.lines, l)
	}
	return d
}

// cut takes the first line off text; returns is set where it may have carriage
// returns.
func cut(text string, returns bool) (Line, string) {
	i := strings.IndexByte(text, '\n')
	line := text
	if i >= 0 {
		line = text[:i]
	}
	if returns {
		if r := strings.IndexByte(line, '\r'); r >= 0 {
			end := r + 1
			if end == i {
				end++ // "\r\n"
			}
			return Line{Text: text[:r], End: text[r:end]}, text[end:]
		}
	}
	if i < 0 {
		return Line{Text: text}, ""
	}
	return Line{Text: line, End: text[i : i+1]}, text[i+1:]
}

// Bytes is the file's content.
func (d *Document) Bytes() []byte {
	var b bytes.Buffer
	b.WriteString(d.bom)
	for _, l := range d.lines {
		b.WriteString(l.Text)
		b.WriteString(l.End)
	}
	return b.Bytes()
}

// Len is the number of lines.
func (d *Document) Len() int { return len(d.lines) }

// Line returns the text of line i, from 0, without its end.
func (d *Document) Line(i int) string { return d.lines[i].Text }

// Valid reports whether the file is UTF-8 without NUL.
func (d *Document) Valid() bool {
	return !slices.ContainsFunc(d.lines, func(l Line) bool { return !utf8.ValidString(l.Text) || strings.IndexByte(l.Text, 0) >= 0 })
}

// Set replaces the text of line i. The line keeps its end. Text must be one line:
// what would break it is replaced by a blank.
func (d *Document) Set(i int, text string) {
	d.lines[i].Text = oneLine(text)
	d.edited()
}

// Insert puts new lines before line i; i may be [Document.Len]. They end as the
// lines around them do.
func (d *Document) Insert(i int, texts ...string) {
	if len(texts) == 0 {
		return
	}
	end := d.endNear(i)
	added := make([]Line, len(texts))
	for k, t := range texts {
		added[k] = Line{Text: oneLine(t), End: end}
	}
	if i == len(d.lines) && i > 0 && d.lines[i-1].End == "" {
		// The file's last line has no end: it gets one, and the new last has none.
		d.lines[i-1].End = end
		added[len(added)-1].End = ""
	}
	d.lines = slices.Insert(d.lines, i, added...)
	d.edited()
}

// Delete removes n lines from line i on.
func (d *Document) Delete(i, n int) {
	d.lines = slices.Delete(d.lines, i, i+n)
	d.edited()
}

// edited forgets what was known of the lines.
func (d *Document) edited() { d.inert, d.headings, d.tables = nil, nil, tables{} }

// endNear is how lines around line i end: as the one before, or the one after, or
// with a line feed.
func (d *Document) endNear(i int) string {
	for k := i - 1; k >= 0; k-- {
		if d.lines[k].End != "" {
			return d.lines[k].End
		}
	}
	for k := i; k < len(d.lines); k++ {
		if d.lines[k].End != "" {
			return d.lines[k].End
		}
	}
	return "\n"
}

// oneLine is text that cannot begin another line or end the file's text early.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\r', 0, '\v', '\f', '\u0085', '\u2028', '\u2029':
			return ' '
		}
		return r
	}, text)
}
