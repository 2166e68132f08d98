package render

import (
	"strings"
	"testing"
)

func TestWithoutSequences(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":                                    "plain",
		"\x1b[31mred\x1b[0m and \x1b[1;4m":         "red and ",
		"\x1b[38:2::255:0:0mtrue colour":           "true colour",
		"\x1b[?25lhidden cursor\x1b[2 q":           "hidden cursor",
		"\x1b]0;a title\x07after":                  "after",
		"\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\": "link",
		"\x1bP1$r\x1b\\x\x1b(By":                   "xy",
		// What is not complete stays, with all that follows it.
		"\x1b":              "\x1b",
		"a\x1b[31":          "a\x1b[31",
		"\x1b]0;open\nnext": "\x1b]0;open\nnext",
		"\x1b]0;\x1b[31mx":  "\x1b]0;x",
		"\x1b\x1b[31mx":     "\x1bx",
		"\x1b[31\nm":        "\x1b[31\nm",
	} {
		if got := WithoutSequences(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// Nothing but sequences goes, and what is left can be shown.
func FuzzWithoutSequences(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]0;t\x07c")
	f.Fuzz(func(t *testing.T, s string) {
		got := WithoutSequences(s)
		if strings.Count(got, "\n") != strings.Count(s, "\n") {
			t.Errorf("%q lost or gained a line: %q", s, got)
		}
		if !strings.ContainsRune(s, escape) && got != s {
			t.Errorf("%q has no sequence and became %q", s, got)
		}
		if shown := Clean(got); strings.ContainsRune(shown, escape) {
			t.Errorf("%q is shown as %q", s, shown)
		}
	})
}
