package session

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"belay/internal/event"
)

// long makes a project with more sessions than every list looks at, and lists it, so
// that both the memory of the store and the state folder know them all. It returns the
// ids, the one that was used last first.
func long(t *testing.T) (*world, []string) {
	t.Helper()
	w := newWorld(t, func(o *Options) { o.Clock = fakeClock() })
	for range lookNewest + 10 {
		use(t, w.Store, w.session().SessionID)
	}
	lastUsed(t, w.Store, w.project, 1)
	ids := lastUsed(t, w.store(), w.project, lookNewest+9)
	if len(ids) != lookNewest+9 {
		t.Fatalf("listed are %d sessions", len(ids))
	}
	return w, ids
}

// lastUsed are the sessions that were used last.
func lastUsed(t *testing.T, s *Store, project string, n int) []string {
	t.Helper()
	page, err := s.ListPage(t.Context(), project, ListOptions{Limit: n, Recent: true})
	must(t, err)
	for i := 1; i < len(page.Records); i++ {
		if page.Records[i].UpdatedAt.After(page.Records[i-1].UpdatedAt.Time) {
			t.Errorf("the page is not in its order at %d", i)
		}
	}
	return idsOf(page.Records)
}

// A list is right at once beside another process that works in old sessions, in
// memory and from the state folder.
func TestListBesideAnotherProcess(t *testing.T) {
	t.Parallel()
	w, ids := long(t)
	other := w.store()
	old := ids[lookNewest+3:]
	first := func(what, want string) {
		t.Helper()
		for name, s := range map[string]*Store{"this process": w.Store, "the other": other, "a new one": w.store()} {
			if got := lastUsed(t, s, w.project, 3); got[0] != want {
				t.Errorf("%s: %s lists %q first, not %q", what, name, got[0], want)
			}
		}
	}
	use(t, other, old[0])
	first("after a use", old[0])
	use(t, w.Store, old[1])
	first("after a use here", old[1])

	one, two := acquire(t, other, old[2]), acquire(t, w.Store, old[3])
	for range 2 { // two turns run
		for l, id := range map[*Lease]string{one: old[2], two: old[3]} {
			must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t", Time: Time{w.o.Clock()}}))
			first("in a turn", id)
		}
	}
	emit(t, one, "t", event.ChatDelta, event.Text{Text: "x"})
	must(t, one.Release())
	must(t, two.Release())

	must(t, other.Delete(t.Context(), old[4]))
	added, err := other.Create(t.Context(), w.project, "P", "direct")
	must(t, err)
	first("after a new one", added.SessionID)
	for _, s := range []*Store{w.Store, other, w.store()} {
		page, err := s.ListPage(t.Context(), w.project, ListOptions{Limit: 1})
		must(t, err)
		if page.More != lookNewest+9 {
			t.Errorf("%d more are listed after one was added and one deleted", page.More)
		}
		if all := lastUsed(t, s, w.project, lookNewest+9); slices.Contains(all, old[4]) {
			t.Error("the deleted session is listed")
		}
	}
}

// What something else than belay does to an old session is seen when everything is
// looked at again: after a while, after a start of the system, and where the file of
// uses is gone or another one.
func TestListLooksAtEverythingAgain(t *testing.T) {
	t.Parallel()
	w, ids := long(t)
	file := filepath.Join(w.o.StateDir, fileUses)
	cache := func() *listCache { return w.lists.recall(w.paths.sessionsOf(w.project)) }
	for name, spoil := range map[string]func(){
		"after a while": func() {
			c := *cache()
			c.Looked = c.Looked.Add(-lookAgain)
			w.lists.remember(&c)
		},
		"after a start": func() { w.Store.o.BootID += "x" },
		"uses are gone": func() { must(t, os.Remove(file)) },
		"uses are torn": func() { must(t, os.Truncate(file, usesBytes/2)) },
		"other uses":    func() { must(t, os.WriteFile(file, bytes.Repeat([]byte("x"), usesBytes), 0o600)) },
	} {
		last := lastUsed(t, w.Store, w.project, lookNewest+9)[lookNewest+5]
		transcript := filepath.Join(w.folder(last), "transcript.jsonl")
		at := w.o.Clock()
		line, err := encodeEntries([]Entry{{Kind: EntryUndo, Turn: "t0", Time: Time{at}}})
		must(t, err)
		must(t, os.WriteFile(transcript, append(read(t, transcript), line...), 0o600))
		if got := lastUsed(t, w.Store, w.project, 1); got[0] == last {
			t.Errorf("%s: every session was looked at", name)
		}
		spoil()
		if got := lastUsed(t, w.Store, w.project, 1); got[0] != last {
			t.Errorf("%s: the change is not seen", name)
		}
		use(t, w.Store, ids[lookNewest+1]) // goes on with whatever file there is now
		if got := lastUsed(t, w.store(), w.project, 1); got[0] != ids[lookNewest+1] {
			t.Errorf("%s: a later use is not seen", name)
		}
	}
}

// An old session that is damaged or loses its files stays in the list, with the reason.
func TestDamagedSessionFarDown(t *testing.T) {
	t.Parallel()
	w, ids := long(t)
	torn, lost := ids[lookNewest+4], ids[lookNewest+5]
	for _, id := range []string{torn, lost} {
		must(t, os.RemoveAll(filepath.Join(w.folder(id), "session.json")))
	}
	must(t, os.WriteFile(filepath.Join(w.folder(torn), "transcript.jsonl"), []byte("garbage\n"), 0o600))
	must(t, os.Remove(filepath.Join(w.folder(lost), "transcript.jsonl")))
	for _, s := range []*Store{w.Store, w.store()} {
		page, err := s.ListPage(t.Context(), w.project, ListOptions{Limit: lookNewest + 9, Recent: true})
		must(t, err)
		var damaged []string
		for _, r := range page.Records {
			if r.Damaged != "" {
				damaged = append(damaged, r.SessionID)
			}
		}
		slices.Sort(damaged)
		want := []string{torn, lost}
		slices.Sort(want)
		if !slices.Equal(damaged, want) {
			t.Errorf("marked are %q, not %q", damaged, want)
		}
	}
}
