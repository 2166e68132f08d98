package statusfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/lifecycle"
)

// now is later than every date in these tests' files.
var now = time.Date(2027, 3, 4, 23, 0, 0, 0, time.UTC)

const openFile = "# Status: DEL-01-02 Name\n\n**Current State:** OPEN\n**Last Updated:** 2026-02-17\n\n## History\n- 2026-02-17 — State set to OPEN (PREPARATION)\n"

// deliverable makes a project with one deliverable whose status is text.
func deliverable(t testing.TB, text string) workspace.Deliverable {
	t.Helper()
	return inProject(t, t.TempDir(), "PKG-01_A/1_Working/DEL-01-02_Name", text)
}

func inProject(t testing.TB, project, folder, text string) workspace.Deliverable {
	t.Helper()
	path := filepath.Join(project, filepath.FromSlash(folder))
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "_STATUS.md"), []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	d, err := workspace.FindDeliverable(project, path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func content(t testing.TB, d workspace.Deliverable) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(d.Path, "_STATUS.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writer(t testing.TB) *Writer {
	return &Writer{Locks: filepath.Join(t.TempDir(), "locks"), Clock: func() time.Time { return now }}
}

func TestChange(t *testing.T) {
	t.Parallel()
	d := deliverable(t, openFile)
	w := writer(t)
	var records []Record
	w.Record = func(_ context.Context, r Record, _ error) error {
		if content(t, d) != openFile {
			t.Error("it was done before it was on record")
		}
		records = append(records, r)
		return nil
	}
	entered := ""
	w.Gate = func(_ context.Context, project string) (func(), error) {
		if content(t, d) != openFile {
			t.Error("the gate was entered after it was done")
		}
		return func() { entered = project + content(t, d) }, nil
	}
	first, err := Read(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, done, err := w.Change(t.Context(), d, Change{
		Request: lifecycle.Request{To: "INITIALIZED", Actor: "4_DOCUMENTS", Note: "pass 1"}, By: Asker{Name: "somebody"}, Match: func(hash string) bool { return hash == first.Hash },
	})
	if err != nil {
		t.Fatal(err)
	}
	text := content(t, d)
	if done.From != lifecycle.Open || done.To != lifecycle.Initialized || string(done.Data) != text || s.Hash != changeset.Hash([]byte(text)) || s.Status.CurrentState != "INITIALIZED" {
		t.Errorf("%+v, %+v", s, done)
	}
	want := Record{Project: d.Project, Path: "PKG-01_A/1_Working/DEL-01-02_Name/_STATUS.md", From: lifecycle.Open, To: lifecycle.Initialized, Actor: "4_DOCUMENTS",
		By: Asker{Name: "somebody"}, Note: "pass 1", Before: first.Hash, After: s.Hash}
	if len(records) != 1 || records[0] != want {
		t.Errorf("on record: %+v", records)
	}
	if entered != d.Project+text {
		t.Errorf("left the gate with %q", entered)
	}
	if info, err := os.Stat(s.Path()); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(d.Path)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	w.Gate = nil
	// Who decided by the old content has to look again.
	_, _, err = w.Change(t.Context(), d, Change{Request: lifecycle.Request{To: "SEMANTIC_READY", Actor: "CHIRALITY_FRAMEWORK"}, Match: func(hash string) bool { return hash == first.Hash }})
	if !fault.Is(err, fault.ContentChanged) || content(t, d) != text {
		t.Errorf("an old hash: %v", err)
	}
}

// TestChangeRefused checks that what is refused changes nothing and is not on
// record as done.
func TestChangeRefused(t *testing.T) {
	t.Parallel()
	ask := Change{Request: lifecycle.Request{To: "INITIALIZED", Actor: "4_DOCUMENTS"}}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, w *Writer, d workspace.Deliverable)
		folder  string
		change  Change
		want    fault.Type
		// recorded is how often it was on record.
		recorded int
	}{
		"archived":         {folder: "PKG-01_A/1_Working/_Archive/DEL-01-02_Name", want: fault.TransitionNotAllowed},
		"in review":        {folder: "PKG-01_A/2_Checking/DEL-01-02_Name", want: fault.TransitionNotAllowed},
		"derived":          {folder: "_Estimates/PKG-01_A/1_Working/DEL-01-02_Name", want: fault.TransitionNotAllowed},
		"in a snapshot":    {folder: "_Estimates/EST_2026-01-01_0000/DEL-01-02_Name", want: fault.TransitionNotAllowed},
		"issued":           {folder: "PKG-01_A/3_Issued/DEL-01-02_Name", want: fault.TransitionNotAllowed},
		"not its actor":    {change: Change{Request: lifecycle.Request{To: "INITIALIZED", Actor: "HUMAN"}}, want: fault.UnauthorizedActor},
		"forged":           {change: Change{Request: lifecycle.Request{To: "INITIALIZED", Actor: "4_DOCUMENTS\n## x"}}, want: fault.InvalidRequest},
		"no record":        {prepare: func(_ *testing.T, w *Writer, _ workspace.Deliverable) { w.Record = refuseRecord }, want: fault.StorageFailure},
		"no gate":          {prepare: closeGate(errors.New("no room")), want: fault.StorageFailure, recorded: 2},
		"commands busy":    {prepare: closeGate(fault.New(fault.Overloaded, "busy")), want: fault.Overloaded, recorded: 2},
		"no status":        {prepare: removeStatus, want: fault.StatusFileNotFound},
		"a folder instead": {prepare: folderInstead, want: fault.WorkspaceFileReadFailed},
		"a link instead":   {prepare: linkInstead, want: fault.DeliverableOutside},
		"too large":        {prepare: func(_ *testing.T, w *Writer, _ workspace.Deliverable) { w.Bytes = 10 }, want: fault.WorkspaceFileReadFailed},
		"no locks":         {prepare: noLocks, want: fault.WorkspaceFailure},
		"changed meanwhile": {prepare: func(t *testing.T, w *Writer, d workspace.Deliverable) {
			record := w.Record
			w.Record = func(ctx context.Context, r Record, failed error) error {
				if failed == nil {
					edit := openFile + "- 2026-02-18 — a person's note\n"
					if err := os.WriteFile(filepath.Join(d.Path, "_STATUS.md"), []byte(edit), 0o640); err != nil {
						t.Error(err)
					}
				}
				return record(ctx, r, failed)
			}
		}, want: fault.ContentChanged, recorded: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := c.folder
			if folder == "" {
				folder = "PKG-01_A/1_Working/DEL-01-02_Name"
			}
			d := inProject(t, t.TempDir(), folder, openFile)
			w := writer(t)
			recorded := 0
			w.Record = func(context.Context, Record, error) error { recorded++; return nil }
			if c.prepare != nil {
				c.prepare(t, w, d)
			}
			change := c.change
			if change.To == "" {
				change = ask
			}
			_, _, err := w.Change(t.Context(), d, change)
			if !fault.Is(err, c.want) || recorded != c.recorded {
				t.Errorf("%v, want %s; on record %d times, want %d", err, c.want, recorded, c.recorded)
			}
			if data, err := os.ReadFile(filepath.Join(d.Path, "_STATUS.md")); err == nil && !strings.HasPrefix(string(data), openFile) {
				t.Errorf("the file is\n%s", data)
			}
			leftovers, err := filepath.Glob(filepath.Join(d.Path, ".tmp-*"))
			if err != nil || len(leftovers) > 0 {
				t.Errorf("left behind: %v, %v", leftovers, err)
			}
		})
	}
}

func refuseRecord(context.Context, Record, error) error { return errors.New("the disk is full") }

func closeGate(err error) func(*testing.T, *Writer, workspace.Deliverable) {
	return func(_ *testing.T, w *Writer, _ workspace.Deliverable) {
		w.Gate = func(context.Context, string) (func(), error) { return nil, err }
	}
}

func removeStatus(t *testing.T, _ *Writer, d workspace.Deliverable) {
	if err := os.Remove(filepath.Join(d.Path, "_STATUS.md")); err != nil {
		t.Fatal(err)
	}
}

func folderInstead(t *testing.T, w *Writer, d workspace.Deliverable) {
	removeStatus(t, w, d)
	if err := os.Mkdir(filepath.Join(d.Path, "_STATUS.md"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func linkInstead(t *testing.T, w *Writer, d workspace.Deliverable) {
	removeStatus(t, w, d)
	other := filepath.Join(d.Project, "other.md")
	if err := os.WriteFile(other, []byte(openFile), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(d.Path, "_STATUS.md")); err != nil {
		t.Fatal(err)
	}
}

func noLocks(t *testing.T, w *Writer, _ workspace.Deliverable) {
	if err := os.WriteFile(w.Locks, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestApproval checks that an approval names a commit where there is a repository.
func TestApproval(t *testing.T) {
	t.Parallel()
	const commit = "6dabcbdb4cc4348748d20ca5eccaf56d63a3c4fa"
	text := strings.ReplaceAll(openFile, "OPEN", "CHECKING")
	for approval, want := range map[string]fault.Type{
		commit: "", commit[:7]: "", strings.ToUpper(commit[:9]): "",
		"0000000": fault.InvalidApprovalSHA,
		"883446720098ab670780aa50477ae8b4e511db9c": fault.InvalidApprovalSHA, // a tag
		"":        fault.ApprovalSHARequired,
		"HEAD~1":  fault.InvalidApprovalSHA,
		"--help1": fault.InvalidApprovalSHA,
	} {
		top := t.TempDir()
		if err := os.CopyFS(filepath.Join(top, ".git"), os.DirFS("../repository/testdata/sha1")); err != nil {
			t.Fatal(err)
		}
		d := inProject(t, filepath.Join(top, "project"), "DEL-01-02_Name", text)
		w := writer(t)
		full := ""
		w.Record = func(_ context.Context, r Record, _ error) error { full = r.Commit; return nil }
		_, _, err := w.Change(t.Context(), d, Change{Request: lifecycle.Request{To: "ISSUED", Actor: "HUMAN", ApprovalSHA: approval}})
		if want == "" && (err != nil || full != commit || !strings.Contains(content(t, d), "\n**Approval SHA:** "+approval+"\n")) {
			t.Errorf("%s: %v, on record %q\n%s", approval, err, full, content(t, d))
		}
		if want != "" && (!fault.Is(err, want) || content(t, d) != text) {
			t.Errorf("%s: %v, want %s", approval, err, want)
		}
	}

	// Without a repository the form is all that can be checked; a repository that
	// cannot be read vouches for nothing.
	d := inProject(t, t.TempDir(), "DEL-01-02_Name", text)
	ask := Change{Request: lifecycle.Request{To: "ISSUED", Actor: "HUMAN", ApprovalSHA: "0000000"}}
	if _, _, err := writer(t).Change(t.Context(), d, ask); err != nil {
		t.Error(err)
	}
	d = inProject(t, t.TempDir(), "DEL-01-02_Name", text)
	if err := os.WriteFile(filepath.Join(d.Project, ".git"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := writer(t).Change(t.Context(), d, ask); !fault.Is(err, fault.WorkspaceFailure) || content(t, d) != text {
		t.Error(err)
	}
}

// TestLock checks that a change waits for its turn as long as its caller does.
func TestLock(t *testing.T) {
	t.Parallel()
	d := deliverable(t, openFile)
	w := writer(t)
	unlock, err := workspace.LockFolder(t.Context(), w.Locks, "deliverable", d.Path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ask := Change{Request: lifecycle.Request{To: "INITIALIZED", Actor: "4_DOCUMENTS"}}
	if _, _, err := w.Change(ctx, d, ask); !errors.Is(err, context.Canceled) || content(t, d) != openFile {
		t.Errorf("a caller who left: %v", err)
	}
	done := make(chan error)
	go func() {
		_, _, err := w.Change(t.Context(), d, ask)
		done <- err
	}()
	unlock()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestRace has many ask for the same transitions at once: each is made once.
func TestRace(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	w := writer(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	made := map[string]int{}
	for n := range 4 {
		d := inProject(t, project, fmt.Sprintf("DEL-01-0%d_X", n), openFile)
		for range 4 {
			all.Go(func() {
				for i, to := range route[1:] {
					_, _, err := w.Change(t.Context(), d, Change{Request: step(i)})
					mu.Lock()
					if err == nil {
						made[d.Rel+string(to)]++
					} else if !fault.Is(err, fault.TransitionNotAllowed) && !fault.Is(err, fault.BackwardTransition) {
						t.Error(err)
					}
					mu.Unlock()
				}
			})
		}
	}
	all.Wait()
	for key, n := range made {
		if n != 1 {
			t.Errorf("%s was made %d times", key, n)
		}
	}
	if len(made) != 16 {
		t.Errorf("%d transitions were made, want 16", len(made))
	}
}
