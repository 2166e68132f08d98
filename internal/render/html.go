package render

import (
	"bytes"
	"html"
	"net/url"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	mdparser "github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// pages sets Markdown as HTML. Raw HTML is text in it, an image is a link, and addresses
// that run something are left out.
var pages = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
		goldmark.WithParserOptions(mdparser.WithASTTransformers(util.Prioritized(onlyLinks{}, 0))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(rawAsText{}, 0))),
	)
})

// HTML sets the Markdown of a model as HTML that can be put into a page: HTML of the model
// is text, nothing is loaded, and no address runs anything.
func HTML(markdown string) string {
	var out bytes.Buffer
	if err := pages().Convert([]byte(markdown), &out); err != nil {
		return "<pre>" + html.EscapeString(markdown) + "</pre>"
	}
	return out.String()
}

// onlyLinks replaces images by links to them, and links that lead elsewhere than to the web
// or to mail by their text.
type onlyLinks struct{}

// Transform implements [mdparser.ASTTransformer].
func (onlyLinks) Transform(doc *ast.Document, source text.Reader, _ mdparser.Context) {
	var found []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walk has no error of its own
		switch n.Kind() {
		case ast.KindImage, ast.KindLink, ast.KindAutoLink:
			if entering {
				found = append(found, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range found {
		switch n := n.(type) {
		case *ast.Image:
			n.Parent().ReplaceChild(n.Parent(), n, linkTo(n.Destination, n))
		case *ast.Link:
			n.Parent().ReplaceChild(n.Parent(), n, linkTo(n.Destination, n))
		case *ast.AutoLink:
			if label := n.Label(source.Source()); n.AutoLinkType == ast.AutoLinkURL && !isWebAddress(label) {
				n.Parent().ReplaceChild(n.Parent(), n, ast.NewString(label))
			}
		}
	}
}

// linkTo is a link with what stands in a node, or that alone where the link would lead
// elsewhere.
func linkTo(address []byte, n ast.Node) ast.Node {
	var holder ast.Node = ast.NewEmphasis(1)
	if isWebAddress(address) {
		link := ast.NewLink()
		link.Destination, holder = address, link
	}
	for child := n.FirstChild(); child != nil; child = n.FirstChild() {
		holder.AppendChild(holder, child)
	}
	return holder
}

func isWebAddress(address []byte) bool {
	u, err := url.Parse(string(address))
	return err == nil && (u.Scheme == "https" || u.Scheme == "http" || u.Scheme == "mailto")
}

// rawAsText shows HTML that a model wrote as the text that it is.
type rawAsText struct{}

// RegisterFuncs implements [renderer.NodeRenderer].
func (rawAsText) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if raw, is := n.(*ast.RawHTML); is && entering {
			_, _ = w.Write(util.EscapeHTML(raw.Segments.Value(source))) // the writer keeps its first error
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		block, is := n.(*ast.HTMLBlock)
		if !is || !entering {
			return ast.WalkContinue, nil
		}
		_, _ = w.WriteString("<pre>")
		_, _ = w.Write(util.EscapeHTML(block.Lines().Value(source)))
		if block.HasClosure() {
			_, _ = w.Write(util.EscapeHTML(block.ClosureLine.Value(source)))
		}
		_, _ = w.WriteString("</pre>\n")
		return ast.WalkContinue, nil
	})
}
