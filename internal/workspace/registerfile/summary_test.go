package registerfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/fault"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/register"
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
	csv, summary := stat("Dependencies.csv"), stat("_DEPENDENCIES.md")
	again, err := f.Put(t.Context(), d, Change{}, rows)
	must(t, err)
	if again.Summary != "" || !os.SameFile(csv, stat("Dependencies.csv")) || !os.SameFile(summary, stat("_DEPENDENCIES.md")) {
		t.Errorf("the same rows again: %q", again.Summary)
	}
}

// TestApplyBringsSummaryInLine: a proposal that changes nothing still corrects a
// _DEPENDENCIES.md that does not agree with the register, and says where it cannot.
func TestApplyBringsSummaryInLine(t *testing.T) {
	t.Parallel()
	d := deliverable(t, nil)
	var record []Record
	f := files(t, &record)
	_, err := f.Put(t.Context(), d, Change{}, []map[string]string{row("DEP-01-02-001", "TBD")})
	must(t, err)
	csv := content(t, d, "Dependencies.csv")
	apply := func() Result {
		t.Helper()
		before := len(record)
		made, err := f.Apply(t.Context(), d, Change{By: "me"}, register.Parse([]byte(csv)), register.ProposalOptions{}, "proposal x")
		must(t, err)
		if content(t, d, "Dependencies.csv") != csv {
			t.Error("the register has changed")
		}
		if made.Summary != "" && len(record) != before {
			t.Errorf("left alone, and on record: %+v", record[before:])
		}
		return made
	}
	if made := apply(); made.Summary != "" || len(record) != 1 {
		t.Errorf("without a summary: %q, %+v", made.Summary, record)
	}
	const empty = "# Dependencies\n\n## Extracted Dependency Register\nNot extracted yet.\n\n## Lifecycle Summary\nNot extracted yet.\n"
	must(t, os.WriteFile(filepath.Join(d.Path, "_DEPENDENCIES.md"), []byte(empty), 0o600))
	made := apply()
	got := content(t, d, "_DEPENDENCIES.md")
	if made.Summary != "" || !strings.Contains(got, "**Total ACTIVE rows:** 1\n") {
		t.Errorf("%q\n%s", made.Summary, got)
	}
	if last := record[len(record)-1]; last.Path != d.Rel+"/_DEPENDENCIES.md" || last.Before != changeset.Hash([]byte(empty)) || last.After != changeset.Hash([]byte(got)) {
		t.Errorf("on record is %+v", last)
	}
	if made := apply(); made.Summary != "" || content(t, d, "_DEPENDENCIES.md") != got || len(record) != 2 {
		t.Errorf("once more: %q, %+v", made.Summary, record)
	}
	must(t, os.WriteFile(filepath.Join(d.Path, "_DEPENDENCIES.md"), []byte(theirs), 0o600))
	if made := apply(); !strings.Contains(made.Summary, "is not what belay wrote there") || content(t, d, "_DEPENDENCIES.md") != theirs {
		t.Errorf("figures of somebody else: %q", made.Summary)
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
	seen, _, err := f.Summary(context.Background(), d, false)
	must(t, err)
	if !seen.Changes() || string(seen.Before) != theirs || content(t, d, "_DEPENDENCIES.md") != theirs {
		t.Fatalf("shown is\n%s", seen.After)
	}
	write := func(seen changeset.File) error {
		_, refused, err := f.WriteSummaries(t.Context(), "me", []Seen{{d, seen}})
		return errors.Join(err, refused[0])
	}
	// The register changes meanwhile, or the file does.
	_, err = f.Put(t.Context(), d, Change{}, append(rows, row("DEP-01-02-002", "TBD")))
	must(t, err)
	if err := write(seen); !fault.Is(err, fault.ContentChanged) || content(t, d, "_DEPENDENCIES.md") != theirs {
		t.Errorf("another register: %v", err)
	}
	seen, _, err = f.Summary(context.Background(), d, false)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(d.Path, "_DEPENDENCIES.md"), []byte(theirs+"- and more\n"), 0o600))
	if err := write(seen); !fault.Is(err, fault.ContentChanged) || content(t, d, "_DEPENDENCIES.md") != theirs+"- and more\n" {
		t.Errorf("another file: %v", err)
	}
	seen, _, err = f.Summary(context.Background(), d, false)
	must(t, err)
	must(t, write(seen))
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
