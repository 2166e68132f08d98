package render

import (
	"fmt"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// parser reads the markdown that models write. It is made at first use.
var parser = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))
})

// setter sets one markdown text in lines for the terminal. It is our own because
// the usual renderer costs every start of the program tens of milliseconds, and
// because here nothing of the text reaches the terminal but letters and our own
// colours: there are no links to hide behind and no raw HTML.
type setter struct {
	l      *Look
	source []byte
}

// Markdown sets markdown for a width. A text at which the parser fails is shown as it
// is: what a model writes must not be able to end the chat.
func Markdown(l *Look, markdown string, width int) (lines []string) {
	markdown = Clean(markdown)
	defer func() {
		if recover() != nil {
			lines = l.Fold(markdown, width)
		}
	}()
	s := &setter{l: l, source: []byte(markdown)}
	doc := parser().Parser().Parse(text.NewReader(s.source))
	for _, line := range s.blocks(doc, max(4, width), false) {
		lines = append(lines, l.within(line, width)...)
	}
	return lines
}

// within breaks a styled line that is wider than the window all the same: what wraps
// words is wrong about some, and in a narrow window the margins alone may be too wide.
// A character that is wider than the line stays.
func (l *Look) within(line string, width int) []string {
	if len(line) <= width || l.Cells(line) <= width {
		return []string{line}
	}
	return l.restyled(l.Wide.Hardwrap(line, width, true))
}

// blocks sets the children of a node, with a free line between them unless they
// belong close together.
func (s *setter) blocks(n ast.Node, width int, tight bool) []string {
	var out []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines := s.block(c, width)
		if len(out) > 0 && len(lines) > 0 && !tight {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

func (s *setter) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		sign := strings.Repeat("#", n.Level) + " "
		return s.wrap(s.l.Heading.Render(sign)+s.inline(n, s.l.Heading), width)
	case *ast.Paragraph, *ast.TextBlock:
		return s.wrap(s.inline(n, s.l.Plain), width)
	case *ast.List:
		return s.list(n, width)
	case *ast.Blockquote:
		return Prefixed(s.blocks(n, max(4, width-2), false), s.l.Faint.Render("│ "), s.l.Faint.Render("│ "))
	case *ast.FencedCodeBlock:
		return s.code(n, string(n.Language(s.source)), width)
	case *ast.CodeBlock, *ast.HTMLBlock:
		return s.code(n, "", width)
	case *ast.ThematicBreak:
		return []string{s.l.Faint.Render(strings.Repeat("─", min(width, 24)))}
	case *xast.Table:
		return s.table(n, width)
	}
	return s.blocks(n, width, false)
}

// list sets the items under their marks.
func (s *setter) list(n *ast.List, width int) []string {
	var out []string
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d%c ", number, n.Marker)
			number++
		}
		if len(out) > 0 && !n.IsTight {
			out = append(out, "")
		}
		lines := s.blocks(c, max(4, width-s.l.Cells(mark)), n.IsTight)
		if len(lines) == 0 {
			lines = []string{""}
		}
		out = append(out, Prefixed(lines, s.l.Accent.Render(mark), strings.Repeat(" ", s.l.Cells(mark)))...)
	}
	return out
}

// Prefixed puts a text before the first line and another before the others.
func Prefixed(lines []string, first, other string) []string {
	for i := range lines {
		lines[i] = first + lines[i]
		first = other
	}
	return lines
}

// code sets lines as they are. Those that are too long are broken, so that nothing
// is lost; those of a diff have its colours.
func (s *setter) code(n ast.Node, language string, width int) []string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		b.Write(at.Value(s.source))
	}
	if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
		b.Write(h.ClosureLine.Value(s.source))
	}
	body := strings.TrimRight(b.String(), "\n")
	if language == "diff" {
		return Prefixed(Diff(s.l, body, max(4, width-2), WholeLines), "  ", "  ")
	}
	h := newHighlighter(language)
	var out []string
	for _, line := range s.l.Fold(body, max(4, width-2)) {
		if h != nil {
			out = append(out, "  "+h.styled(s.l, line))
			continue
		}
		out = append(out, "  "+s.l.Code.Render(line))
	}
	return out
}
