package render

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Each piece of code is what it looks like.
func TestHighlight(t *testing.T) {
	t.Parallel()
	signs := map[token]string{codeKeyword: "k", codeString: "s", codeNumber: "n", codeComment: "c"}
	for _, c := range []struct{ name, text, want string }{
		{"go", `func f(a int) { return "x\"y" + 3.5 } // end`, `k<func> f(a k<int>) { k<return> s<"x\"y"> + n<3.5> } c<// end>`},
		{"src/main.go", "a := `one\ntwo` + b", "a := s<`one>\ns<two`> + b"},
		{"c", "int x; /* a\nb */ y", "k<int> x; c</* a>\nc<b */> y"},
		{"py", "x = '''a\nb''' # c", "x = s<'''a>\ns<b'''> c<# c>"},
		{"sql", "SELECT a FROM b -- c", "k<SELECT> a k<FROM> b c<-- c>"},
		{"go", `s := "open`, `s := s<"open>`},
		{"go", `s := "\`, `s := s<"\>`},
		{"rust", "fn größe(x: &'a str)", "k<fn> größe(x: &'a str)"},
		{"Dockerfile", "RUN make", "k<RUN> make"},
	} {
		h := newHighlighter(c.name)
		if h == nil {
			t.Errorf("%s is not known", c.name)
			continue
		}
		var lines []string
		for line := range strings.SplitSeq(c.text, "\n") {
			var b strings.Builder
			h.line(line, func(k token, piece string) {
				if k != codeText {
					piece = signs[k] + "<" + piece + ">"
				}
				b.WriteString(piece)
			})
			lines = append(lines, b.String())
		}
		if got := strings.Join(lines, "\n"); got != c.want {
			t.Errorf("%s: %q\n got %q\nwant %q", c.name, c.text, got, c.want)
		}
	}
	for _, name := range []string{"", "text", "notes.txt", "diff", "a/b"} {
		if newHighlighter(name) != nil {
			t.Errorf("%q is a language", name)
		}
	}
}

// Colours neither add nor lose a character, whatever the code is.
func FuzzHighlight(f *testing.F) {
	f.Add("go", "a := `b\n\"c\\\n// d")
	f.Add("py", "'''\xff\n''''")
	f.Add("sql", "/* -- 'é")
	f.Fuzz(func(t *testing.T, name, text string) {
		h := newHighlighter(name)
		if h == nil {
			return
		}
		for line := range strings.SplitSeq(text, "\n") {
			var b strings.Builder
			h.line(line, func(_ token, piece string) { b.WriteString(piece) })
			if b.String() != line {
				t.Errorf("%q became %q", line, b.String())
			}
		}
	})
}

// Code in answers and diffs has colours, and the same text as without them.
func TestHighlightedBlocks(t *testing.T) {
	t.Parallel()
	l := NewLook()
	text := "```go\nfunc main() { // begins\n\treturn 1\n}\n```\n"
	lines := Markdown(l, text, 40)
	whole := strings.Join(lines, "\n")
	if !strings.Contains(whole, l.Keyword.Render("func")) || !strings.Contains(ansi.Strip(whole), "func main() { // begins") {
		t.Errorf("code: %q", whole)
	}
	diff := "--- a/x.go\n+++ b/x.go\n@@ -1,1 +1,1 @@\n-var a = 1\n+const a = 1\n func f\n"
	whole = strings.Join(Diff(l, diff, 40, 100), "\n")
	if !strings.Contains(whole, l.Added.Bold(true).Render("const")) || !strings.Contains(ansi.Strip(whole), "+const a = 1") || strings.Contains(ansi.Strip(whole), "+++") {
		t.Errorf("diff: %q", whole)
	}
}
