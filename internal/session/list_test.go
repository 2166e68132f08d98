package session

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
)

// many makes sessions, oldest first, and uses some of them later.
func many(t testing.TB, w *world, n int) []Record {
	t.Helper()
	for range n {
		w.recorded()
	}
	recs, err := w.List(t.Context(), w.project)
	must(t, err)
	for i := 1; i < n; i += 3 {
		use(t, w.Store, recs[i].SessionID)
	}
	recs, err = w.List(t.Context(), w.project)
	must(t, err)
	return recs
}

// use makes the session the one that was used last.
func use(t testing.TB, s *Store, id string) {
	t.Helper()
	l := acquire(t, s, id)
	must(t, l.Append(Entry{Kind: EntryUndo, Turn: "t0", Time: Time{s.o.Clock()}}))
	must(t, l.Release())
}

// pages lists all pages, and checks what they say of those to come.
func pages(t testing.TB, s *Store, project string, o ListOptions) []string {
	t.Helper()
	var ids []string
	more := -1
	for {
		page, err := s.ListPage(t.Context(), project, o)
		must(t, err)
		if more >= 0 && page.More != more-len(page.Records) {
			t.Errorf("%d more after a page of %d, and before it %d", page.More, len(page.Records), more)
		}
		if len(page.Records) > o.Limit || (page.Next == "") != (page.More == 0) {
			t.Errorf("a page of %d, %d more, cursor %q", len(page.Records), page.More, page.Next)
		}
		ids = append(ids, idsOf(page.Records)...)
		if page.Next == "" {
			return ids
		}
		o.Cursor, more = page.Next, page.More
	}
}

func idsOf(recs []Record) []string {
	ids := make([]string, len(recs))
	for i := range recs {
		ids[i] = recs[i].SessionID
	}
	return ids
}

func TestPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Clock = fakeClock() })
	all := many(t, w, 10)
	recent := slices.Clone(all)
	slices.SortFunc(recent, func(a, b Record) int { return b.UpdatedAt.Compare(a.UpdatedAt.Time) })
	if slices.Equal(idsOf(all), idsOf(recent)) {
		t.Fatal("the two orders are the same")
	}
	for _, s := range []*Store{w.Store, w.store(), w.store()} { // without the cache, then with it
		for _, size := range []int{1, 3, 5, 9, 10, 11} {
			if diff := cmp.Diff(idsOf(all), pages(t, s, w.project, ListOptions{Limit: size})); diff != "" {
				t.Errorf("pages of %d, oldest first: %s", size, diff)
			}
			if diff := cmp.Diff(idsOf(recent), pages(t, s, w.project, ListOptions{Limit: size, Recent: true})); diff != "" {
				t.Errorf("pages of %d, last used first: %s", size, diff)
			}
		}
	}
	page, err := w.ListPage(t.Context(), w.project, ListOptions{Limit: 2})
	must(t, err)
	if diff := cmp.Diff(all[:2], page.Records); diff != "" {
		t.Error(diff)
	}
	// The cursor's session need not be there any more.
	must(t, w.Delete(t.Context(), all[1].SessionID))
	added := w.session()
	want := append(idsOf(all[2:]), added.SessionID)
	got, err := w.ListPage(t.Context(), w.project, ListOptions{Cursor: page.Next})
	must(t, err)
	if diff := cmp.Diff(want, idsOf(got.Records)); diff != "" {
		t.Errorf("after the cursor: %s", diff)
	}
	for _, bad := range []ListOptions{{Cursor: "rubbish"}, {Cursor: "e30"}, {Cursor: page.Next, Recent: true}} {
		if _, err := w.ListPage(t.Context(), w.project, bad); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("cursor %q gave %v", bad.Cursor, err)
		}
	}
}

// A page reads the record of its own sessions, and of those that changed.
func TestPageReadsNoOtherSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Clock = fakeClock() })
	all := many(t, w, 6)
	first := ListOptions{Limit: 2}
	want := pages(t, w.Store, w.project, first)
	// What only a reader would notice: the last session is now the oldest.
	file := filepath.Join(w.folder(all[5].SessionID), "session.json")
	info, err := os.Stat(file)
	must(t, err)
	was := read(t, file)
	rec := bytes.Replace(was, []byte(`"createdAt": "2026`), []byte(`"createdAt": "1999`), 1)
	rec = bytes.Replace(rec, []byte(`"v": 1`), []byte(`"v": 0`), 1) // so that its checksum does not count
	must(t, os.WriteFile(file, rec, 0o600))
	must(t, os.Chtimes(file, info.ModTime(), info.ModTime()))
	s := w.store()
	page, err := s.ListPage(t.Context(), w.project, first)
	must(t, err)
	if diff := cmp.Diff(want[:2], idsOf(page.Records)); diff != "" {
		t.Errorf("another session was read: %s", diff)
	}
	transcript := filepath.Join(w.folder(all[5].SessionID), "transcript.jsonl")
	info, err = os.Stat(transcript)
	must(t, err)
	must(t, os.Chtimes(transcript, info.ModTime(), info.ModTime().Add(1)))
	page, err = s.ListPage(t.Context(), w.project, first)
	must(t, err)
	if page.Records[0].SessionID != all[5].SessionID {
		t.Error("a session that changed was not read")
	}
}

// Nothing that happens to the cache changes what is listed.
func TestSpoiltListCache(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Clock = fakeClock() })
	want := idsOf(many(t, w, 5))
	pages(t, w.Store, w.project, ListOptions{Limit: 2})
	files, err := filepath.Glob(filepath.Join(w.o.StateDir, "lists", "*"))
	must(t, err)
	if len(files) != 1 {
		t.Fatalf("the caches are %v", files)
	}
	whole := string(read(t, files[0]))
	known := func() []listEntry {
		c, ok := w.lists.openList("lists/" + filepath.Base(files[0]))
		if !ok || c.Folder != w.lists.store.paths.sessionsOf(w.project) {
			t.Errorf("the cache is %+v", c)
			return nil
		}
		return c.sessions
	}
	entries := known()
	sealed := func(body string) string { return checksum([]byte(body)) + "\n" + body }
	_, body, _ := strings.Cut(whole, "\n")
	later := strings.Replace(body, " 1", " 9", 1) // the first session was created later
	for name, content := range map[string]string{
		"empty": "", "torn": whole[:len(whole)/2], "rubbish": "rubbish",
		"a bit":          strings.Replace(whole, " 1", " 9", 1),
		"a later format": sealed(strings.Replace(later, `"v":2`, `"v":3`, 1)),
		"other folder":   sealed(strings.Replace(later, w.project, "/elsewhere", 1)),
		"no JSON":        sealed("{"),
		"no session":     sealed(body + "sess_1 2 3 4\n"),
	} {
		if content == whole || strings.HasSuffix(content, body) {
			t.Fatalf("%s: nothing is spoilt", name)
		}
		must(t, os.WriteFile(files[0], []byte(content), 0o600))
		if diff := cmp.Diff(want, pages(t, w.store(), w.project, ListOptions{Limit: 2})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(entries, known(), cmp.AllowUnexported(listEntry{})); diff != "" {
			t.Errorf("%s: the cache was not made again: %s", name, diff)
		}
	}
	// Where no cache can be written, the list does without.
	must(t, os.Remove(files[0]))
	s := w.store()
	must(t, os.Remove(filepath.Dir(files[0])))
	must(t, os.WriteFile(filepath.Dir(files[0]), nil, 0o600))
	if diff := cmp.Diff(want, pages(t, s, w.project, ListOptions{Limit: 2})); diff != "" {
		t.Error(diff)
	}
}

// A damaged session is on its page, and no longer marked once it is whole.
func TestDamagedSessionsOnPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	for range 4 {
		w.session()
	}
	pages(t, w.Store, w.project, ListOptions{Limit: 2})
	record, transcript := filepath.Join(w.folder(id), "session.json"), filepath.Join(w.folder(id), "transcript.jsonl")
	was := read(t, transcript)
	must(t, os.WriteFile(transcript, []byte("garbage\n"), 0o600))
	must(t, os.WriteFile(record, []byte("{"), 0o600))
	marked := func() (n int) {
		o := ListOptions{Limit: 2, Recent: true}
		for {
			page, err := w.store().ListPage(t.Context(), w.project, o)
			must(t, err)
			for _, r := range page.Records {
				if r.Damaged != "" && r.SessionID == id {
					n++
				}
			}
			if page.Next == "" {
				return n
			}
			o.Cursor = page.Next
		}
	}
	for range 2 {
		if n := marked(); n != 1 {
			t.Errorf("the damaged session is listed %d times", n)
		}
	}
	must(t, os.WriteFile(transcript, was, 0o600)) // session.json is made again from it
	if n := marked(); n != 0 {
		t.Errorf("the session is whole and still marked %d times", n)
	}
	if ids := pages(t, w.store(), w.project, ListOptions{Limit: 2}); len(ids) != 5 || !slices.Contains(ids, id) {
		t.Errorf("listed are %v", ids)
	}
}

// The first page of a moved project brings all of its sessions back, there and
// back again, and also where the index alone was lost.
func TestPageOfAMovedProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Clock = fakeClock() })
	ids := idsOf(many(t, w, 5))
	page := func(project string) Page {
		t.Helper()
		page, err := w.store().ListPage(t.Context(), project, ListOptions{Limit: 2})
		must(t, err)
		return page
	}
	page(w.project)
	moved := filepath.Join(t.TempDir(), "moved")
	here := w.project
	for step, to := range []string{moved, here, moved, moved} {
		if step < 3 {
			must(t, os.Rename(here, to))
		} else {
			must(t, os.RemoveAll(filepath.Join(w.o.StateDir, "sessions")))
		}
		if got := page(to); len(got.Records) != 2 || got.Records[0].ProjectRoot != to {
			t.Errorf("step %d: %+v", step, got.Records)
		}
		for _, id := range ids {
			if rec, err := w.store().Get(t.Context(), id); err != nil || rec.ProjectRoot != to {
				t.Errorf("step %d: %s is in %q, %v", step, id, rec.ProjectRoot, err)
			}
		}
		here = to
	}
	copied := t.TempDir()
	must(t, os.CopyFS(copied, os.DirFS(here)))
	for range 2 {
		for _, rec := range page(copied).Records {
			if !rec.ReadOnly || rec.ProjectRoot != copied {
				t.Errorf("the copy lists %+v", rec)
			}
		}
	}
}

func TestPagesOfASessionRoot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.SessionRoot, o.Clock = t.TempDir(), fakeClock() })
	other := t.TempDir()
	want := map[string][]string{}
	for i := range 8 {
		project := []string{w.project, other}[i%2]
		rec, err := w.Create(t.Context(), project, "P", "direct")
		must(t, err)
		want[project] = append(want[project], rec.SessionID)
	}
	for range 2 {
		for project, ids := range want {
			if diff := cmp.Diff(ids, pages(t, w.store(), project, ListOptions{Limit: 3})); diff != "" {
				t.Errorf("%s: %s", project, diff)
			}
		}
	}
}

// The caches of projects that are gone are removed, the others stay.
func TestGCOfListCaches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := t.TempDir()
	for range 3 {
		w.session()
		_, err := w.Create(t.Context(), other, "P", "direct")
		must(t, err)
	}
	for _, project := range []string{w.project, other} {
		pages(t, w.Store, project, ListOptions{Limit: 1})
	}
	must(t, os.RemoveAll(other))
	kept := func() string {
		files, err := filepath.Glob(filepath.Join(w.o.StateDir, "lists", "*"))
		must(t, err)
		return fmt.Sprint(len(files))
	}
	for _, step := range []struct {
		dry  bool
		want string
	}{{true, "2"}, {false, "1"}, {false, "1"}} {
		_, err := w.Upkeep.GC(t.Context(), GCOptions{DryRun: step.dry})
		must(t, err)
		if got := kept(); got != step.want {
			t.Errorf("dry %v: %s caches, want %s", step.dry, got, step.want)
		}
	}
}

// A list that comes across a session which is being made does not get in its way.
func TestListsWhileSessionsAreMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 200 {
			if _, err := w.Create(context.Background(), w.project, "WORKING_ITEMS", "direct"); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for other := w.store(); ; {
		_, err := other.List(t.Context(), w.project)
		must(t, err)
		select {
		case <-done:
			return
		default:
		}
	}
}

// A second end of a turn corrects how it ended, and not what it cost.
func TestCorrectedEndKeepsTheCost(t *testing.T) {
	t.Parallel()
	var d Digest
	for _, line := range []string{
		`{"kind":"turn","turn":"t1","time":"2026-01-02T03:04:05Z","message":"go"}`,
		`{"kind":"end","turn":"t1","time":"2026-01-02T03:04:06Z","exitCode":0,"usage":{"inputTokens":1,"outputTokens":2,"costUsd":5}}`,
		`{"kind":"end","turn":"t1","time":"2026-01-02T03:04:07Z","exitCode":1,"error":"the disk is full"}`,
	} {
		d.take([]byte(line + "\n"))
	}
	if d.CostUSD == nil || *d.CostUSD != 5 || d.Exit == nil || *d.Exit != 1 || d.Failure != "the disk is full" {
		t.Errorf("%+v", d)
	}
}
