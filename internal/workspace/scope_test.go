package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Covers: workspace 9.5
func TestWriteScopeByItsFirstWord(t *testing.T) {
	t.Parallel()
	const (
		top     = "INIT.md"
		inTool  = "_Reconciliation/DepClosure/report.md"
		inDec   = "_Decomposition/d.md"
		inWork  = "PKG-01_A/1_Working/DEL-01-01_B/Datasheet.md"
		inKTY   = "PKG-01_A/1_Working/KTY-01_B/deep/x.md"
		inPack  = "PKG-01_A/0_References/x.md"
		archive = "PKG-01_A/1_Working/_Archive/x.md"
		folder  = "PKG-01_A/1_Working/DEL-01-01_B"
		nested  = "src/PKG-01_A/1_Working/DEL-01-01_B/x.md"
		other   = "src/main.go"
	)
	all := []string{top, inTool, inDec, inWork, inKTY, inPack, archive, folder, nested, other}
	tests := []struct {
		cell          string
		change, fresh []string // what may be changed, and what created
	}{
		{"repo-wide", all, all},
		{"Project-Level (decomposition document + metadata)", all, all},
		{"`project-level`", all, all},
		{"deliverable-local (the four docs only)", []string{inWork, inKTY}, []string{inWork, inKTY}},
		{"knowledge-type-local", []string{inWork, inKTY}, []string{inWork, inKTY}},
		{"tool-root-only", []string{inTool, inDec}, []string{inTool, inDec}},
		{"tool-root-only (project-level control-plane artifacts)", []string{inTool, inDec}, []string{inTool, inDec}},
		{"tool-root-only (`{EXECUTION_ROOT}/_Reconciliation/`)", []string{inTool}, []string{inTool}},
		{"tool-root-only (`{EXECUTION_ROOT}/_Reconciliation/DepClosure/`)", []string{inTool}, []string{inTool}},
		{"tool-root-only (`_Reconciliation/Other/`, `_Decomposition/`)", []string{inDec}, []string{inDec}},
		{"tool-root-only (`{EXECUTION_ROOT}/_Change/`; other files need approval)", nil, nil},
		{"tool-root-only (_Decomposition)", []string{inDec}, []string{inDec}},
		{"workspace-scaffold-only (within `{EXECUTION_ROOT}/`)", nil, all},
		{"repo-metadata-only", []string{top, inDec}, []string{top, inDec}},
		{"none (read-only; may draft content)", nil, nil},
		{"everything", nil, nil},
		{"repo", nil, nil},
		{"", nil, nil},
	}
	for _, tt := range tests {
		s := NewScope(ScopeOptions{WriteScope: tt.cell, Persona: "X", Project: t.TempDir()})
		for _, p := range all {
			for exists, open := range map[bool][]string{true: tt.change, false: tt.fresh} {
				err := s.Allows(p, exists)
				if want := contains(open, p); want != (err == nil) {
					t.Errorf("%q: Allows(%s, exists %v) = %v, want allowed %v", tt.cell, p, exists, err, want)
				}
				var e *ScopeError
				if err != nil && (!errors.As(err, &e) || e.Protected || !strings.Contains(err.Error(), "you may")) {
					t.Errorf("%q: the error %v does not say what the agent may write", tt.cell, err)
				}
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func TestProtectedFiles(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	rules := filepath.Join(project, "Rules")
	real := filepath.Join(project, "real", "state")
	for _, d := range []string{rules, real} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "state")
	if err := os.Symlink(real, link); err != nil {
		link = real // where the test may not make links
	}
	scope := func(persona string) *Scope {
		return NewScope(ScopeOptions{WriteScope: "repo-wide", Persona: persona, Project: project,
			InstructionRoot: rules, Private: []string{link, "/elsewhere"}})
	}
	tests := []struct {
		path                      string
		writes, protected, hidden bool // protected: of commands too
	}{
		{"a.md", true, false, false},
		{"_STATUS.md.bak", true, false, false},
		{"my_STATUS.md", true, false, false},
		{"src/belay.yaml", true, false, false},
		{".belayed", true, false, false},
		{".gitignore", true, false, false},
		{"_Aggregation/notes_2026-01-01/x.md", true, false, false},
		{"PKG-01_A/label_2026-01-01_1200/x.md", true, false, false},
		{"Rules2/x.md", true, false, false},
		{"_STATUS.md", false, true, false},
		{"a/b/_STATUS.md", false, true, false},
		{"a/_CONTEXT.md", false, true, false},
		{"a/Dependencies.csv", false, true, false},
		{"_Aggregation/_LATEST.md", false, true, false},
		{"_Aggregation/run_2026-01-01_1200/x.md", false, true, false},
		{"_Aggregation/run_2026-01-01_1200_2/x.md", false, true, false},
		{"_Aggregation/_Pipelines/run_2026-01-01_1200/deep/x.md", false, true, false},
		{"_STATUS.md/x", false, true, false},
		{"MEMORY.md", true, false, false},
		{"PKG-01_A/1_Working/DEL-01-01_B/_MEMORY.md", false, true, false},
		{"PKG-01_A/1_Working/DEL-01-01_B/_memory.MD", false, true, false},
		{"belay.yaml", false, true, false},
		{"Rules/agents/AGENT_X.md", false, true, false},
		{"rules/agents/AGENT_X.md", false, true, false},
		{"Rules", false, true, false},
		{".belay/sessions/s/session.json", false, true, true},
		{"sub/.belay/x", false, true, true},
		{"real/state/operator", false, true, true},
		{".git", false, false, false},
		{".git/objects/aa", false, false, false},
		{".git/config", false, true, false},
		{".git/hooks/pre-commit", false, true, false},
		{"modules/x/.git/hooks/pre-commit", false, true, false},
		{"", false, false, false},
		{"..", false, false, false},
		{"../x", false, false, false},
		{"a/../../x", false, false, false},
		{"/etc/passwd", false, false, false},
	}
	for _, tt := range tests {
		s := scope("WORKING_ITEMS")
		err := s.Allows(tt.path, true)
		if (err == nil) != tt.writes || s.Protected(tt.path) != tt.protected || s.Hidden(tt.path) != tt.hidden {
			t.Errorf("%q: Allows %v, Protected %v, Hidden %v; want %+v", tt.path, err, s.Protected(tt.path), s.Hidden(tt.path), tt)
		}
		var e *ScopeError
		if err != nil && (!errors.As(err, &e) || !e.Protected) {
			t.Errorf("%q: %v is not the error of a protected file", tt.path, err)
		}
	}
	for persona, want := range map[string]bool{"ORCHESTRATOR": true, "orchestrator": false, "CHANGE": false} {
		if got := scope(persona).Allows("a/_REFERENCES.md", true) == nil; got != want {
			t.Errorf("%s may write _REFERENCES.md: %v, want %v", persona, got, want)
		}
	}
	if s := NewScope(ScopeOptions{WriteScope: "repo-wide", Project: project, Private: []string{project}}); !s.Hidden("a") {
		t.Error("a project that is the private folder itself shows its files")
	}
}

// A deliverable's _DEPENDENCIES.md belongs to two owners.
// Covers: workspace 9.5
func TestHumanZones(t *testing.T) {
	t.Parallel()
	const file = "PKG-01_A/1_Working/DEL-01-01_B/_DEPENDENCIES.md"
	const before = "# Dependencies: X\n\n## Dependency Tracking Mode\n- **Mode:** TRACKED\n\n---\n\n" +
		"## Declared Upstream (I need these)\n- DEL-01-02\n\n## Extracted Dependency Register\nnone\n\n## Declared Downstream\n- DEL-09-09\n"
	tests := []struct {
		name, from, to string
		keeps          bool
	}{
		{"the agents' part", "none", "**Run date:** 2026-01-01\n### ANCHOR Rows", true},
		{"line endings", "\n", "\r\n", true},
		{"a declaration", "DEL-01-02", "DEL-01-03", false},
		{"the mode", "TRACKED", "NOT_TRACKED", false},
		{"a declaration more", "- DEL-01-02\n", "- DEL-01-02\n### more\n- DEL-01-04\n", false},
		{"a section gone", "## Declared Downstream\n- DEL-09-09\n", "", false},
		{"a section twice", "none\n", "none\n## Declared Upstream\n- DEL-01-05\n", false},
		{"a heading renamed", "## Declared Downstream", "## Downstream", false},
	}
	s := NewScope(ScopeOptions{WriteScope: "repo-wide", Persona: "DEPENDENCIES", Project: t.TempDir()})
	boss := NewScope(ScopeOptions{WriteScope: "repo-wide", Persona: "ORCHESTRATOR", Project: t.TempDir()})
	for _, tt := range tests {
		after := strings.ReplaceAll(before, tt.from, tt.to)
		if err := s.KeepsZones(file, []byte(before), []byte(after)); (err == nil) != tt.keeps {
			t.Errorf("%s: %v, want kept %v", tt.name, err, tt.keeps)
		}
		if err := boss.KeepsZones(file, []byte(before), []byte(after)); err != nil {
			t.Errorf("%s: ORCHESTRATOR is refused: %v", tt.name, err)
		}
		if err := s.KeepsZones("a/notes.md", []byte(before), []byte(after)); err != nil {
			t.Errorf("%s: another file is refused: %v", tt.name, err)
		}
	}
	if err := s.KeepsZones(file, nil, []byte(before)); err != nil {
		t.Errorf("a new file is refused: %v", err)
	}
}
