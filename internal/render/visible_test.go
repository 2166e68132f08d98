package render

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\ttext\n":              "plain\ttext\n",
		"echo ok\rrm -rf docs":       "echo ok␍rm -rf docs",
		"a line\r\nanother\r":        "a line\nanother␍",
		"\x1b[2J\x00\x7f\u009b":      "␛[2J␀␡<U+009B>",
		"a\u200bb\u2060c\u00add":     "a<U+200B>b<U+2060>c<U+00AD>d",
		"\ufeffls \u202e\u2028":      "<U+FEFF>ls <U+202E><U+2028>",
		"r\u200dm r\u200cm x\ufe0f":  "r<U+200D>m r<U+200C>m x<U+FE0F>",
		"tag\U000e0041 \u3164\u2800": "tag<U+E0041> <U+3164><U+2800>",
		"❤️ 👩‍👩‍👧‍👦 🇩🇪 1️⃣ 👍🏽":    "❤️ 👩‍👩‍👧‍👦 🇩🇪 1️⃣ 👍🏽",
		"क्\u200dष می\u200cخواهم": "क्\u200dष می\u200cخواهم",
		"日本 é e\u0301":            "日本 é e\u0301",
		"\xff":                    "\ufffd",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// Nothing is left that a terminal would obey, and two different texts without breaks
// of lines do not look alike for what is left out of one.
func TestVisibleLeavesNothingOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab \r\n\t\x1b\u200b\u200d\ufe0f\u202e❤👩日"), unicode.Cf, unicode.Latin)).Draw(t, "text")
		got := Visible(text)
		if Clean(strings.ReplaceAll(got, "\t", "")) != strings.ReplaceAll(got, "\t", "") {
			t.Fatalf("%q is not safe to show", got)
		}
		if a, b := len([]rune(strings.ReplaceAll(text, "\r\n", "\n"))), len([]rune(got)); b < a {
			t.Fatalf("%d characters of %q became %d: %q", a, text, b, got)
		}
	})
}
