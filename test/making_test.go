package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const footbridge = `# Footbridge — decomposition

### PKG-01 — Deck & rail

| DeliverableID | Name | Type |
|---|---|---|
| DEL-01-01 | Levels | TABLE |
| DEL-01-02 | Rail | DRAWING |
`

// The scaffold call of a client of the original system (compatible contract, 1.9
// and 8.6).
func TestOriginalClientScaffolds(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve()
	s.file("bridge.md", footbridge)
	root := filepath.Join(t.TempDir(), "root")
	body := jsonOf(map[string]any{"executionRoot": root, "decompositionPath": filepath.Join(s.project, "bridge.md"), "coordinationMode": "hybrid"})
	status, answer := s.do("POST", "/api/harness/scaffold", body)
	if status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	// The members have the original's order, and belay's own stand behind them.
	var keys []string
	dec := json.NewDecoder(strings.NewReader(answer))
	_, err := dec.Token()
	must(t, err)
	for dec.More() {
		key, err := dec.Token()
		must(t, err)
		keys = append(keys, key.(string))
		var skipped json.RawMessage
		must(t, dec.Decode(&skipped))
	}
	want := []string{"executionRoot", "decompositionPath", "copiedDecompositionPath", "projectName", "coordinationMode", "packageCount",
		"deliverableCount", "created", "layoutValidation", "preparationCompatibility", "findings"}
	if !slices.Equal(keys, want) {
		t.Errorf("the answer has %v", keys)
	}
	if !strings.Contains(answer, `"coordinationMode":"HYBRID","packageCount":1,"deliverableCount":2,`) || !strings.Contains(answer, `"preparationCompatibility":{"ready":true,"deliverablesChecked":2,"issueCount":0,`) {
		t.Errorf("the answer is %s", answer)
	}
	for _, name := range []string{"INIT.md", "_Coordination/_COORDINATION.md", "_Decomposition/bridge.md", "PKG-01_Deck & rail/1_Working/DEL-01-02_Rail/_CONTEXT.md"} {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	status, answer = s.do("POST", "/api/harness/scaffold", body)
	if status != 200 || !strings.Contains(answer, `"created":{"directories":[],"files":[]}`) {
		t.Errorf("again: %d %s", status, answer)
	}
	for body, want := range map[string]string{
		`{"executionRoot":"x","decompositionPath":"/y"}`:                                                   `"INVALID_REQUEST"`,
		jsonOf(map[string]any{"executionRoot": root, "decompositionPath": filepath.Join(root, "INIT.md")}): "it defines no package",
		jsonOf(map[string]any{"executionRoot": root, "decompositionPath": filepath.Join(root, "none.md")}): "there is no such file",
	} {
		if status, answer := s.do("POST", "/api/harness/scaffold", body); status != 400 || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	must(t, os.RemoveAll(filepath.Join(root, "_Change")))
	must(t, os.WriteFile(filepath.Join(root, "_Change"), nil, 0o600))
	if status, answer := s.do("POST", "/api/harness/scaffold", body); status != 409 || !strings.Contains(answer, `"stage":"ensure_tool_root"`) {
		t.Errorf("with a file in the way: %d %s", status, answer)
	}
}

// A copy of the example project is a project like any other.
func TestExampleProject(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve()
	_, first := s.do("POST", "/api/project/example", "{}")
	_, second := s.do("POST", "/api/project/example", "{}")
	var made [2]struct{ ProjectRoot string }
	must(t, json.Unmarshal([]byte(first), &made[0]))
	must(t, json.Unmarshal([]byte(second), &made[1]))
	if filepath.Base(made[0].ProjectRoot) != "belay-example" || filepath.Base(made[1].ProjectRoot) != "belay-example-2" {
		t.Fatalf("made %s, %s", first, second)
	}
	want := map[string]string{}
	must(t, filepath.WalkDir("../examples/project", func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if err == nil && e.Name() == ".belay" {
				return filepath.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel("../examples/project", path)
		want[rel] = string(data)
		return err
	}))
	for rel, content := range want {
		got, err := os.ReadFile(filepath.Join(made[0].ProjectRoot, rel))
		if err != nil || string(got) != content {
			t.Errorf("%s differs: %v", rel, err)
		}
	}
	if status, answer := s.do("POST", "/api/project/example", jsonOf(map[string]any{"projectRoot": made[0].ProjectRoot})); status != 400 {
		t.Errorf("over another one: %d %s", status, answer)
	}
	own := filepath.Join(t.TempDir(), "deep", "own")
	if status, answer := s.do("POST", "/api/project/example", jsonOf(map[string]any{"projectRoot": own})); status != 200 {
		t.Errorf("%d %s", status, answer)
	}
}

// Who has the access token of a server on a network makes projects only where it
// serves some.
func TestMakingIsConfined(t *testing.T) {
	t.Parallel()
	inside, outside := t.TempDir(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "bridge.md"), []byte(footbridge), 0o600))
	must(t, os.WriteFile(filepath.Join(inside, "bridge.md"), []byte(footbridge), 0o600))
	s := newPlace(t, "BELAY_SERVER_PROJECT_ROOTS="+inside).serve()
	for _, c := range []struct {
		root, document string
		status         int
	}{
		{filepath.Join(outside, "new"), filepath.Join(inside, "bridge.md"), 403},
		{filepath.Join(inside, "new"), filepath.Join(outside, "bridge.md"), 403},
		{filepath.Join(inside, "new"), filepath.Join(inside, "bridge.md"), 200},
	} {
		status, answer := s.do("POST", "/api/harness/scaffold", jsonOf(map[string]any{"executionRoot": c.root, "decompositionPath": c.document}))
		if status != c.status {
			t.Errorf("%s of %s: %d %s", c.root, c.document, status, answer)
		}
	}
	if status, answer := s.do("POST", "/api/project/example", jsonOf(map[string]any{"projectRoot": filepath.Join(outside, "x")})); status != 403 {
		t.Errorf("an example outside: %d %s", status, answer)
	}
	if _, answer := s.do("POST", "/api/project/example", "{}"); !strings.Contains(answer, filepath.ToSlash(inside)) {
		t.Errorf("an example of the server's choice: %s", answer)
	}
}
