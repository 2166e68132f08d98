package files

import (
	"strings"
	"testing"

	"belay/internal/permit"
)

// A denial of some files leaves the folders around them open.
func TestDenialsOfSomeFilesLeaveFoldersOpen(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("a.md", "word\n")
	x.put("docs/b.md", "word\n")
	x.put("docs/.env", "word\n")
	x.put("secrets/k", "word\n")
	deny := func(rule string) {
		r, err := permit.ParseRule(rule)
		must(t, err)
		x.w.Unreadable = permit.Policy{Denied: []permit.Rule{r}}.Unreadable
	}
	for _, tt := range []struct {
		rule, tool string
		input      in
		want       string
	}{
		{"read(**/.*)", "list", in{}, "a.md  5\ndocs/\nsecrets/\n"},
		{"read(**/.*)", "list", in{"path": "docs"}, "b.md  5\n"},
		{"read(**/.*)", "grep", in{"pattern": "word", "output": "files", "hidden": true}, "a.md\ndocs/b.md\nsecrets/k\n"},
		{"read(**/.*)", "glob", in{"pattern": "**"}, "a.md\ndocs/b.md\nsecrets/k\n"},
		{"read(*)", "list", in{}, "docs/\nsecrets/\n"},
		{"read(*)", "list", in{"path": "docs"}, ".env  5\nb.md  5\n"},
		{"read(secrets/**)", "list", in{}, "a.md  5\ndocs/\n"},
	} {
		deny(tt.rule)
		if got := x.ok(tt.tool, tt.input).Text; got != tt.want {
			t.Errorf("%s: %s %v: %q, want %q", tt.rule, tt.tool, tt.input, got, tt.want)
		}
	}
	for rule, path := range map[string]string{"read(secrets/**)": "secrets", "read(**)": ".", "read(secrets/**/*)": "secrets"} {
		deny(rule)
		if _, err := x.prepare("list", in{"path": path}); err == nil || !strings.Contains(err.Error(), "not open to agents: the rule") {
			t.Errorf("%s: list %s: %v", rule, path, err)
		}
	}
}
