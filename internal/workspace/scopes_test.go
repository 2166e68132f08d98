package workspace_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"belay/internal/workspace"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

// What a scan knows of a project is what the scopes open: the folders of
// deliverables and knowledge types that are worked on, and the tool roots, those that
// the specification names and those that it does not.
// Covers: workspace 8.2, 9.5
func TestScopesOfProjects(t *testing.T) {
	t.Parallel()
	own := t.TempDir()
	for _, name := range []string{
		"INIT.md", "README.md", "src/PKG-01_A/1_Working/DEL-01-01_B/x.md", "_Decomposition/d.md", "_Mine/deep/x.csv", "_Change/_LATEST.md",
		"_Estimates/EST_2026-01-02_0304/x.md", "_Estimates/EST_2026-01-02/x.md",
		"PKG-01_A/1_Working/DEL-01-01_B/_STATUS.md", "PKG-01_A/1_Working/DEL-01-01_B/MEMORY.md", "PKG-01_A/1_Working/DEL-01-01_B/_MEMORY.md",
		"PKG-01_A/1_Working/DEL-01-01_B/deep/x.md", "PKG-01_A/1_Working/KTY-01-02_C/Scoping.md", "PKG-01_A/1_Working/KTY-01-02_C/_STATUS.md",
		"PKG-01_A/1_Working/_Archive/DEL-01-01_B/x.md", "PKG-01_A/1_Working/loose.md", "PKG-01_A/3_Issued/DEL-01-01_B/x.md", "PKG-01_A/0_References/x.md",
	} {
		full := filepath.Join(own, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if opened := checkScopes(t, own); opened["deliverable-local"] != 3 || opened["tool-root-only"] != 3 || opened["none"] != 0 {
		t.Errorf("so many files are open: %v", opened)
	}
	corpora := os.Getenv("BELAY_CORPUS")
	if corpora == "" {
		t.Skip("a small project alone was looked at: BELAY_CORPUS is not set")
	}
	for _, name := range []string{"chirality-app", "psb-6a", "proposal-6b"} {
		opened := checkScopes(t, filepath.Join(corpora, name))
		if opened["deliverable-local"] < 200 || opened["repo-metadata-only"] == 0 || opened["workspace-scaffold-only"] != 0 {
			t.Errorf("%s: so many files are open: %v", name, opened)
		}
	}
}

// checkScopes asks each scope about each file of a project, and returns how many
// files it opens.
func checkScopes(t *testing.T, root string) map[string]int {
	t.Helper()
	found, err := scan.Scan(t.Context(), root, scan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var work, tools []string
	for _, f := range slices.Concat(found.Deliverables, found.KnowledgeTypes) {
		work = append(work, f.Path+"/")
	}
	for _, r := range found.ToolRoots {
		tools = append(tools, r.Name+"/")
	}
	lies := func(name string, in []string) bool {
		return slices.ContainsFunc(in, func(above string) bool { return strings.HasPrefix(name, above) })
	}
	rules := map[string]func(name string) bool{
		"repo-wide":               func(string) bool { return true },
		"deliverable-local":       func(name string) bool { return lies(name, work) },
		"knowledge-type-local":    func(name string) bool { return lies(name, work) },
		"tool-root-only":          func(name string) bool { return lies(name, tools) },
		"workspace-scaffold-only": func(string) bool { return false }, // each of them exists
		"repo-metadata-only": func(name string) bool {
			return !strings.Contains(name, "/") || strings.HasPrefix(name, layout.Decomposition+"/")
		},
		"none": func(string) bool { return false },
	}
	for _, r := range found.ToolRoots {
		rules["tool-root-only (`{EXECUTION_ROOT}/"+r.Name+"/`)"] = func(name string) bool { return strings.HasPrefix(name, r.Name+"/") }
	}
	scopes := map[string]*workspace.Scope{}
	for cell := range rules {
		scopes[cell] = workspace.NewScope(workspace.ScopeOptions{WriteScope: cell, Persona: "WORKING_ITEMS", Project: root})
	}
	opened := map[string]int{}
	err = filepath.WalkDir(root, func(full string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, full)
		name := filepath.ToSlash(rel)
		for cell, opens := range rules {
			open := scopes[cell].Allows(name, true) == nil
			if want := opens(name) && !isGuarded(name); open != want {
				t.Errorf("%s: %s is open: %v, want %v", cell, name, open, want)
			}
			if open {
				opened[cell]++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// isGuarded reports the files that no agent writes.
func isGuarded(name string) bool {
	switch path.Base(name) {
	case layout.StatusFile, layout.ContextFile, layout.RegisterFile, layout.ReferencesFile, layout.LatestFile, layout.AgentMemoryFile:
		return true
	}
	if name[0] != '_' {
		return false
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if layout.IsSnapshot(path.Base(dir)) && strings.Contains(dir, "/") {
			return true
		}
	}
	return false
}
