package session

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The time of use is that of the transcript's last line, in this process and in
// others; session.json is not written for it.
func TestTimeOfUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Clock = fakeClock() })
	rec := w.recorded()
	record, transcript := filepath.Join(w.folder(rec.SessionID), "session.json"), filepath.Join(w.folder(rec.SessionID), "transcript.jsonl")
	stored := read(t, record)
	other := w.store()
	at := func(s *Store, want time.Time) {
		t.Helper()
		got, err := s.Get(t.Context(), rec.SessionID)
		must(t, err)
		if !got.UpdatedAt.Equal(want) {
			t.Errorf("used at %v, want %v", got.UpdatedAt, want)
		}
	}
	everywhere := func(want time.Time) {
		t.Helper()
		at(w.Store, want)
		at(other, want)
		at(w.store(), want)
		recs, err := other.List(t.Context(), w.project)
		must(t, err)
		if len(recs) != 1 || !recs[0].UpdatedAt.Equal(want) {
			t.Errorf("listed as used at %v, want %v", recs[0].UpdatedAt, want)
		}
	}
	everywhere(rec.UpdatedAt.Time)
	noon := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	l := acquire(t, w.Store, rec.SessionID)
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t1", Time: Time{noon}, Message: strings.Repeat("long ", 5000)}))
	everywhere(noon)
	must(t, l.Append(Entry{Kind: EntryEnd, Turn: "t1", Time: Time{noon.Add(1234567 * time.Microsecond)}}))
	if got := l.Record().UpdatedAt; !got.Equal(noon.Add(1234 * time.Millisecond)) {
		t.Errorf("the lease says %v", got)
	}
	must(t, l.Release())
	everywhere(noon.Add(1234 * time.Millisecond))
	if !bytes.Equal(read(t, record), stored) {
		t.Error("session.json was written")
	}
	for line, want := range map[string]time.Time{
		`{"kind":"undo","tu`: noon.Add(1234 * time.Millisecond), // it is being written
		`{"kind":"undo","turn":"t1","time":"2001-01-01T00:00:00.000Z"}` + "\n": rec.UpdatedAt.Time,
		`{"kind":"undo","turn":"t1","time":"noon"}` + "\n":                     rec.UpdatedAt.Time,
		"garbage\n": rec.UpdatedAt.Time,
	} {
		was := read(t, transcript)
		must(t, os.WriteFile(transcript, append(was, line...), 0o600))
		everywhere(want)
		must(t, os.WriteFile(transcript, was, 0o600))
	}
	must(t, os.Remove(transcript))
	at(w.store(), rec.UpdatedAt.Time)
}
