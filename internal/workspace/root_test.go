package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/durable/durabletest"
	"belay/internal/fault"
)

// Covers: workspace 9.8
func TestCheckRoot(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := func(parts ...string) string {
		p := filepath.Join(append([]string{base}, parts...)...)
		if err := os.MkdirAll(p, 0o755); err != nil {
			t.Fatal(err)
		}
		return p
	}
	project, instructions, nested := dir("project"), dir("rules"), dir("rules", "agents", "deep")
	sibling := dir("rules-of-mine")
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(name, target string) string {
		p := filepath.Join(base, name)
		if err := os.Symlink(target, p); err != nil {
			t.Skipf("skipped: this system does not let the test make links: %v", err)
		}
		return p
	}
	good, into, ruleLink := link("good", project), link("into", nested), link("rulelink", instructions)

	tests := []struct {
		name, root, rules string
		want              fault.Type
		path              string
	}{
		{"a folder", project, instructions, "", project},
		{"embedded instructions", project, "", "", project},
		{"not in normal form", project + "/../project/.", instructions, "", project},
		{"trailing separator", project + string(filepath.Separator), instructions, "", project},
		{"a link keeps its name", good, instructions, "", good},
		{"name that begins like the root's", sibling, instructions, "", sibling},
		{"contains the instruction root", base, instructions, "", base},
		{"blank", "  ", instructions, fault.InvalidRequest, ""},
		{"relative", "project", instructions, fault.InvalidRequest, ""},
		{"NUL", project + "\x00", instructions, fault.InvalidRequest, ""},
		{"newline", project + "\n", instructions, fault.InvalidRequest, ""},
		{"escape", project + "/\x1b[2J", instructions, fault.InvalidRequest, ""},
		{"not UTF-8", project + "/\xff", instructions, fault.InvalidRequest, ""},
		{"too long", "/" + strings.Repeat("a", maxPath), instructions, fault.InvalidRequest, ""},
		{"the instruction root", instructions, instructions, fault.WorkingRootConflict, ""},
		{"inside it", nested, instructions, fault.WorkingRootConflict, ""},
		{"inside it but missing", filepath.Join(nested, "none"), instructions, fault.WorkingRootConflict, ""},
		{"inside it through a link", into, instructions, fault.WorkingRootConflict, ""},
		{"inside a linked root", nested, ruleLink, fault.WorkingRootConflict, ""},
		{"the root of the file system", "/", instructions, fault.WorkingRootInaccessible, ""},
		{"a link to it", link("top", "/"), instructions, fault.WorkingRootInaccessible, ""},
		{"missing", filepath.Join(base, "none"), instructions, fault.WorkingRootInaccessible, ""},
		{"a file", file, instructions, fault.WorkingRootInaccessible, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := CheckRoot(tt.root, tt.rules)
			if tt.want == "" {
				if err != nil || got != tt.path {
					t.Fatalf("CheckRoot(%q) = %q, %v; want %q", tt.root, got, err, tt.path)
				}
				return
			}
			if !fault.Is(err, tt.want) {
				t.Fatalf("CheckRoot(%q) = %q, %v; want %s", tt.root, got, err, tt.want)
			}
			details := fault.From(err).Details
			if details["projectRoot"] == nil {
				t.Errorf("details %v do not name the project root", details)
			}
			if tt.want == fault.WorkingRootConflict && details["instructionRoot"] == nil {
				t.Errorf("details %v do not name the instruction root", details)
			}
		})
	}
}

func TestCheckRootNeedsPermissions(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o333, 0o555, 0o666, 0o777} {
		dir := t.TempDir()
		for _, d := range []string{dir, filepath.Dir(dir)} {
			if err := os.Chmod(d, 0o755); err != nil { // the way there is open to all
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
		var err error
		durabletest.AsNobody(t, func() { _, err = CheckRoot(dir, "") })
		if good := mode == 0o777; good != (err == nil) || !good && !fault.Is(err, fault.WorkingRootInaccessible) {
			t.Errorf("mode %o: %v, want WORKING_ROOT_INACCESSIBLE for all but 777", mode, err)
		}
	}
}

func TestCheckProject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for root, want := range map[string]fault.Type{
		dir: "", dir + "/x/..": "", "": fault.InvalidProjectRoot, " ": fault.InvalidProjectRoot, "relative": fault.InvalidProjectRoot,
		dir + "\n": fault.InvalidProjectRoot, file: fault.WorkingRootInaccessible, filepath.Join(dir, "none"): fault.WorkingRootInaccessible,
	} {
		got, err := CheckProject(root)
		if want == "" && (err != nil || got != dir) || want != "" && !fault.Is(err, want) {
			t.Errorf("CheckProject(%q) = %q, %v; want %q", root, got, err, want)
		}
	}
}
