package session

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"belay/internal/event"
)

// A session that was just made is in memory. Its first lease sees all the same what
// another process did to it meanwhile.
func TestNewSessionInMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	here, there := w.store(), w.store()
	rec, err := here.Create(t.Context(), w.project, "P", "direct")
	must(t, err)
	turn(t, there, rec.SessionID, "turn_1", 2)
	l := acquire(t, here, rec.SessionID)
	if n := len(l.Entries()); n == 0 || l.Entries()[0].Turn != "turn_1" {
		t.Errorf("%d entries after another process's turn", n)
	}
	last := emit(t, l, "turn_2", event.ChatDelta, event.Text{Text: "x"})
	if said := l.Tampered(); len(said) > 0 || last.Seq < 2 {
		t.Errorf("event %d, tampered: %q", last.Seq, said)
	}
	must(t, l.Release())
}

// A session that was never used is listed, found by other processes and exported, all by
// its transcript.
func TestSessionWithoutRecordFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rec := w.session()
	other := w.store()
	if got, err := other.Get(t.Context(), rec.SessionID); err != nil || !got.sameBut(rec) {
		t.Errorf("another process has %+v, %v", got, err)
	}
	if all, err := other.List(t.Context(), w.project); err != nil || len(all) != 1 || !all[0].sameBut(rec) {
		t.Errorf("listed are %+v, %v", all, err)
	}
	var file bytes.Buffer
	export(t, other, rec.SessionID, &file)
	in, err := newWorld(t).Archive.Import(t.Context(), &file, t.TempDir())
	if err != nil || in.Persona != rec.Persona || in.SessionID != rec.SessionID {
		t.Errorf("imported is %+v, %v", in, err)
	}
}

// Anyone who damages a session's files before its first lease is noticed.
func TestNewSessionIsLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.store()
	rec, err := s.Create(t.Context(), w.project, "P", "direct")
	must(t, err)
	file := filepath.Join(w.folder(rec.SessionID), fileRecord)
	must(t, os.WriteFile(file, []byte("{"), 0o600))
	must(t, acquire(t, s, rec.SessionID).Release())
	data, err := os.ReadFile(file)
	must(t, err)
	if got, _, err := decodeRecord(data); err != nil || !got.sameBut(rec) {
		t.Errorf("session.json is %q: %v", data, err)
	}
	must(t, os.Remove(filepath.Join(w.folder(rec.SessionID), fileTranscript)))
	l := acquire(t, s, rec.SessionID)
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "turn_1", Message: "hello"}))
	must(t, l.Release())
	if all, err := s.Transcript(t.Context(), rec.SessionID); err != nil || len(all) != 1 {
		t.Errorf("the transcript has %d entries: %v", len(all), err)
	}
}
