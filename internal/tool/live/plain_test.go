package live

import "testing"

// Models and people get plain text: no colours, titles or links of a terminal.
func TestOutputIsPlainText(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"\x1b[31mred\x1b[0m and \x1b[1;38;5;200mbold\x1b[m\n":     "red and bold\n",
		"\x1b]0;title\x07text":                                    "text",
		"\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\ end": "link end",
		"\x1b[2K\x1b[1Gdone \x1b(B\x1b[?25h":                      "done ",
		"array[31m] stays":                                        "array[31m] stays",
		"\x1b]0;without an end":                                   "\x1b]0;without an end",
		"\xff and é":                                              "\uFFFD and é",
	} {
		if got := Plain([]byte(said)); got != want {
			t.Errorf("%q is shown as %q, not %q", said, got, want)
		}
	}
}
