package undo

import (
	"context"
	"fmt"
	"maps"
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
		Clock: clock, NewID: func() string { made++; return fmt.Sprintf("change-%02d", made) }, Last: keep})
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
	for _, id := range []string{"", "change-99"} { // the last one, and by its name
		must(t, s.save(project, record{Version: recordVersion, Change: Change{ID: "change-99", Paths: []string{"a.csv"}}, Files: []was{{"a.csv", []byte("5"), changeset.Hash([]byte("6"))}}}))
		if _, err := s.Undo(t.Context(), project, id, "me"); !fault.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "not in effect") {
			t.Errorf("a change %q that was never made: %v", id, err)
		}
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

// TestMadeAndRemoved: a file that was made goes, one that was removed comes back, and an empty
// one is a file. What was made is left where somebody changed it.
func TestMadeAndRemoved(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	put := func(name, text string) { must(t, os.WriteFile(filepath.Join(project, name), []byte(text), 0o600)) }
	put("empty", "")
	put("gone", "was here")
	s := newStore(t, 0)
	files := []changeset.File{{Path: "new", After: []byte("1")}, {Path: "empty", Before: []byte{}, After: []byte("1")}, {Path: "gone", Before: []byte("was here")}}
	_, err := s.Make(t.Context(), project, "test", "me", files)
	must(t, err)
	put("new", "2")
	if _, err := s.Undo(t.Context(), project, "", "me"); !fault.Is(err, fault.ContentChanged) {
		t.Errorf("what was made was changed since: %v", err)
	}
	put("new", "1")
	_, err = s.Undo(t.Context(), project, "", "me")
	must(t, err)
	got := map[string]string{}
	for _, name := range []string{"new", "empty", "gone"} {
		if data, err := os.ReadFile(filepath.Join(project, name)); err == nil {
			got[name] = string(data)
		}
	}
	if want := map[string]string{"empty": "", "gone": "was here"}; !maps.Equal(got, want) {
		t.Errorf("the project has %q, want %q", got, want)
	}
}

// TestKept: changes that others make through package changeset are taken back as those of Make.
func TestKept(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	s := newStore(t, 0)
	w := s.o.Writer
	w.Keep = s.Keep
	p, err := w.Open(t.Context(), project)
	must(t, err)
	id, err := p.Apply(t.Context(), "theirs", "ann", []changeset.File{{Path: "a.csv", After: []byte("1")}})
	must(t, err)
	if _, err := p.Apply(t.Context(), "late", "ann", []changeset.File{{Path: "a.csv", Before: []byte("0"), After: []byte("2")}}); !fault.Is(err, fault.ContentChanged) {
		t.Errorf("another content: %v", err)
	}
	p.Close()
	all, err := s.List(t.Context(), project)
	must(t, err)
	if len(all) != 1 || all[0].ID != id || all[0].What != "theirs" || all[0].By != "ann" {
		t.Errorf("on record are %+v", all)
	}
	_, err = s.Undo(t.Context(), project, id, "me")
	must(t, err)
	if _, err := os.Stat(filepath.Join(project, "a.csv")); err == nil {
		t.Error("the file is still there")
	}
}

// TestTwoAtOnce: of two who take the last change back the second learns that somebody did.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	must(t, os.WriteFile(filepath.Join(project, "a.csv"), []byte("0"), 0o600))
	s := newStore(t, 0)
	for i := range 2 {
		_, err := s.Make(t.Context(), project, "test", "me", []changeset.File{{Path: "a.csv", Before: fmt.Append(nil, i), After: fmt.Append(nil, i+1)}})
		must(t, err)
	}
	first := s.o
	s.o.Gate = func(ctx context.Context, project string) (func(), error) { // the other one is faster
		_, err := New(first).Undo(ctx, project, "", "ann")
		return func() {}, err
	}
	second := New(s.o)
	second.o.LockDir = t.TempDir() // it holds the locks of files before it waits at the gate
	if _, err := second.Undo(t.Context(), project, "", "bob"); !fault.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "taken back already") {
		t.Errorf("the second: %v", err)
	}
	if data, _ := os.ReadFile(filepath.Join(project, "a.csv")); string(data) != "1" {
		t.Errorf("the file holds %q", data)
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
