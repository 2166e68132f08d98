// Package webpage makes text of HTML pages for models and people.
package webpage

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxBase is how long an address may be that links are relative to, as each of them copies it,
	// and maxHref how long that of a link.
	maxBase = 2000
	maxHref = 500
)

// Text makes text of an HTML page in UTF-8: its title, headings, paragraphs, lists,
// tables, code, and links in the way of Markdown. Where the page says what its
// main part is, the rest is left out; scripts, styles, menus and what is hidden
// are left out always. Links are taken to be relative to base, or to what the page says, if
// that is not very long. The error is a page that is nested without end, or
// that of ctx.
func Text(ctx context.Context, page []byte, base *url.URL) (string, error) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return "", fmt.Errorf("the page cannot be read as HTML: %w", err)
	}
	w := &writer{ctx: ctx, base: base}
	if len(base.String()) > maxBase {
		w.base = &url.URL{}
	}
	if title := find(root, atom.Title); title != nil {
		if text := strings.Join(strings.Fields(textOf(title)), " "); text != "" {
			w.b.WriteString("# " + cut(text, 300))
			w.gap = 2
		}
	}
	if b := find(root, atom.Base); b != nil {
		if href := attribute(b, "href"); len(href) <= maxBase {
			if u, err := w.base.Parse(href); err == nil && len(u.String()) <= maxBase {
				w.base = u
			}
		}
	}
	part := find(root, atom.Main)
	if part == nil {
		part = find(root, atom.Body)
	}
	part = cmp.Or(part, root)
	w.children(part, 0)
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return strings.TrimSpace(w.b.String()) + "\n", nil
}

// cut is s, or its beginning, of at most n bytes and a mark.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// find returns the first element of a kind.
func find(n *html.Node, a atom.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == a && d.Namespace == "" {
			return d
		}
	}
	return nil
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}
