package render

import (
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// inline sets the words within a block; style is that of those around them.
func (s *setter) inline(n ast.Node, style lipgloss.Style) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			paint(&b, style, words(c.Segment.Value(s.source)))
			switch {
			case c.HardLineBreak():
				b.WriteByte('\n')
			case c.SoftLineBreak():
				b.WriteByte(' ')
			}
		case *ast.String:
			paint(&b, style, words(c.Value))
		case *ast.CodeSpan:
			paint(&b, s.l.Code, s.raw(c))
		case *ast.Emphasis:
			if c.Level > 1 {
				b.WriteString(s.inline(c, style.Bold(true)))
			} else {
				b.WriteString(s.inline(c, style.Italic(true)))
			}
		case *xast.Strikethrough:
			b.WriteString(s.inline(c, style.Strikethrough(true)))
		case *xast.TaskCheckBox:
			box := "[ ] "
			if c.IsChecked {
				box = "[x] "
			}
			paint(&b, style, box)
		case *ast.Link:
			b.WriteString(s.link(s.inline(c, style.Underline(true)), s.plainOf(c), string(c.Destination)))
		case *ast.Image:
			b.WriteString(s.link(s.inline(c, style), "", string(c.Destination)))
		case *ast.AutoLink:
			paint(&b, style.Underline(true), Line(string(c.URL(s.source))))
		case *ast.RawHTML:
			for i := range c.Segments.Len() {
				at := c.Segments.At(i)
				paint(&b, style, Line(string(at.Value(s.source))))
			}
		default:
			b.WriteString(s.inline(c, style))
		}
	}
	return b.String()
}

// link shows where a link leads, unless its words say so: nothing is hidden behind
// them.
func (s *setter) link(shown, plain, to string) string {
	to = Line(to)
	if to == "" || to == plain {
		return shown
	}
	return shown + s.l.Faint.Render(" ("+to+")")
}

// plainOf is the text of a node without its styles.
func (s *setter) plainOf(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.WriteString(words(t.Segment.Value(s.source)))
		}
	}
	return b.String()
}

// raw is the text of a code span.
func (s *setter) raw(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.WriteString(oneLineKept(string(t.Segment.Value(s.source))))
		}
	}
	return b.String()
}

// words resolves escapes and character references. A reference can stand for any
// character, so the result is cleaned once more.
func words(source []byte) string {
	resolved := util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(source)))
	return strings.ReplaceAll(Clean(string(resolved)), "\n", " ")
}

// oneLineKept keeps every space of a line.
func oneLineKept(s string) string { return strings.ReplaceAll(s, "\n", " ") }

// paint writes text in a style. Without any it is not touched at all.
func paint(b *strings.Builder, style lipgloss.Style, text string) {
	if text != "" {
		b.WriteString(style.Render(text))
	}
}

// wrap breaks styled text; each line opens and closes its own styles. What wraps
// counts wide letters at the end of a line too late, so it is asked again for a
// narrower one where that happened; a character that is wider than the line stays.
func (s *setter) wrap(styled string, width int) []string {
	for asked := width; ; asked-- {
		lines := s.l.wrap(styled, asked)
		if asked <= max(2, width-widest) || !slices.ContainsFunc(lines, func(line string) bool { return s.l.Cells(line) > width }) {
			return lines
		}
	}
}

// widest is how many columns a character has at most that people use: a family of
// four where each of them is counted.
const widest = 8

func (l *Look) wrap(styled string, width int) []string {
	return l.restyled(l.Wide.Wrap(styled, width, ""))
}

// restyled are the lines of a text, each of which opens and closes its own styles.
func (l *Look) restyled(text string) []string {
	var b strings.Builder
	w := lipgloss.NewWrapWriter(&b)
	_, _ = io.WriteString(w, text) // a builder takes everything
	_ = w.Close()
	return strings.Split(b.String(), "\n")
}
