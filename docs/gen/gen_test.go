package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRequirementsIn(t *testing.T) {
	t.Parallel()
	for claim, want := range map[string][]string{
		"turn-api REQ-11":                               {"turn-api REQ-11"},
		"turn-api REQ-01, REQ-02":                       {"turn-api REQ-01", "turn-api REQ-02"},
		"turn-api REQ-01; workspace 9.7, workspace 9.8": {"turn-api REQ-01", "workspace 9.7", "workspace 9.8"},
		"REQ-01": {"REQ-01"},
	} {
		if diff := cmp.Diff(want, requirementsIn(claim)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", claim, diff)
		}
	}
}

func TestClaims(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a/a_test.go", "package a\n\n// Covers: turn-api REQ-01\n// TestOne says more.\nfunc TestOne(t *testing.T) {\n")
	write("a/a.go", "// Covers: turn-api REQ-02\nfunc TestNot() {\n")
	write("b/testdata/x.txtar", "# Covers: turn-api REQ-01\nexec true\n")
	write("node_modules/c_test.go", "// Covers: turn-api REQ-03\nfunc TestNot() {\n")
	got, err := claims(root)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"turn-api REQ-01": {"a TestOne", "b/testdata/x.txtar"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := conformance(root); err == nil || !strings.Contains(err.Error(), "turn-api REQ-02 has no test") {
		t.Errorf("missing tests are not an error: %v", err)
	}
	write("d/d_test.go", "// Covers: turn-api REQ-99\nfunc TestTwo(t *testing.T) {\n")
	if _, err := conformance(root); err == nil || !strings.Contains(err.Error(), "turn-api REQ-99, which is no requirement") {
		t.Errorf("an unknown requirement is not an error: %v", err)
	}
	write("e/e_test.go", "// Covers: turn-api REQ-04\n\nvar x int\n")
	if _, err := claims(root); err == nil || !strings.Contains(err.Error(), "above no test") {
		t.Errorf("a claim above no test is not an error: %v", err)
	}
}
