package render_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"belay/internal/render"
)

// FuzzHTML: whatever a model writes, nothing in it runs, loads, or leaves its place.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{
		"# A *heading*\n\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
		"<script>alert(1)</script> and <img src=x onerror=alert(1)>",
		"![picture](https://example.com/p.png) ![](data:image/png;base64,AAAA)",
		"[link](javascript:alert(1)) [other](JaVaScRiPt:alert(1)) <javascript:alert(1)>",
		"```html\n</pre><script>\n```", "</div></body><style>*{display:none}</style>", "[a](x\"onclick=\"alert(1))",
	} {
		f.Add(s)
	}
	allowed := map[string]bool{"href": true, "title": true, "class": true, "type": true, "checked": true, "disabled": true, "align": true, "style": true, "start": true}
	f.Fuzz(func(t *testing.T, s string) {
		tokens := html.NewTokenizer(strings.NewReader(render.HTML(s)))
		for tokens.Next() != html.ErrorToken {
			token := tokens.Token()
			switch token.Data {
			case "script", "style", "img", "iframe", "object", "svg", "body", "form", "link", "meta", "base":
				if token.Type != html.TextToken {
					t.Fatalf("%q has <%s>", s, token.Data)
				}
			}
			for _, a := range token.Attr {
				address := strings.ToLower(strings.TrimSpace(a.Val))
				if !allowed[a.Key] || a.Key == "href" && (strings.HasPrefix(address, "javascript:") || strings.HasPrefix(address, "vbscript:") || strings.HasPrefix(address, "data:")) {
					t.Fatalf("%q has %s=%q", s, a.Key, a.Val)
				}
			}
		}
	})
}
