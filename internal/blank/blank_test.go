package blank

import "testing"

func TestIs(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", " \t\r\n", "\u00a0\u2003\u3000\u0085", "\ufeff", "\u200b\u200c\u200d\u2060", "\u00ad\u061c\u180e", "\u202a\u202e\u2066\u2069",
		"\u3164\uffa0\u115f", "\ufe0f", "\U000e0041", "\x00\x1b", " \ufeff \u200b\n",
	} {
		if !Is(s) {
			t.Errorf("%q is blank", s)
		}
	}
	for _, s := range []string{"a", "\ufeffa", "0", ".", "·", "\u0600", "\ufffd", "\xff", "👍", "\u20dd", "\u2028x"} {
		if Is(s) {
			t.Errorf("%q shows something", s)
		}
	}
}
