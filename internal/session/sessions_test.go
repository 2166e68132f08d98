package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"belay/internal/fault"
)

var noTimes = cmpopts.IgnoreFields(Record{}, "CreatedAt", "UpdatedAt")

// Covers: turn-api REQ-02
func TestCreateWritesTheRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) {
		o.Clock = fakeClock()
		o.NewID = func() string { return "00000000-0000-4000-8000-000000000001" }
	})
	rec, err := w.Create(context.Background(), w.project, "A<B>&", "direct")
	must(t, err)
	file := filepath.Join(w.folder(rec.SessionID), "session.json")
	if got, err := w.Get(t.Context(), rec.SessionID); err != nil || !got.sameBut(rec) {
		t.Errorf("the record is %+v, %v", got, err)
	}
	if _, err := os.Lstat(file); !missing(err) {
		t.Errorf("session.json before the first turn: %v", err)
	}
	must(t, acquire(t, w.Store, rec.SessionID).Release())
	if _, err := os.Lstat(file); !missing(err) {
		t.Errorf("session.json after a lease without a turn: %v", err)
	}
	w.record(rec.SessionID)
	got, err := os.ReadFile(file)
	must(t, err)
	want := `{
  "v": 1,
  "sessionId": "sess_00000000-0000-4000-8000-000000000001",
  "projectRoot": "` + w.project + `",
  "persona": "A<B>&",
  "mode": "direct",
  "createdAt": "2026-03-01T12:00:01.000Z",
  "updatedAt": "2026-03-01T12:00:01.000Z",
  "bootId": "` + w.Store.o.BootID + `",
  "checksum": "`
	if diff := cmp.Diff(want, string(got[:min(len(got), len(want))])); diff != "" {
		t.Error(diff)
	}
	if rest := string(got[min(len(got), len(want)):]); len(rest) != len("01234567\"\n}\n") {
		t.Errorf("the checksum is %q", rest)
	}
	ignore, err := os.ReadFile(filepath.Join(w.project, ".belay", ".gitignore"))
	must(t, err)
	if string(ignore) != "*\n" {
		t.Errorf(".gitignore holds %q", ignore)
	}
	for _, dir := range []string{filepath.Join(w.project, ".belay"), w.folder(rec.SessionID)} {
		info, err := os.Stat(dir)
		must(t, err)
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v", dir, info.Mode())
		}
	}
	again, err := w.Get(context.Background(), rec.SessionID)
	must(t, err)
	if diff := cmp.Diff(rec, again); diff != "" {
		t.Error(diff)
	}
}

func TestIDsAreRandomUUIDs(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(`^sess_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	w := newWorld(t)
	a, b := w.session().SessionID, w.session().SessionID
	if !pattern.MatchString(a) || a == b {
		t.Errorf("ids %s and %s", a, b)
	}
}

func TestCreateRefusesBadRoots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := filepath.Join(w.project, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for root, want := range map[string]fault.Type{
		"":                             fault.InvalidRequest,
		"relative":                     fault.InvalidRequest,
		file:                           fault.WorkingRootInaccessible,
		filepath.Join(w.project, "no"): fault.WorkingRootInaccessible,
	} {
		if _, err := w.Create(context.Background(), root, "P", "direct"); !fault.Is(err, want) {
			t.Errorf("root %q gave %v, want %s", root, err, want)
		}
	}
}

// Every way to an unknown session is the same 404, and an ill-formed id never
// reaches the disk: the planted record would be found.
//
// Covers: turn-api REQ-10
func TestUnknownAndIllFormedIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session()
	must(t, os.WriteFile(filepath.Join(w.o.StateDir, "planted"), []byte(w.project+"\n"), 0o600))
	ctx := context.Background()
	calls := map[string]func(id string) error{
		"get":        func(id string) error { _, err := w.Get(ctx, id); return err },
		"delete":     func(id string) error { return w.Delete(ctx, id) },
		"acquire":    func(id string) error { _, err := w.Acquire(ctx, id); return err },
		"transcript": func(id string) error { _, err := w.Transcript(ctx, id); return err },
		"reader":     func(id string) error { _, err := w.Reader(ctx, id, 0); return err },
		"bounds":     func(id string) error { _, _, err := w.Bounds(ctx, id); return err },
		"interrupt":  func(id string) error { return w.Signals.RequestInterrupt(id, "") },
		"verify":     func(id string) error { _, err := w.Upkeep.Verify(ctx, id); return err },
	}
	for name, call := range calls {
		for _, id := range []string{"sess_unknown", "", "../planted", "a/b", `a\b`, "a.b", strings.Repeat("x", 81), "ä", "a\x00"} {
			err := call(id)
			if !fault.Is(err, fault.SessionNotFound) {
				t.Errorf("%s of %q gave %v", name, id, err)
				continue
			}
			if got := fault.From(err).Details["sessionId"]; got != clip(id, 80) {
				t.Errorf("%s of %q: details.sessionId is %q", name, id, got)
			}
		}
		if _, _, ok := w.Signals.Running("../planted"); ok {
			t.Error("an ill-formed id runs")
		}
	}
}

func TestListIsOrderedAndMarksTheDamaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Clock = fakeClock() })
	ctx := context.Background()
	if recs, err := w.List(ctx, w.project); err != nil || len(recs) != 0 {
		t.Fatalf("a project without sessions lists %v, %v", recs, err)
	}
	var want []Record
	for range 5 {
		want = append(want, w.recorded())
	}
	plant := func(id, content string) {
		must(t, os.MkdirAll(w.folder(id), 0o700))
		must(t, os.WriteFile(filepath.Join(w.folder(id), "session.json"), []byte(content), 0o600))
	}
	plant("broken", "{")
	plant("other", `{"sessionId":"someone-else"}`)
	plant("huge", strings.Repeat(" ", maxRecord)+"{}")
	must(t, os.MkdirAll(w.folder("empty"), 0o700))
	must(t, os.MkdirAll(w.folder(".deleted-x"), 0o700))
	// A field that somebody added does no harm.
	newer := strings.Replace(string(read(t, filepath.Join(w.folder(want[4].SessionID), "session.json"))), "{", `{"fromTheFuture":[1],`, 1)
	plant(want[4].SessionID, newer)

	got, err := w.List(ctx, w.project)
	must(t, err)
	var marked []string
	whole := slices.DeleteFunc(slices.Clone(got), func(r Record) bool {
		if r.Damaged != "" {
			marked = append(marked, r.SessionID)
		}
		return r.Damaged != ""
	})
	if diff := cmp.Diff(want, whole); diff != "" {
		t.Error(diff)
	}
	slices.Sort(marked)
	if diff := cmp.Diff([]string{"broken", "empty", "huge", "other"}, marked); diff != "" {
		t.Error(diff)
	}
	if _, err := w.Get(ctx, "broken"); err == nil {
		t.Error("a broken record that is not in the index was found")
	}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	must(t, err)
	return b
}

func TestDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 3)
	l := acquire(t, w.Store, id)
	if err := w.Delete(ctx, id); !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("deleting a busy session gave %v", err)
	}
	must(t, l.Release())
	r := open(t, w.Store, id, 0)
	far := open(t, w.store(), id, 5) // in another process, waiting at the end
	must(t, w.Delete(ctx, id))
	for _, r := range []*Reader{r, far} {
		rctx, cancel := context.WithTimeout(ctx, patience)
		if _, err := r.Next(rctx); !fault.Is(err, fault.SessionNotFound) {
			t.Errorf("a reader of a deleted session gave %v", err)
		}
		cancel()
	}
	if _, err := w.Get(ctx, id); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("a deleted session gave %v", err)
	}
	for _, dir := range []string{filepath.Dir(w.folder(id)), filepath.Join(w.o.StateDir, "sessions")} {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Errorf("%s still has %v, %v", dir, entries, err)
		}
	}
}

func TestSessionRoot(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "made", "on", "demand")
	w := newWorld(t, func(o *Options) { o.SessionRoot = root })
	ctx := context.Background()
	mine := w.session()
	other, err := w.Create(ctx, t.TempDir(), "P", "direct")
	must(t, err)
	turn(t, w.Store, mine.SessionID, "t1", 1)
	if _, err := os.Stat(filepath.Join(root, mine.SessionID, "transcript.jsonl")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(w.project, ".belay")); !missing(err) {
		t.Errorf("the project has a .belay: %v", err)
	}
	got, err := w.List(ctx, w.project)
	must(t, err)
	if diff := cmp.Diff([]Record{mine}, got); diff != "" {
		t.Error(diff)
	}
	// With the index lost, ids still lead to the session root.
	must(t, os.RemoveAll(w.o.StateDir))
	again := w.store()
	if rec, err := again.Get(ctx, other.SessionID); err != nil || rec.ProjectRoot != other.ProjectRoot {
		t.Errorf("got %v, %v", rec, err)
	}
	must(t, again.Delete(ctx, mine.SessionID))
}

func TestLostIndexComesBackWithList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	rec := w.session()
	must(t, os.Remove(filepath.Join(w.o.StateDir, "sessions", rec.SessionID)))
	must(t, os.RemoveAll(filepath.Join(w.o.StateDir, "projects")))
	s := w.store()
	if _, err := s.Get(ctx, rec.SessionID); !fault.Is(err, fault.SessionNotFound) {
		t.Fatalf("a session that is in no index gave %v", err)
	}
	_, err := s.List(ctx, w.project)
	must(t, err)
	got, err := s.Get(ctx, rec.SessionID)
	must(t, err)
	if diff := cmp.Diff(rec, got); diff != "" {
		t.Error(diff)
	}
}

func TestMovedProjectHeals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	rec := w.session()
	turn(t, w.Store, rec.SessionID, "t1", 2)
	reader := open(t, w.Store, rec.SessionID, 0)
	moved := filepath.Join(t.TempDir(), "moved")
	must(t, os.Rename(w.project, moved))
	if _, err := w.Get(ctx, rec.SessionID); !fault.Is(err, fault.WorkingRootInaccessible) {
		t.Errorf("a session whose project is gone gave %v", err)
	}
	want := rec
	want.ProjectRoot = moved
	for _, s := range []*Store{w.Store, w.store()} {
		recs, err := s.List(ctx, moved)
		must(t, err)
		got, err := s.Get(ctx, rec.SessionID)
		must(t, err)
		if diff := cmp.Diff([]Record{want, want}, append(recs, got), noTimes); diff != "" {
			t.Error(diff)
		}
	}
	upTo(t, reader, 4) // it goes on in the new place
	turn(t, w.Store, rec.SessionID, "t2", 2)
	stored, err := readRecordAt(pathAt(moved, dirSessions+"/"+rec.SessionID), rec.SessionID)
	must(t, err)
	if stored.ProjectRoot != moved {
		t.Errorf("the record still names %s", stored.ProjectRoot)
	}
}

func TestCopiedProjectIsReadOnlyUntilImported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	rec := w.session()
	blobs, err := w.Blobs(w.project)
	must(t, err)
	sha, _, err := blobs.Put(ctx, strings.NewReader("attached"), 100)
	must(t, err)
	l := acquire(t, w.Store, rec.SessionID)
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t0", Message: "see " + sha}))
	must(t, l.Release())
	turn(t, w.Store, rec.SessionID, "t1", 2)
	copied := t.TempDir()
	must(t, os.CopyFS(copied, os.DirFS(w.project)))

	recs, err := w.List(ctx, copied)
	must(t, err)
	if len(recs) != 1 || !recs[0].ReadOnly || recs[0].ProjectRoot != copied {
		t.Fatalf("the copy lists as %+v", recs)
	}
	turn(t, w.Store, rec.SessionID, "t2", 2) // the original goes on
	if got, err := w.Get(ctx, rec.SessionID); err != nil || got.ProjectRoot != w.project || got.ReadOnly {
		t.Errorf("the original became %+v, %v", got, err)
	}

	// With the index lost and rebuilt from the copy, the copy is found, can be
	// read, and is still not written to.
	must(t, os.Remove(filepath.Join(w.o.StateDir, "sessions", rec.SessionID)))
	s := w.store()
	_, err = s.List(ctx, copied)
	must(t, err)
	if _, err := s.Acquire(ctx, rec.SessionID); !fault.Is(err, fault.SessionReadOnly) {
		t.Errorf("the lease of a copy gave %v", err)
	}
	upTo(t, open(t, s, rec.SessionID, 0), 4)

	adopted, err := s.Archive.ImportDir(ctx, filepath.Join(copied, ".belay", "sessions", rec.SessionID), copied)
	must(t, err)
	if adopted.SessionID == rec.SessionID || adopted.ProjectRoot != copied || adopted.ReadOnly {
		t.Errorf("the adopted session is %+v", adopted)
	}
	turn(t, s, adopted.SessionID, "t3", 2)
	entries, err := s.Transcript(ctx, adopted.SessionID)
	must(t, err)
	if len(entries) != 5 {
		t.Errorf("the adopted transcript has %d entries, want 5", len(entries))
	}
	recs, err = s.List(ctx, copied)
	must(t, err)
	if len(recs) != 1 || recs[0].SessionID != adopted.SessionID {
		t.Errorf("the copy now lists %+v", recs)
	}
	// Adopting what needs no adoption changes nothing.
	same, err := s.Archive.ImportDir(ctx, filepath.Join(copied, ".belay", "sessions", adopted.SessionID), copied)
	must(t, err)
	if same.SessionID != adopted.SessionID {
		t.Errorf("a second import made %s", same.SessionID)
	}
}

// A link that an agent planted in place of belay's files leads nowhere.
func TestPlantedLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	outside := filepath.Join(t.TempDir(), "outside")
	must(t, os.WriteFile(outside, []byte("precious\n"), 0o600))
	for _, name := range []string{"transcript.jsonl", "log/0001.jsonl", "session.json"} {
		id := w.session().SessionID
		target := filepath.Join(w.folder(id), name)
		must(t, os.MkdirAll(filepath.Dir(target), 0o700))
		_ = os.Remove(target)
		must(t, os.Symlink(outside, target))
		l, err := w.Acquire(context.Background(), id)
		if err == nil {
			_ = l.Append(Entry{Kind: EntryTurn, Turn: "t"})
			must(t, l.Release())
			t.Errorf("%s: a lease on a planted link", name)
		}
	}
	if got := read(t, outside); string(got) != "precious\n" {
		t.Errorf("the file outside became %q", got)
	}
}

// A project that is no folder any more, and a record that nobody can use, are
// told as what they are, whether the session was in memory or not. No room on the
// disk would help.
func TestSpoiltSessions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		spoil  func(w *world, record string) error
		typ    fault.Type
		status int
		key    string
		want   func(w *world, id string) string
		text   string
	}{
		{"project is a file", func(w *world, _ string) error {
			return errors.Join(os.RemoveAll(w.project), os.WriteFile(w.project, nil, 0o600))
		}, fault.WorkingRootInaccessible, 404, "projectRoot", func(w *world, _ string) string { return w.project }, "is not a folder"},
		{"folder is a file", func(_ *world, record string) error {
			dir := filepath.Dir(record)
			return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600))
		}, fault.SessionNotFound, 404, "sessionId", func(_ *world, id string) string { return id }, "no session has the id"},
		{"not JSON", func(_ *world, record string) error {
			return errors.Join(os.WriteFile(record, []byte("{"), 0o600), os.Truncate(filepath.Join(filepath.Dir(record), fileTranscript), 0))
		}, fault.StorageFailure, 500, "file", recordOf, "session.json is malformed"},
		{"another session", func(_ *world, record string) error {
			return errors.Join(os.WriteFile(record, []byte(`{"sessionId":"sess_other"}`), 0o600), os.Remove(filepath.Join(filepath.Dir(record), fileTranscript)))
		}, fault.StorageFailure, 500, "file", recordOf, "session.json is malformed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.session().SessionID
			turn(t, w.Store, id, "t1", 2)
			must(t, tt.spoil(w, filepath.Join(w.project, ".belay", "sessions", id, "session.json")))
			for _, s := range []*Store{w.Store, w.store()} {
				_, get := s.Get(t.Context(), id)
				_, acquire := s.Acquire(t.Context(), id)
				for call, err := range map[string]error{"get": get, "acquire": acquire} {
					f := fault.From(err)
					if f == nil || f.Type != tt.typ || f.Status != tt.status || f.Details[tt.key] != tt.want(w, id) || !strings.Contains(f.Message, tt.text) {
						t.Errorf("%s: %+v", call, f)
					}
				}
			}
			if tt.typ == fault.StorageFailure {
				if err := w.Delete(t.Context(), id); err != nil {
					t.Errorf("delete: %v", err)
				}
				if _, err := os.Stat(w.folder(id)); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("after the delete: %v", err)
				}
			}
			if found, err := w.Find(t.Context(), id); err != nil || len(found) != 0 {
				t.Errorf("found %v, %v", found, err)
			}
		})
	}
}

// recordOf is where a session's record is in its project.
func recordOf(_ *world, id string) string { return ".belay/sessions/" + id + "/session.json" }
