package risk

import (
	"slices"
	"testing"
)

// TestSettingsIn: a configuration is read as Git reads it.
func TestSettingsIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]setting{
		"": {},
		"[core]\n\thooksPath = tools/hooks # ours\n":                                {{"core", "hookspath", "tools/hooks"}},
		"\ufeff[Core] HooksPath=\"a b\"\\\n c ; d\n":                                {{"core", "hookspath", "a b c"}},
		"[filter \"x]\\\"\"]\r\nclean = ./a\\\\b \"# no comment\" \r\nrequired\r\n": {{"filter", "clean", "./a\\b # no comment"}, {"filter", "required", ""}},
		"[include.part]\npath = ../x":                                               {{"include", "path", "../x"}},
		"# [core]\n; x\n[a][b] c = d\ne":                                            {{"b", "c", "d"}, {"b", "e", ""}},
		"[core\nhooksPath = x\n":                                                    {{"core", "hookspath", "x"}},
		"[a]\nb = c\\":                                                              {{"a", "b", "c\\"}},
	} {
		if got := settingsIn(text); !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzSettingsIn: whatever it is given, reading ends, and a plain setting at the end of a
// configuration with closed quotes is found.
func FuzzSettingsIn(f *testing.F) {
	for _, seed := range []string{"[core]\n\thooksPath = x\n", "[a \"b\"] c = \"d\n", "[[\\", "a = \\\n\\\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		settingsIn(text)
		got := settingsIn(text + "\n\n[core]\nhooksPath = x\n")
		if len(got) == 0 || got[len(got)-1].value != "x" {
			t.Errorf("%q: %q", text, got)
		}
	})
}
