package registerfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/register"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// deliverable is a new one in a project of its own, with files.
func deliverable(t testing.TB, files map[string]string) workspace.Deliverable {
	t.Helper()
	project := t.TempDir()
	dir := filepath.Join(project, "PKG-01_Some", "1_Working", "DEL-01-02_Name")
	must(t, os.MkdirAll(dir, 0o755))
	for name, text := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640))
	}
	d, err := workspace.FindDeliverable(project, dir)
	must(t, err)
	return d
}

func row(id, satisfaction string) map[string]string {
	return map[string]string{
		"DependencyID": id, "FromPackageID": "PKG-01", "FromDeliverableID": "DEL-01-02", "FromDeliverableName": "Name",
		"DependencyClass": "EXECUTION", "AnchorType": "NOT_APPLICABLE", "Direction": "UPSTREAM", "DependencyType": "INTERFACE",
		"TargetType": "DELIVERABLE", "TargetDeliverableID": "DEL-01-03", "EvidenceFile": "x", "SourceRef": "y", "SatisfactionStatus": satisfaction,
		"Origin": "EXTRACTED", "FirstSeen": "2026-01-01", "LastSeen": "2026-01-02", "Status": "ACTIVE",
	}
}

func writer(state string) changeset.Writer {
	return changeset.Writer{LockDir: filepath.Join(state, "locks"), Journal: journal.New(filepath.Join(state, "journal"), nil)}
}

func files(t testing.TB, on *[]Record) *Files {
	state := t.TempDir()
	return New(Options{Writer: writer(state), Clock: func() time.Time { return noon }, Record: func(_ context.Context, r Record, _ error) error {
		if on != nil {
			*on = append(*on, r)
		}
		return nil
	}})
}

func content(t testing.TB, d workspace.Deliverable, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(d.Path, name))
	must(t, err)
	return string(data)
}

func TestPut(t *testing.T) {
	t.Parallel()
	d := deliverable(t, map[string]string{"_DEPENDENCIES.md": "# Dependencies\n\n**Mode:** TRACKED\n\n## Extracted Dependency Register\nNot extracted yet.\n\n## Run Notes\n- 7 rows\n"})
	var record []Record
	f := files(t, &record)
	if _, err := f.Read(context.Background(), d); !fault.Is(err, fault.RegisterNotFound) || fault.From(err).Details["dependenciesFilePath"] != filepath.Join(d.Path, "Dependencies.csv") {
		t.Errorf("no register: %v", err)
	}
	made, err := f.Put(t.Context(), d, Change{By: "me", Match: func(tag string) bool { return tag == "" }}, []map[string]string{row("DEP-01-02-001", "TBD")})
	must(t, err)
	if !made.File.Exists || made.File.Len() != 1 || made.Summary != "" {
		t.Errorf("made %+v", made)
	}
	summary := content(t, d, "_DEPENDENCIES.md")
	if !strings.HasPrefix(summary, "# Dependencies\n\n**Mode:** TRACKED\n\n## Extracted Dependency Register\n**Run date:** 2026-03-04\n") ||
		!strings.Contains(summary, "\n**Total ACTIVE rows:** 1\n") || !strings.HasSuffix(summary, "\n\n## Run Notes\n- 7 rows\n") {
		t.Errorf("the summary is:\n%s", summary)
	}
	must(t, os.Chmod(made.File.Path, 0o604))
	changed, err := f.Put(t.Context(), d, Change{By: "me", Match: func(tag string) bool { return tag == made.File.Tag }}, []map[string]string{row("DEP-01-02-001", "PENDING")})
	must(t, err)
	read, err := f.Read(context.Background(), d)
	must(t, err)
	if read.Tag != changed.File.Tag || read.Tag == made.File.Tag || read.Row(0).Value(register.Satisfaction) != "PENDING" {
		t.Errorf("it reads %s", read.Bytes())
	}
	if info, err := os.Stat(read.Path); err != nil || info.Mode().Perm() != 0o604 {
		t.Errorf("permissions %v, %v", info.Mode(), err)
	}
	_, err = f.Put(t.Context(), d, Change{Match: func(tag string) bool { return tag == made.File.Tag }}, []map[string]string{row("DEP-01-02-001", "WAIVED")})
	if e := fault.From(err); e == nil || e.Type != fault.ContentChanged || !cmp.Equal(e.Details["paths"], []string{d.Rel + "/Dependencies.csv"}) {
		t.Errorf("an old content: %v", err)
	}
	want := []Record{
		{Project: d.Project, Path: d.Rel + "/Dependencies.csv", By: "me", Summary: "rows of the register: 0 changed, 1 added", After: made.File.Tag},
		{Project: d.Project, Path: d.Rel + "/Dependencies.csv", By: "me", Summary: "rows of the register: 1 changed, 0 added", Before: made.File.Tag, After: changed.File.Tag},
	}
	if diff := cmp.Diff(want, record); diff != "" {
		t.Error(diff)
	}
	left, err := filepath.Glob(filepath.Join(d.Path, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	d := deliverable(t, map[string]string{"_DEPENDENCIES.md": "# Dependencies\n\n## Extracted Dependency Register\nNot extracted yet.\n\n## Run History\n- 2026-01-02 — first\n"})
	f := files(t, nil)
	_, err := f.Put(t.Context(), d, Change{}, []map[string]string{row("DEP-01-02-001", "TBD")})
	must(t, err)
	p := register.Parse([]byte(strings.Replace(content(t, d, "Dependencies.csv"), "DEP-01-02-001", "DEP-01-02-002", 1)))
	result, err := f.Apply(t.Context(), d, Change{By: "me"}, p, register.ProposalOptions{Complete: true}, "proposal x")
	must(t, err)
	if len(result.Diff.New) != 1 || len(result.Diff.Retired) != 1 || result.Summary != "" {
		t.Errorf("%+v", result)
	}
	summary := content(t, d, "_DEPENDENCIES.md")
	if !strings.Contains(summary, "- 2026-01-02 — first\n- 2026-03-04 — APPLY: proposal x\n") || !strings.Contains(summary, "**RETIRED rows:** 1") {
		t.Errorf("the summary is:\n%s", summary)
	}
	before := content(t, d, "Dependencies.csv")
	if _, err := f.Apply(t.Context(), d, Change{}, p, register.ProposalOptions{Complete: true}, "again"); err != nil || content(t, d, "Dependencies.csv") != before || content(t, d, "_DEPENDENCIES.md") != summary {
		t.Errorf("applied again: %v", err)
	}
}

// TestFoldersThatAreNone: nothing is made where no deliverable is.
func TestFoldersThatAreNone(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	for _, rel := range []string{".git", "x/.Belay/y", "_Estimates/EST_2026-01-01_0000", "_Estimates/DEL-01-02_y", "PKG-01_x/2_Checking/DEL-01-02_y", "PKG-01_x/3_Issued/DEL-01-02_y",
		"PKG-01_x/1_Working/_archive/DEL-01-02_y"} {
		must(t, os.MkdirAll(filepath.Join(project, rel), 0o755))
		d, err := workspace.FindDeliverable(project, filepath.Join(project, rel))
		must(t, err)
		if _, err := files(t, nil).Put(t.Context(), d, Change{}, nil); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("%s: %v", rel, err)
		}
	}
}

func TestOddFiles(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "Dependencies.csv")
	must(t, os.WriteFile(outside, []byte("DependencyID\n"), 0o600))
	for name, c := range map[string]struct {
		make func(path string) error
		want fault.Type
	}{
		"a link out":  {func(p string) error { return os.Symlink(outside, p) }, fault.DeliverableOutside},
		"a dead link": {func(p string) error { return os.Symlink("nowhere", p) }, fault.DeliverableOutside},
		"a folder":    {func(p string) error { return os.Mkdir(p, 0o755) }, fault.WorkspaceFileReadFailed},
		"a large file": {func(p string) error {
			return errors.Join(os.WriteFile(p, nil, 0o600), os.Truncate(p, register.MaxBytes+1))
		}, fault.WorkspaceFileReadFailed},
		"a damaged one": {func(p string) error { return os.WriteFile(p, []byte("DependencyID\n\"a"), 0o600) }, fault.InvalidSchema},
	} {
		d := deliverable(t, nil)
		path := filepath.Join(d.Path, "Dependencies.csv")
		must(t, c.make(path))
		before, _ := os.Lstat(path)
		f := files(t, nil)
		if _, err := f.Read(context.Background(), d); !fault.Is(err, c.want) && c.want != fault.InvalidSchema {
			t.Errorf("%s read: %v", name, err)
		}
		if _, err := f.Put(t.Context(), d, Change{}, []map[string]string{row("DEP-01-02-001", "TBD")}); !fault.Is(err, c.want) {
			t.Errorf("%s written: %v, want %s", name, err, c.want)
		}
		if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s is another: %v", name, err)
		}
	}
	// A link inside of the folder is read, and not replaced.
	d := deliverable(t, map[string]string{"real.csv": "DependencyID\n"})
	must(t, os.Symlink("real.csv", filepath.Join(d.Path, "Dependencies.csv")))
	f := files(t, nil)
	if _, err := f.Read(context.Background(), d); err != nil {
		t.Error(err)
	}
	if _, err := f.Put(t.Context(), d, Change{}, []map[string]string{row("DEP-01-02-001", "TBD")}); !fault.Is(err, fault.WorkspaceFailure) {
		t.Errorf("a link inside: %v", err)
	}
}

// TestOneOfManyWins: of writers that have all seen the same content one changes it,
// and nobody's change is lost.
func TestOneOfManyWins(t *testing.T) {
	t.Parallel()
	d := deliverable(t, nil)
	f := files(t, nil)
	first, err := f.Put(t.Context(), d, Change{}, nil)
	must(t, err)
	const writers = 8
	won := make(chan string, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			id := fmt.Sprintf("DEP-01-02-%03d", i+1)
			_, err := f.Put(t.Context(), d, Change{Match: func(tag string) bool { return tag == first.File.Tag }}, []map[string]string{row(id, "TBD")})
			switch {
			case err == nil:
				won <- id
			case !fault.Is(err, fault.ContentChanged):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	close(won)
	id := <-won
	if _, more := <-won; more || !strings.Contains(content(t, d, "Dependencies.csv"), id) {
		t.Errorf("not one has won")
	}
}

// TestTwoClients: clients that add rows at the same time, each with the tag of the
// register that it has read, lose none, and the summary agrees with the last register.
func TestTwoClients(t *testing.T) {
	t.Parallel()
	d := deliverable(t, map[string]string{"_DEPENDENCIES.md": "## Extracted Dependency Register\nNot extracted yet.\n"})
	state := t.TempDir()
	const clients, each = 3, 8
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			f := New(Options{Writer: writer(state)}) // each is a process of its own
			for i := 0; i < each; {
				now, err := f.Read(context.Background(), d)
				if err != nil && !fault.Is(err, fault.RegisterNotFound) {
					t.Error(err)
					return
				}
				rows := []map[string]string{}
				if now.Exists {
					for _, v := range now.View().Rows {
						rows = append(rows, v.Map())
					}
				}
				rows = append(rows, row(fmt.Sprintf("DEP-01-02-%03d", c*each+i+1), "TBD"))
				_, err = f.Put(t.Context(), d, Change{Match: func(tag string) bool { return tag == now.tagOrNone() }}, rows)
				switch {
				case err == nil:
					i++
				case !fault.Is(err, fault.ContentChanged):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	now, err := files(t, nil).Read(context.Background(), d)
	must(t, err)
	if want := fmt.Sprintf("**Total ACTIVE rows:** %d\n", clients*each); now.Len() != clients*each || !strings.Contains(content(t, d, "_DEPENDENCIES.md"), want) {
		t.Errorf("%d rows; the summary is\n%s", now.Len(), content(t, d, "_DEPENDENCIES.md"))
	}
}

// TestRecordComesFirst: what cannot be put on record is not done, and what fails
// is on record as failed.
func TestRecordComesFirst(t *testing.T) {
	t.Parallel()
	d := deliverable(t, map[string]string{"Dependencies.csv": "DependencyID\n"})
	rows := []map[string]string{row("DEP-01-02-001", "TBD")}
	f := files(t, nil)
	f.o.Record = func(context.Context, Record, error) error { return errors.New("full") }
	if _, err := f.Put(t.Context(), d, Change{}, rows); !fault.Is(err, fault.StorageFailure) || content(t, d, "Dependencies.csv") != "DependencyID\n" {
		t.Errorf("without a record: %v", err)
	}
	var record []error
	f = files(t, nil)
	f.o.Gate = func(context.Context, string) (func(), error) { return nil, errors.New("not now") }
	if _, err := f.Put(t.Context(), d, Change{}, rows); !fault.Is(err, fault.StorageFailure) || content(t, d, "Dependencies.csv") != "DependencyID\n" {
		t.Errorf("not announced: %v", err)
	}
	f.o.Gate = nil
	f.o.Record = func(_ context.Context, _ Record, failed error) error { // somebody who knows no lock
		record = append(record, failed)
		return os.WriteFile(filepath.Join(d.Path, "Dependencies.csv"), []byte("DependencyID,x\n"), 0o600)
	}
	if _, err := f.Put(t.Context(), d, Change{}, rows); !fault.Is(err, fault.ContentChanged) || content(t, d, "Dependencies.csv") != "DependencyID,x\n" {
		t.Errorf("changed meanwhile: %v", err)
	}
	if len(record) != 2 || record[0] != nil || record[1] == nil {
		t.Errorf("on record are %v", record)
	}
}

// TestNotSeparated: of a register with semicolons no summary is made, which would say that
// there are no dependencies.
func TestNotSeparated(t *testing.T) {
	t.Parallel()
	d := deliverable(t, nil)
	must(t, os.WriteFile(filepath.Join(d.Path, "Dependencies.csv"), []byte("DependencyID;Status\nDEP-01-02-001;ACTIVE\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(d.Path, "_DEPENDENCIES.md"), []byte("# Dependencies\n"), 0o600))
	if _, _, err := files(t, nil).Summary(context.Background(), d, true); !fault.Is(err, fault.InvalidSchema) {
		t.Error(err)
	}
	if _, refused, err := files(t, nil).WriteSummaries(t.Context(), "ann", []Seen{{d, changeset.File{Path: "x"}}}); err != nil || !fault.Is(refused[0], fault.InvalidSchema) {
		t.Error(err, refused)
	}
}

// TestTooLarge: what is too large is named with its deliverable, the limit and a next step.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	d := deliverable(t, nil)
	path := filepath.Join(d.Path, "Dependencies.csv")
	must(t, os.WriteFile(path, nil, 0o600))
	must(t, os.Truncate(path, 16<<20+1))
	_, err := files(t, nil).Read(context.Background(), d)
	if e := fault.From(err); e == nil || !strings.Contains(e.Message, "Dependencies.csv in "+filepath.Base(d.Path)+" is larger than 16 MiB") || !strings.Contains(e.Hint, "into a file beside it") {
		t.Error(err)
	}
}

func TestLockIsWaitedFor(t *testing.T) {
	t.Parallel()
	d := deliverable(t, nil)
	f := files(t, nil)
	f.o.Wait = 50 * time.Millisecond
	unlock, err := workspace.LockFolder(t.Context(), f.o.LockDir, changeset.Deliverable, d.Path)
	must(t, err)
	if _, err := f.Put(t.Context(), d, Change{}, nil); !fault.Is(err, fault.Overloaded) {
		t.Errorf("a held lock: %v", err)
	}
	unlock()
	if _, err := f.Put(t.Context(), d, Change{}, nil); err != nil {
		t.Error(err)
	}
}

// TestSummaryIsSecond: a summary that cannot be changed does not keep the register
// from it.
func TestSummaryIsSecond(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, says string }{
		"none":     {"", "there is no"},
		"not text": {"a\x00", "not text"},
	} {
		d := deliverable(t, nil)
		if c.text != "" {
			must(t, os.WriteFile(filepath.Join(d.Path, "_DEPENDENCIES.md"), []byte(c.text), 0o600))
		}
		result, err := files(t, nil).Put(t.Context(), d, Change{}, []map[string]string{row("DEP-01-02-001", "TBD")})
		if err != nil || !strings.Contains(result.Summary, c.says) {
			t.Errorf("%s: %v, %q", name, err, result.Summary)
		}
		if _, err := os.Lstat(filepath.Join(d.Path, "_DEPENDENCIES.md")); errors.Is(err, fs.ErrNotExist) != (c.text == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
