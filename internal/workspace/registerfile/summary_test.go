package registerfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/fault"
	"belay/internal/workspace/changeset"
)

// theirs is a summary in a form of its own.
const theirs = "# Dependencies: DEL-01-02 Name\n\n## Extracted Dependency Register\n**Total ACTIVE rows:** 9\n\n" +
	"## Lifecycle Summary\n\n### Closure (EXECUTION only)\n\n| SatisfactionStatus | Count |\n|---|---|\n| TBD | 9 |\n\n## Run Notes\n- by hand\n"

// TestSummaryLeftAlone: figures that belay did not write stay when the register
// changes, which is reported; and when nothing changes, no file does.
func TestSummaryLeftAlone(t *testing.T) {
	t.Parallel()
	d := deliverable(t, map[string]string{"_DEPENDENCIES.md": theirs})
	f := files(t, nil)
	rows := []map[string]string{row("DEP-01-02-001", "TBD")}
	made, err := f.Put(t.Context(), d, Change{}, rows)
	must(t, err)
	if !strings.Contains(made.Summary, "is not what belay wrote there") || content(t, d, "_DEPENDENCIES.md") != theirs {
		t.Errorf("%q\n%s", made.Summary, content(t, d, "_DEPENDENCIES.md"))
	}
	stat := func(name string) os.FileInfo {
		info, err := os.Stat(filepath.Join(d.Path, name))
		must(t, err)
		return info
	}
	register, summary := stat("Dependencies.csv"), stat("_DEPENDENCIES.md")
	again, err := f.Put(t.Context(), d, Change{}, rows)
	must(t, err)
	if again.Summary != "" || !os.SameFile(register, stat("Dependencies.csv")) || !os.SameFile(summary, stat("_DEPENDENCIES.md")) {
		t.Errorf("the same rows again: %q", again.Summary)
	}
}

// TestWriteSummary: only what was shown is written.
func TestWriteSummary(t *testing.T) {
	t.Parallel()
	d := deliverable(t, map[string]string{"_DEPENDENCIES.md": theirs})
	var record []Record
	f := files(t, &record)
	rows := []map[string]string{row("DEP-01-02-001", "TBD")}
	_, err := f.Put(t.Context(), d, Change{}, rows)
	must(t, err)
	seen, err := f.Summary(d, false)
	must(t, err)
	if !seen.Changes() || string(seen.Before) != theirs || content(t, d, "_DEPENDENCIES.md") != theirs {
		t.Fatalf("shown is\n%s", seen.After)
	}
	// The register changes meanwhile, or the file does.
	_, err = f.Put(t.Context(), d, Change{}, append(rows, row("DEP-01-02-002", "TBD")))
	must(t, err)
	if err := f.WriteSummary(t.Context(), d, "me", seen); !fault.Is(err, fault.ContentChanged) || content(t, d, "_DEPENDENCIES.md") != theirs {
		t.Errorf("another register: %v", err)
	}
	seen, err = f.Summary(d, false)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(d.Path, "_DEPENDENCIES.md"), []byte(theirs+"- and more\n"), 0o600))
	if err := f.WriteSummary(t.Context(), d, "me", seen); !fault.Is(err, fault.ContentChanged) || content(t, d, "_DEPENDENCIES.md") != theirs+"- and more\n" {
		t.Errorf("another file: %v", err)
	}
	seen, err = f.Summary(d, false)
	must(t, err)
	must(t, f.WriteSummary(t.Context(), d, "me", seen))
	got := content(t, d, "_DEPENDENCIES.md")
	if got != string(seen.After) || !strings.Contains(got, "**Total ACTIVE rows:** 2\n") || !strings.HasSuffix(got, "\n## Run Notes\n- by hand\n- and more\n") {
		t.Errorf("it is\n%s", got)
	}
	if last := record[len(record)-1]; last.By != "me" || last.Path != d.Rel+"/_DEPENDENCIES.md" || last.After != changeset.Hash(seen.After) {
		t.Errorf("on record is %+v", last)
	}
	// From now on it follows.
	made, err := f.Put(t.Context(), d, Change{}, append(rows, row("DEP-01-02-002", "TBD"), row("DEP-01-02-003", "TBD")))
	must(t, err)
	if made.Summary != "" || !strings.Contains(content(t, d, "_DEPENDENCIES.md"), "**Total ACTIVE rows:** 3\n") {
		t.Errorf("%q", made.Summary)
	}
}
