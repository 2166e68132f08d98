package persona

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/durable/durabletest"
	"belay/internal/fault"
)

// makeRoot builds a valid instruction root; files are added to it or, when their
// content is "-", left out of it. Files are old enough to be remembered.
func makeRoot(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{"agents/AGENT_PLAIN.md": "# PLAIN\nAGENT_TYPE: 1\n"}
	for _, e := range entries {
		if !e.dir {
			all[e.name] = "# " + e.name + "\n"
		}
	}
	for name, data := range files {
		all[name] = data
	}
	for name, data := range all {
		if data != "-" {
			writeOld(t, filepath.Join(dir, filepath.FromSlash(name)), data)
		}
	}
	return dir
}

func writeOld(t testing.TB, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, path string) *Root {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOpen(t *testing.T) {
	t.Parallel()
	if r := open(t, " \uFEFF\t"); r.Path() != "" || r.Check() != nil {
		t.Errorf("a blank path is not the embedded set: %q", r.Path())
	}
	if _, err := Open("bad\x00path"); err == nil {
		t.Error("a path with NUL was opened")
	}
	if r := open(t, "some/where"); !filepath.IsAbs(r.Path()) {
		t.Errorf("path %q is not absolute", r.Path())
	}
	// A configured root that is not valid is never replaced by the embedded set.
	missing := filepath.Join(t.TempDir(), "none")
	r := open(t, missing)
	for name, err := range map[string]error{
		"Check":       r.Check(),
		"Persona":     second(r.Persona("TASK")),
		"List":        second(r.List()),
		"GlobalModel": second(r.GlobalModel()),
	} {
		if !fault.Is(err, fault.InstructionRootInvalid) || fault.From(err).Status != 500 {
			t.Errorf("%s of a missing root: %v, want INSTRUCTION_ROOT_INVALID 500", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Covers: workspace 9.8
func TestCheckDetails(t *testing.T) {
	t.Parallel()
	dir := makeRoot(t, map[string]string{"docs/PLAN.md": "-", "README.md": "-", "docs/SPEC.md": "-", "docs/SPEC.md/inner": "a folder in its place"})
	err := open(t, dir).Check()
	want := map[string]any{
		"instructionRoot": dir,
		"missingEntries":  []string{"README.md", "docs/PLAN.md"},
		"invalidEntries":  []string{"docs/SPEC.md"},
	}
	if diff := cmp.Diff(want, fault.From(err).Details); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}

	dir = makeRoot(t, nil)
	if err := os.RemoveAll(filepath.Join(dir, "agents")); err != nil {
		t.Fatal(err)
	}
	writeOld(t, filepath.Join(dir, "agents"), "a file in its place")
	if got := fault.From(open(t, dir).Check()).Details["invalidEntries"]; !cmp.Equal(got, []string{"agents"}) {
		t.Errorf("invalidEntries = %v, want agents", got)
	}
}

func TestCheckNoticesChanges(t *testing.T) {
	t.Parallel()
	dir := makeRoot(t, nil)
	r := open(t, dir)
	for range 3 {
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
	}
	plan := filepath.Join(dir, "docs", "PLAN.md")
	if err := os.Remove(plan); err != nil {
		t.Fatal(err)
	}
	if err := r.Check(); !fault.Is(err, fault.InstructionRootInvalid) {
		t.Fatalf("after a file was removed: %v", err)
	}
	writeOld(t, plan, "back")
	if err := r.Check(); err != nil {
		t.Fatalf("after it came back: %v", err)
	}
	if err := os.Remove(plan); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(plan, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.Check(); !fault.Is(err, fault.InstructionRootInvalid) {
		t.Fatalf("after a folder took its place: %v", err)
	}
}

func TestPersonaNames(t *testing.T) {
	t.Parallel()
	dir := makeRoot(t, map[string]string{
		"agents/AGENT_HELP_HUMAN.md":   "AGENT_TYPE: 1\n",
		"agents/AGENT_ORCHESTRATOR.md": "AGENT_TYPE: 1\n",
		"agents/AGENT_AGENTS.md":       "AGENT_TYPE: 1\n",
		"agents/AGENT_HELPS_HUMANS.md": "AGENT_TYPE: 0\n",
		"agents/AGENT_4_DOCUMENTS.md":  "AGENT_TYPE: 2\n",
		"agents/AGENT_AGENT_X.md":      "AGENT_TYPE: 2\n",
		"agents/AGENT_X.md":            "AGENT_TYPE: 2\n",
		"agents/AGENT_FOLDER.md/x":     "",
		"agents/OTHER.md":              "AGENT_TYPE: 1\n",
		"secret.md":                    "AGENT_TYPE: 1\n",
	})
	r := open(t, dir)
	for name, want := range map[string]string{
		"PLAIN": "PLAIN", "  PLAIN\t": "PLAIN", "\uFEFFPLAIN": "PLAIN",
		"HELP-HUMAN": "HELP_HUMAN", "HELP_HUMAN": "HELP_HUMAN", "4-DOCUMENTS": "4_DOCUMENTS",
		"HELP": "HELP_HUMAN", "ORCHESTRATE": "ORCHESTRATOR",
		"AGENTS":      "AGENTS", // a file of that name wins over the alias
		"AGENT_PLAIN": "PLAIN",  // the name of the file
		"AGENT_X":     "AGENT_X",
	} {
		p, err := r.Persona(name)
		if err != nil || p.ID != want {
			t.Errorf("Persona(%q) = %q, %v; want %s", name, p.ID, err, want)
		}
	}
	for _, name := range []string{
		"", " ", "NONE", "plain", "Plain", "../secret", "..", "a/b", `a\b`, "/etc/passwd", "PLAIN.md", "_PLAIN", "-PLAIN",
		"PLAIN\x00", "PLA\nIN", "PLÄIN", strings.Repeat("A", 81), strings.Repeat("A", 1<<20), "FOLDER", "RECONCILING", "%2e%2e",
	} {
		_, err := r.Persona(name)
		f := fault.From(err)
		if !fault.Is(err, fault.PersonaNotFound) || f.Status != 404 {
			t.Errorf("Persona(%.20q): %v, want PERSONA_NOT_FOUND 404", name, err)
			continue
		}
		if shown, _ := f.Details["persona"].(string); len(shown) > 300 || f.Details["instructionRoot"] != dir {
			t.Errorf("Persona(%.20q): details %v", name, f.Details)
		}
	}
}

// The root is checked before the name (compatible contract, 1.6).
func TestPersonaChecksRootFirst(t *testing.T) {
	t.Parallel()
	r := open(t, makeRoot(t, map[string]string{"AGENTS.md": "-"}))
	if _, err := r.Persona("NONE"); !fault.Is(err, fault.InstructionRootInvalid) {
		t.Errorf("error is %v, want INSTRUCTION_ROOT_INVALID", err)
	}
}

func TestPersonaStaysInside(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "AGENT_OUT.md")
	writeOld(t, outside, "AGENT_TYPE: 1\nsecret\n")
	dir := makeRoot(t, nil)
	if err := os.Symlink(outside, filepath.Join(dir, "agents", "AGENT_OUT.md")); err != nil {
		t.Skipf("skipped: this system does not let the test make links: %v", err)
	}
	if err := os.Symlink("AGENT_PLAIN.md", filepath.Join(dir, "agents", "AGENT_IN.md")); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	if p, err := r.Persona("OUT"); !fault.Is(err, fault.PersonaNotFound) {
		t.Errorf("a link out of the root was followed: %q, %v", p.Body, err)
	}
	if p, err := r.Persona("IN"); err != nil || p.ID != "IN" {
		t.Errorf("a link inside the root: %q, %v", p.ID, err)
	}
}

func TestPersonaNoticesChanges(t *testing.T) {
	t.Parallel()
	dir := makeRoot(t, nil)
	r := open(t, dir)
	body := func() string {
		t.Helper()
		p, err := r.Persona("PLAIN")
		if err != nil {
			t.Fatal(err)
		}
		return p.Body
	}
	first := body()
	file := filepath.Join(dir, "agents", "AGENT_PLAIN.md")
	// The same length, so that only the time tells.
	second := strings.ToLower(first)
	if err := os.WriteFile(file, []byte(second), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := body(); got != second {
		t.Errorf("a change was not noticed: %q", got)
	}
	// A change within the resolution of the file's time, straight after a read.
	third := strings.ToUpper(first)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(third), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := body(); got != third {
		t.Errorf("a change without a new time was not noticed: %q", got)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Persona("PLAIN"); !fault.Is(err, fault.PersonaNotFound) {
		t.Errorf("a removed persona: %v", err)
	}
}

func TestPersonaSizeLimit(t *testing.T) {
	t.Parallel()
	r := open(t, makeRoot(t, map[string]string{"agents/AGENT_BIG.md": strings.Repeat("x", MaxFileBytes+1)}))
	_, err := r.Persona("BIG")
	if !fault.Is(err, fault.PersonaNotFound) || !strings.Contains(fault.From(err).NextStep(), "1048576 bytes") {
		t.Errorf("error %v, hint %q; want the limit named", err, fault.From(err).NextStep())
	}
	list, err := r.List()
	if err != nil || len(list) != 2 || len(list[0].Warnings) != 1 || !strings.Contains(list[0].Warnings[0], "larger") {
		t.Errorf("List = %+v, %v; want BIG with a warning", list, err)
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	dir := makeRoot(t, nil)
	openToAll(t, dir)
	r := open(t, dir)
	durabletest.AsNobody(t, func() {
		if err := r.Check(); err != nil {
			t.Errorf("readable entries: %v", err)
		}
	})
	if err := os.Chmod(filepath.Join(dir, "README.md"), 0); err != nil {
		t.Fatal(err)
	}
	var err error
	durabletest.AsNobody(t, func() { err = r.Check() })
	if !fault.Is(err, fault.InstructionRootInvalid) {
		t.Errorf("an unreadable entry: %v", err)
	}
}

// openToAll lets everybody read what lies in a test's folder.
func openToAll(t *testing.T, dir string) {
	t.Helper()
	for up := filepath.Dir(dir); up != os.TempDir() && up != filepath.Dir(up); up = filepath.Dir(up) {
		if err := os.Chmod(up, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o755)
		} else if err == nil {
			return os.Chmod(path, 0o644)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	dir := makeRoot(t, nil)
	r := open(t, dir)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				if i == 0 {
					writeOld(t, filepath.Join(dir, "agents", "AGENT_NEW.md"), "AGENT_TYPE: 2\n")
				}
				if _, err := r.Persona("PLAIN"); err != nil {
					t.Error(err)
				}
				if _, err := r.List(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestList(t *testing.T) {
	t.Parallel()
	r := open(t, makeRoot(t, map[string]string{
		"agents/AGENT_B.md":    "---\ndescription: second\ntools: []\n---\n| **AGENT_TYPE** | TYPE 2 |\n",
		"agents/AGENT_A_1.md":  "x",
		"agents/AGENT_A.md":    "x",
		"agents/NOTES.md":      "x",
		"agents/AGENT_.md":     "x",
		"agents/AGENT_C.txt":   "x",
		"agents/AGENT_D-E.md":  "x",
		"agents/agent_f.md":    "x",
		"agents/AGENT_ BAD.md": "x",
	}))
	list, err := r.List()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, s := range list {
		ids = append(ids, s.ID)
		if s.ID == "B" {
			want := Summary{ID: "B", Type: Specialist, Description: "second", Tools: &[]string{}, File: "agents/AGENT_B.md"}
			if len(s.Findings) == 0 {
				t.Error("it has no findings, and nearly nothing that the specification demands")
			}
			s.Findings = nil
			if diff := cmp.Diff(want, s); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		}
	}
	// A name with a hyphen cannot be asked for, since hyphens become underscores.
	if diff := cmp.Diff([]string{"A", "A_1", "B", "PLAIN"}, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func BenchmarkWarmTurn(b *testing.B) {
	r := open(b, makeRoot(b, nil))
	for b.Loop() {
		p, err := r.Persona("PLAIN")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.GlobalModel(); err != nil {
			b.Fatal(err)
		}
		_ = p.SystemPrompt()
	}
}
