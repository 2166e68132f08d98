package skills

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/permit"
	"belay/internal/tool"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// hides is a scope that hides one path.
type hides struct {
	tool.AllOf
	path string
}

func (h hides) Hidden(path string) bool { return path == h.path }

// place is a person with the skill own, and a project with the skill forms.
func place(t *testing.T) (Tool, *tool.Environment) {
	t.Helper()
	config, project := t.TempDir(), t.TempDir()
	write(t, filepath.Join(config, "config.yaml"), "secret")
	write(t, filepath.Join(config, "skills", "own", "SKILL.md"), "---\nname: own\ndescription: x\n---\nBe brief.\n")
	at := filepath.Join(project, ".agents", "skills", "forms")
	write(t, filepath.Join(at, "SKILL.md"), "---\nname: forms\ndescription: y\n---\n"+strings.Repeat("a line of instructions\n", 100))
	write(t, filepath.Join(at, "ref", "long.md"), strings.Repeat("é", 3000)+"\nend\n")
	write(t, filepath.Join(at, "logo.png"), "\x89PNG\x00")
	write(t, filepath.Join(at, "key.pem"), "hidden")
	return New(config), &tool.Environment{Project: project, Scope: hides{path: ".agents/skills/forms/key.pem"}, Limits: tool.Limits{OutputBytes: 1500}}
}

// ask calls the tool. What the model gets of a refusal is its text.
func ask(t *testing.T, tl Tool, w *tool.Environment, in string) (permit.Effect, tool.Result) {
	t.Helper()
	set, err := tool.NewSet(tl)
	must(t, err)
	c, err := set.Prepare(t.Context(), w, Name, json.RawMessage(in))
	var r tool.Result
	var e permit.Effect
	if err == nil {
		e = c.Effect()
		r, err = c.Run(t.Context())
	}
	if err != nil {
		refusal, ok := tool.AsRefusal(err)
		if !ok {
			t.Fatal(err)
		}
		r = refusal.Result()
	}
	return e, r
}

func TestSkill(t *testing.T) {
	t.Parallel()
	tl, w := place(t)
	e, r := ask(t, tl, w, `{"name":"own"}`)
	if diff := cmp.Diff(permit.Effect{Tool: "skill", Kind: permit.Read, Summary: "read the skill own: SKILL.md"}, e); diff != "" {
		t.Error(diff)
	}
	if want := "The skill own, the person's own.\n\n---\nname: own\ndescription: x\n---\nBe brief.\n"; r.Text != want || r.Failed {
		t.Errorf("%+v", r)
	}
	e, r = ask(t, tl, w, `{"name":"forms"}`)
	if diff := cmp.Diff([]string{".agents/skills/forms/SKILL.md"}, e.Paths); diff != "" {
		t.Error(diff)
	}
	// In parts, nothing is lost or comes twice.
	next := "[cut: call skill again with line "
	text, last, ok := strings.Cut(r.Text, next)
	if !ok || !r.Truncated || len(r.Text) > 1500 || !strings.HasPrefix(text, "The skill forms of the project: .agents/skills/forms/SKILL.md.\n") {
		t.Fatalf("%+v", r)
	}
	lines := strings.Count(text, "instructions\n")
	for ok {
		line, _, _ := strings.Cut(last, " ")
		_, r = ask(t, tl, w, `{"name":"forms","line":`+line+`}`)
		text, last, ok = strings.Cut(r.Text, next)
		lines += strings.Count(text, "instructions\n")
	}
	if lines != 100 || r.Truncated {
		t.Errorf("%d lines", lines)
	}
	_, r = ask(t, tl, w, `{"name":"forms","file":"ref/long.md"}`)
	if len(r.Text) > 1500 || !r.Truncated || !strings.Contains(r.Text, "too long to be shown") {
		t.Errorf("%d bytes: %+v", len(r.Text), r)
	}
	_, r = ask(t, tl, w, `{"name":"forms","file":"ref/long.md","line":2}`)
	if !strings.HasSuffix(r.Text, "\n\nend\n") {
		t.Errorf("%+v", r)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	tl, w := place(t)
	for in, want := range map[string]string{
		`{"name":"nobody"}`:                               "there is no skill named nobody (the skills are: forms, own)",
		`{"name":"../.."}`:                                "there is no skill named ../..",
		`{"name":"own","file":"../../config.yaml"}`:       "is not a path below the folder of the skill",
		`{"name":"own","file":"config.yaml"}`:             "the skill own has no file config.yaml",
		`{"name":"forms","file":"logo.png"}`:              "is not text (its path in the project is .agents/skills/forms/logo.png)",
		`{"name":"forms","file":"key.pem"}`:               "the skill forms has no file key.pem",
		`{"name":"forms","file":"ref/long.md","line":99}`: "has 3 lines",
		`{"name":"forms","file":"a\u001b[2J"}`:            `has no file a\x1b[2J`,
		`{"name":"forms","more":1}`:                       "the input of skill is not what it takes",
		`{"name":"own","file":"/etc/passwd"}`:             "is not a path below",
	} {
		if _, r := ask(t, tl, w, in); !r.Failed || !strings.Contains(r.Text, want) || strings.Contains(r.Text, "\x1b") {
			t.Errorf("%s: %q, want %q", in, r.Text, want)
		}
	}
	none := New("")
	w.Project = t.TempDir()
	if _, r := ask(t, none, w, `{"name":"a"}`); !strings.Contains(r.Text, "the skills are: none") {
		t.Errorf("%q", r.Text)
	}
}
