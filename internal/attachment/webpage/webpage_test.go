package webpage

import (
	"context"
	"errors"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

var page = &url.URL{Scheme: "https", Host: "example.com", Path: "/docs/page"}

func TestText(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ html, want string }{
		"title and text": {"<html><head><title> A  page </title><style>p{}</style></head><body>Hello\n  <b>big</b> world<script>x()</script></body>",
			"# A page\n\nHello big world\n"},
		"blocks":               {"<h1>One</h1><p>a</p><p>b<br>c</p><h3>Two</h3>d", "# One\n\na\n\nb\nc\n\n### Two\n\nd\n"},
		"lists":                {"<ul><li>a<li>b<ol><li>c<li>d</ol></ul><p>e", "- a\n- b\n  1. c\n  2. d\n\ne\n"},
		"links":                {`<a href="../x">up</a>, <a href="#here">here</a>, <a href="javascript:x()">no</a>, <a href="/e"></a><a href="https://o.org/">o</a>`, "[up](https://example.com/x), here, no, [o](https://o.org/)\n"},
		"a link in a list":     {`<ul><li><a href="/a">a</a> b</ul>`, "- [a](https://example.com/a) b\n"},
		"a heading in a link":  {`<a href="/a"><h3>a</h3><p>b</p></a><a href="/c"><h2></h2>c</a>`, "### [a\n\nb](https://example.com/a)\n\n[c](https://example.com/c)\n"},
		"a heading in an item": {"<ul><li><h3>a</h3><li>b</ul>", "- ### a\n\n- b\n"},
		"a list in a link":     {`<a href="/a"><ul><li>a<li>b</ul></a>`, "- [a\n- b](https://example.com/a)\n"},
		"a base":               {`<base href="https://o.org/d/"><a href="x">x</a>`, "[x](https://o.org/d/x)\n"},
		"code":                 {"<p>run<pre>a  b\n  c\n</pre>now", "run\n\n```\na  b\n  c\n\n```\n\nnow\n"},
		"tables":               {"<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a | b\n1 | 2\n"},
		"main":                 {"<nav>menu</nav><div>around</div><main><p>the part</p></main><footer>f</footer>", "the part\n"},
		"hidden":               {`a<div hidden>b</div><span aria-hidden="true">c</span><noscript>d</noscript><svg><title>e</title></svg>`, "a\n"},
		"images":               {`<img src=x alt="a cat"><img src=y>`, "[image: a cat]\n"},
		"entities":             {"a &amp; b &lt;c&gt; &nbsp;d", "a & b <c> d\n"},
		"spaces":               {"<p>a<span> b</span> <i>c</i>d </p>", "a b cd\n"},
		"nothing":              {"", "\n"},
	} {
		if got, err := Text(t.Context(), []byte(tt.html), page); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tt.want)
		}
	}
	if _, err := Text(t.Context(), []byte(strings.Repeat("<div>", 100_000)), page); err == nil {
		t.Error("a page without a bottom was read")
	}
}

// TestLongBase: links are not relative to an address that is very long, as each would copy it,
// and a page is left when nobody waits for it any more.
func TestLongBase(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", maxBase) + "/"
	links := strings.Repeat(`<a href="x">x</a> `, 20_000)
	for name, tt := range map[string]struct {
		html string
		base *url.URL
		want string
	}{
		"the page's own": {`<base href="/` + long + `">` + links, page, "[x](https://example.com/docs/x) [x]"},
		"its address":    {links, &url.URL{Scheme: "https", Host: "example.com", Path: "/" + long}, "x x"},
		"a link's":       {`<a href="` + long + `">x</a> x`, page, "x x"},
	} {
		if got, err := Text(t.Context(), []byte(tt.html), tt.base); err != nil || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %.80q, %v; want %q", name, got, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := Text(ctx, []byte(links), page); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits: %.80q, %v", got, err)
	}
}

// TestLongAddressesCostLittle: links copy no long address. It is not parallel, as it measures what
// the process takes.
func TestLongAddressesCostLittle(t *testing.T) { //nolint:paralleltest // it measures
	const links = 5_000
	long := strings.Repeat("a", 200_000) + "/"
	for name, tt := range map[string]struct {
		html string
		base *url.URL
	}{
		"the page's own": {`<base href="/` + long + `">` + strings.Repeat(`<a href="x">x</a> `, links), page},
		"its address":    {strings.Repeat(`<a href="x">x</a> `, links), &url.URL{Scheme: "https", Host: "example.com", Path: "/" + long}},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Text(t.Context(), []byte(tt.html), tt.base); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
			t.Errorf("%s took %d bytes", name, took)
		}
	}
}

// TestWalkEnds: a page is not walked to its end once nobody waits.
func TestWalkEnds(t *testing.T) {
	t.Parallel()
	root, err := html.Parse(strings.NewReader("<p>a<p>b"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := &writer{ctx: ctx, base: page}
	if w.children(root, 0); w.b.Len() > 0 {
		t.Errorf("it wrote %q", w.b.String())
	}
}

// What comes out is text, whatever goes in, and never what a script says.
func FuzzText(f *testing.F) {
	for _, s := range []string{"<p>a", "<ul><li>a<li><a href=/x>b", "<table><tr><td>1<td>2", "<pre>a\n", "<script>SCRIPT</script>x", "<svg><script>SCRIPT", "<b><a href='x'><h1>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ReplaceAll(s, "SCRIPT", "")
		got, err := Text(t.Context(), []byte("<body><script>SCRIPT</script>"+s), page)
		if err != nil {
			return
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) || strings.Contains(got, "SCRIPT") || !strings.HasSuffix(got, "\n") {
			t.Fatalf("%q became %q", s, got)
		}
		if strings.Contains(got, "\n\n\n\n\n") && !strings.Contains(got, "```") {
			t.Fatalf("%q has holes: %q", s, got)
		}
	})
}
