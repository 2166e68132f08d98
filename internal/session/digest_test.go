package session

import "testing"

// A title is one line of what can be seen. What joins a character stays in it.
func TestTitlesKeepWholeCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"hello 👩‍👩‍👧":          "hello 👩‍👩‍👧",
		"می\u200cخواهم":        "می\u200cخواهم",
		"a\u202eb\u200bc\x1bd": "abcd",
		"  two\t\twords  ":     "two words",
	} {
		if got := cleanTitle(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
