package persona

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Covers: workspace 9.4
func TestSystemPrompt(t *testing.T) {
	t.Parallel()
	body := "# X\nAGENT_TYPE: 1\n100% of this\n[[BEGIN:SPEC]]\n[[END:SPEC]]\n"
	r := open(t, makeRoot(t, map[string]string{"agents/AGENT_X.md": "---\nmodel: m\ntools: [secret-tool]\n---\n" + body}))
	p, err := r.Persona("X")
	if err != nil {
		t.Fatal(err)
	}
	prompt := p.SystemPrompt()
	if !strings.HasSuffix(prompt, "\n"+body) {
		t.Errorf("the body is not the unchanged end of the prompt:\n%s", prompt)
	}
	if !strings.Contains(prompt, "agent X.") || !strings.Contains(prompt, "PROTOCOL > SPEC > STRUCTURE > RATIONALE") {
		t.Errorf("the preface does not name the agent and the precedence:\n%s", prompt)
	}
	if strings.Contains(prompt, "secret-tool") {
		t.Error("the frontmatter is part of the prompt")
	}
	again, err := open(t, r.Path()).Persona("X")
	if err != nil || again.SystemPrompt() != prompt {
		t.Errorf("the same file gave another prompt (%v)", err)
	}
	if s := p.Sources(); len(s) != 1 || s[0].Path != filepath.Join(r.Path(), "agents", "AGENT_X.md") || len(s[0].SHA256) != 64 || s[0].Bytes == 0 {
		t.Errorf("sources = %+v", s)
	}
}

// Covers: workspace 9.8
func TestGlobalModel(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# none\n":                      "",
		"---\nmodel: some-model\n---\n": "some-model",
		"---\nmodel: '  '\n---\n":       "",
		"---\nmodel: [broken\n---\n":    "",
	} {
		got, err := open(t, makeRoot(t, map[string]string{"AGENTS.md": text})).GlobalModel()
		if err != nil || got != want {
			t.Errorf("GlobalModel of %q = %q, %v; want %q", text, got, err, want)
		}
	}
}

// Covers: workspace 9.8
func TestFingerprint(t *testing.T) {
	t.Parallel()
	dir := makeRoot(t, map[string]string{"agents/AGENT_X.md": "one", "agents/AGENT_Y.md": "one"})
	print := func(name, mode string) string {
		t.Helper()
		r := open(t, dir)
		p, err := r.Persona(name)
		if err != nil {
			t.Fatal(err)
		}
		return r.Fingerprint(p, mode)
	}
	seen := map[string]string{}
	add := func(what, print string) {
		t.Helper()
		if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(print) {
			t.Errorf("%s: %q is not 64 hex digits", what, print)
		}
		if other, ok := seen[print]; ok {
			t.Errorf("%s has the fingerprint of %s", what, other)
		}
		seen[print] = what
	}
	first := print("X", "direct")
	add("X direct", first)
	if print("X", "direct") != first {
		t.Error("two looks at the same files differ")
	}
	add("X plan", print("X", "plan"))
	add("Y direct", print("Y", "direct"))
	writeOld(t, filepath.Join(dir, "agents", "AGENT_X.md"), "two")
	add("X with other instructions", print("X", "direct"))
	writeOld(t, filepath.Join(dir, "AGENTS.md"), "---\nmodel: m\n---\n")
	add("X with another AGENTS.md", print("X", "direct"))
	writeOld(t, filepath.Join(dir, "docs", "PLAN.md"), "not used by a turn")
	r := open(t, dir)
	p, err := r.Persona("X")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := seen[r.Fingerprint(p, "direct")]; !ok {
		t.Error("a file that no turn uses changed the fingerprint")
	}
}
