package webpage

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// writer writes text with its spaces in order: runs of them become one, and
// blocks are apart from one another.
type writer struct {
	ctx   context.Context //nolint:containedctx // of one page
	b     strings.Builder
	base  *url.URL
	gap   int  // line ends to write before the next text
	space bool // a space to write before it
	pre   int  // inside this many elements that keep their spaces
	lists []int
	mark  string // what the next text begins with: a list's dash, a cell's bar
}

// maxDepth is how deep elements are followed.
const maxDepth = 400

func (w *writer) children(n *html.Node, depth int) {
	if depth > maxDepth || w.ctx.Err() != nil {
		return
	}
	for c := range n.ChildNodes() {
		switch c.Type {
		case html.TextNode:
			w.text(c.Data)
		case html.ElementNode:
			w.element(c, depth+1)
		}
	}
}

func (w *writer) element(n *html.Node, depth int) {
	switch {
	case skipped(n):
		return
	case heading(n.DataAtom) > 0:
		w.block(2)
		w.marked(strings.Repeat("#", heading(n.DataAtom))+" ", n, depth)
		w.block(2)
		return
	}
	switch n.DataAtom {
	case atom.Br:
		w.gap = max(w.gap, 1)
	case atom.Hr:
		w.block(2)
	case atom.A:
		w.link(n, depth)
	case atom.Img:
		if alt := strings.TrimSpace(attribute(n, "alt")); alt != "" {
			w.text(" [image: " + cut(alt, 200) + "] ")
		}
	case atom.Pre:
		w.block(2)
		w.put("```\n")
		w.pre++
		w.children(n, depth)
		w.pre--
		w.gap, w.space = 1, false
		w.put("```")
		w.block(2)
	case atom.Ul, atom.Ol, atom.Menu:
		w.list(n, depth)
	case atom.Li:
		w.item(n, depth)
	case atom.Tr:
		w.block(1)
		w.children(n, depth)
		w.mark = ""
		w.block(1)
	case atom.Td, atom.Th:
		w.children(n, depth)
		w.mark, w.space = "| ", true
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Blockquote, atom.Table, atom.Dl, atom.Figure, atom.Header, atom.Details, atom.Form, atom.Fieldset, atom.Address:
		w.block(2)
		w.children(n, depth)
		w.block(2)
	case atom.Dt, atom.Dd, atom.Figcaption, atom.Summary, atom.Option, atom.Caption:
		w.block(1)
		w.children(n, depth)
		w.block(1)
	default:
		w.children(n, depth)
	}
}

func heading(a atom.Atom) int {
	switch a {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4, atom.H5, atom.H6:
		return 4
	}
	return 0
}

// skipped reports whether an element says nothing to a reader.
func skipped(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Math, atom.Head, atom.Title, atom.Iframe, atom.Object, atom.Embed,
		atom.Canvas, atom.Nav, atom.Select, atom.Button, atom.Input, atom.Textarea, atom.Video, atom.Audio, atom.Dialog:
		return true
	}
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" || a.Key == "aria-hidden" && a.Val == "true" })
}

// link writes the words of a link, and its address where that leads to a page.
func (w *writer) link(n *html.Node, depth int) {
	to := w.address(strings.TrimSpace(attribute(n, "href")))
	if to == "" || strings.TrimSpace(textOf(n)) == "" {
		w.children(n, depth)
		return
	}
	before := w.b.Len()
	w.mark += "["
	w.children(n, depth)
	if w.b.Len() == before {
		w.mark = strings.TrimSuffix(w.mark, "[")
		return
	}
	w.b.WriteString("](" + to + ")")
}

// address is where a link leads, "" where that is no page or too long to be told.
func (w *writer) address(href string) string {
	if href == "" || len(href) > maxHref || href[0] == '#' {
		return ""
	}
	to, err := w.base.Parse(href)
	if err != nil || to.Scheme != "https" && to.Scheme != "http" {
		return ""
	}
	if text := to.String(); len(text) <= maxHref {
		return text
	}
	return ""
}

func (w *writer) list(n *html.Node, depth int) {
	blank := 2
	if len(w.lists) > 0 {
		blank = 1
	}
	first := -1 // no numbers
	if n.DataAtom == atom.Ol {
		first = 1
	}
	w.block(blank)
	w.lists = append(w.lists, first)
	w.children(n, depth)
	w.lists = w.lists[:len(w.lists)-1]
	w.block(blank)
}

func (w *writer) item(n *html.Node, depth int) {
	w.block(1)
	mark := "- "
	if top := len(w.lists) - 1; top >= 0 {
		if w.lists[top] > 0 {
			mark = fmt.Sprintf("%d. ", w.lists[top])
			w.lists[top]++
		}
		mark = strings.Repeat("  ", min(top, 10)) + mark
	}
	w.marked(mark, n, depth)
	w.block(1)
}

// marked writes an element whose text has a mark before it. Of a link around the element only
// the words are in brackets. What has no text leaves the marks as they were.
func (w *writer) marked(mark string, n *html.Node, depth int) {
	before := w.mark
	around := strings.TrimRight(before, "[")
	w.mark = around + mark + before[len(around):]
	w.children(n, depth)
	if w.mark != "" {
		w.mark = before
	}
}

// block asks for line ends before what comes next.
func (w *writer) block(gap int) { w.gap, w.space = max(w.gap, gap), false }

// text writes a text with its spaces in order.
func (w *writer) text(s string) {
	if w.pre > 0 {
		w.put(s)
		return
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		w.space = w.space || s != ""
		return
	}
	w.space = w.space || strings.TrimLeft(s, " \t\r\n\f\u00a0") != s
	w.put(strings.Join(words, " "))
	w.space = strings.TrimRight(s, " \t\r\n\f\u00a0") != s
}

// put writes a text after what is due before it.
func (w *writer) put(s string) {
	if s == "" {
		return
	}
	switch {
	case w.b.Len() == 0:
	case w.gap > 0:
		w.b.WriteString(strings.Repeat("\n", w.gap))
	case w.space:
		w.b.WriteByte(' ')
	}
	w.b.WriteString(w.mark + s)
	w.gap, w.space, w.mark = 0, false, ""
}
