package session

import (
	"os"
	"slices"
	"testing"
)

// A power cut takes what the locks said of the turns that ran. Those turns are
// found all the same, and no other session is taken for one of them.
func TestAbandonedAfterAPowerCut(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(lock string, before []byte) error{
		"the lock says what it said before": func(lock string, before []byte) error { return os.WriteFile(lock, before, 0o600) },
		"the lock is empty":                 func(lock string, _ []byte) error { return os.Truncate(lock, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			died, ended, empty := w.session().SessionID, w.session().SessionID, w.session().SessionID
			for _, id := range []string{died, ended, empty} {
				l := acquire(t, w.Store, id)
				if id != empty {
					must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t1"}, Entry{Kind: EntryEnd, Turn: "t1"}))
					must(t, l.Commit(t.Context()))
				}
				must(t, l.Release())
			}
			lock := w.Store.lockPath(died)
			before := read(t, lock)
			l := acquire(t, w.Store, died)
			must(t, l.Begin("t2"))
			must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t2"}, Entry{Kind: EntryIntent, Turn: "t2"}))
			must(t, l.Commit(t.Context()))
			must(t, l.lock.Close()) // its process is gone
			must(t, w.Store.Close())
			must(t, cut(lock, before))

			w.o.BootID = "another"
			s := w.store()
			found, err := s.Signals.Abandoned(t.Context())
			must(t, err)
			if !slices.Equal(found, []string{died}) || !s.Signals.Died(died) {
				t.Errorf("found %v, want %v", found, died)
			}
			again := acquire(t, s, died)
			must(t, again.Append(Entry{Kind: EntryEnd, Turn: "t2"}))
			must(t, again.Release())
			if found, err = s.Signals.Abandoned(t.Context()); err != nil || len(found) > 0 || s.Signals.Died(died) {
				t.Errorf("after its end: %v, %v", found, err)
			}
		})
	}
}
