package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// An item of a list may have a comma: in a file as it is, elsewhere on a line of its own.
func TestItemsWithCommas(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("permit:\n  deny: [\"write({src,lib}/**)\", \"bash(rm *)\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	commas := []string{"bash(rm *)", "write({src,lib}/**)"}
	for name, c := range map[string]struct {
		o    Options
		want []string
	}{
		"a file":              {Options{ConfigFile: file}, commas},
		"lines of a variable": {Options{Env: map[string]string{"BELAY_PERMIT_DENY": "write({src,lib}/**)\n bash(rm *)\n"}}, commas},
		"a file's last line":  {Options{Env: map[string]string{"BELAY_PERMIT_DENY": "write(src/**), bash(rm *)\n"}}, []string{"bash(rm *)", "write(src/**)"}},
		"commas":              {Options{Env: map[string]string{"BELAY_PERMIT_DENY": "write(src/**), bash(rm *)"}}, []string{"bash(rm *)", "write(src/**)"}},
	} {
		c.o.Home = t.TempDir()
		cfg, problems := Examine(c.o)
		if len(problems) > 0 || !slices.Equal(cfg.Permit.Deny, c.want) {
			t.Errorf("%s: %q, %v", name, cfg.Permit.Deny, problems)
		}
	}
}

// A list of one text may be written as in a file.
func TestListsOfOneText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"[127.0.0.1:8080]":         {"127.0.0.1:8080"},
		`["a.example", b.example]`: {"a.example", "b.example"},
		"[]":                       nil,
		"[::1]":                    {"::1"},
		"[::1]:80":                 {"[::1]:80"},
	} {
		cfg, problems := Examine(Options{Home: t.TempDir(), Flags: []Flag{{Key: "attachments.allowed_hosts", Value: text}}})
		if len(problems) > 0 || !slices.Equal(cfg.Attachments.Declared.AllowedHosts, want) {
			t.Errorf("%s: %q, %v", text, cfg.Attachments.Declared.AllowedHosts, problems)
		}
	}
}
