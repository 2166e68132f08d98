package undo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/workspace/changeset"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newStore(t *testing.T, keep int) *Store {
	made, state := 0, t.TempDir()
	clock := func() time.Time { return time.Date(2026, 3, 4, 12, 0, made, 0, time.UTC) }
	return New(Options{Dir: filepath.Join(state, "undo"), Writer: changeset.Writer{LockDir: filepath.Join(state, "locks"), Journal: journal.New(filepath.Join(state, "journal"), clock)},
		Clock: clock, NewID: func() string { made++; return fmt.Sprintf("change-%02d", made) }, Keep: keep})
}

// TestLastStanding: the last change that stands is taken back first, then the one
// before it. One that was on record and never made, as after a crash, is named once, and
// nothing is taken back in its place. An undo that died is finished.
func TestLastStanding(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	file := filepath.Join(project, "a.csv")
	must(t, os.WriteFile(file, []byte("0"), 0o640))
	s := newStore(t, 3)
	for i := range 5 {
		_, err := s.Make(t.Context(), project, "test", "me", []changeset.File{{Path: "a.csv", Before: fmt.Append(nil, i), After: fmt.Append(nil, i+1)}})
		must(t, err)
	}
	must(t, s.save(project, record{Version: recordVersion, Change: Change{ID: "change-99", Paths: []string{"a.csv"}}, Files: []was{{"a.csv", []byte("5"), changeset.Hash([]byte("6"))}}}))
	if _, err := s.Undo(t.Context(), project, "", "me"); !fault.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "not in effect") {
		t.Errorf("a change that was never made: %v", err)
	}
	died := record{Version: recordVersion, Change: Change{ID: "change-98", Paths: []string{"a.csv"}}, Files: []was{{"a.csv", []byte("5"), changeset.Hash([]byte("6"))}}, Undoing: true}
	must(t, s.save(project, died))
	if done, err := s.Undo(t.Context(), project, "", "me"); err != nil || done.ID != "change-98" {
		t.Errorf("an undo that died: %+v, %v", done, err)
	}
	for want := 4; want >= 2; want-- {
		done, err := s.Undo(t.Context(), project, "", "me")
		must(t, err)
		data, err := os.ReadFile(file)
		must(t, err)
		if string(data) != fmt.Sprint(want) || done.Undone == nil || done.ID == "change-99" {
			t.Errorf("undone %+v: %s, want %d", done, data, want)
		}
	}
	// Older ones are not kept; one that is taken back is not again.
	if _, err := s.Undo(t.Context(), project, "", "me"); !fault.Is(err, fault.NotFound) {
		t.Errorf("nothing stands: %v", err)
	}
	if _, err := s.Undo(t.Context(), project, "change-05", "me"); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("taken back twice: %v", err)
	}
	for _, id := range []string{"change-01", "../change-05", "nothing"} {
		if _, err := s.Undo(t.Context(), project, id, "me"); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, %v", info.Mode(), err)
	}
}

// TestOnlyChanges: a file that is made or removed could not be taken back, so it is neither.
// An empty file that is there is one to change.
func TestOnlyChanges(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	must(t, os.WriteFile(filepath.Join(project, "a.csv"), []byte{}, 0o600))
	s := newStore(t, 0)
	for _, f := range []changeset.File{{Path: "new.csv", After: []byte("1")}, {Path: "a.csv", Before: []byte{}}} {
		if _, err := s.Make(t.Context(), project, "test", "me", []changeset.File{f}); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
	_, err := s.Make(t.Context(), project, "test", "me", []changeset.File{{Path: "a.csv", Before: []byte{}, After: []byte("1")}})
	must(t, err)
	_, err = s.Undo(t.Context(), project, "", "me")
	must(t, err)
	left, err := filepath.Glob(filepath.Join(project, "*.csv"))
	must(t, err)
	if data, err := os.ReadFile(filepath.Join(project, "a.csv")); err != nil || len(data) > 0 || len(left) != 1 {
		t.Errorf("%q %v, %v", data, err, left)
	}
}

// TestNotOnRecord: what cannot be put on record is not done.
func TestNotOnRecord(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	file := filepath.Join(project, "a.csv")
	must(t, os.WriteFile(file, []byte("0"), 0o600))
	s := newStore(t, 0)
	must(t, os.WriteFile(s.o.Dir, nil, 0o600))
	_, err := s.Make(t.Context(), project, "test", "me", []changeset.File{{Path: "a.csv", Before: []byte("0"), After: []byte("1")}})
	if data, _ := os.ReadFile(file); !fault.Is(err, fault.StorageFailure) || string(data) != "0" {
		t.Errorf("%v: %s", err, data)
	}
}

// TestFailedOnRecord: a change that is on record and then fails is on record as failed.
func TestFailedOnRecord(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	must(t, os.WriteFile(filepath.Join(project, "a.csv"), []byte("theirs"), 0o600))
	var said []string
	s := newStore(t, 0)
	s.o.Record = func(_ context.Context, c Change, failed error) error {
		said = append(said, fmt.Sprint(c.What, " failed ", failed != nil))
		return nil
	}
	_, err := s.Make(t.Context(), project, "test", "me", []changeset.File{{Path: "a.csv", Before: []byte("0"), After: []byte("1")}})
	if want := []string{"test failed false", "test failed true"}; err == nil || !slices.Equal(said, want) {
		t.Errorf("%v: on record are %q, want %q", err, said, want)
	}
}

// TestDamagedRecord: the others are listed and can be taken back by their names; nothing is
// taken back in the place of the one that cannot be read.
func TestDamagedRecord(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	file := filepath.Join(project, "a.csv")
	must(t, os.WriteFile(file, []byte("0"), 0o600))
	s := newStore(t, 0)
	_, err := s.Make(t.Context(), project, "test", "me", []changeset.File{{Path: "a.csv", Before: []byte("0"), After: []byte("1")}})
	must(t, err)
	must(t, s.write(project, "change-99.json", []byte("{torn")))
	all, err := s.List(t.Context(), project)
	must(t, err)
	if len(all) != 2 || !strings.Contains(all[0].Problem, "cannot be read") || all[1].ID != "change-01" || all[1].Problem != "" {
		t.Errorf("listed are %+v", all)
	}
	if _, err := s.Undo(t.Context(), project, "", "me"); !fault.Is(err, fault.StorageFailure) {
		t.Errorf("the last one: %v", err)
	}
	_, err = s.Undo(t.Context(), project, "change-01", "me")
	must(t, err)
	if data, _ := os.ReadFile(file); string(data) != "0" {
		t.Errorf("the file holds %q", data)
	}
}
