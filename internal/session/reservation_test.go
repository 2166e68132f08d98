package session

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/event"
)

// After a power cut ids go on after those that may have been given, a reader is
// told, and nobody is notified of tampering.
func TestIDsAfterAPowerCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	must(t, l.Begin("t1"))
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t1"}, Entry{Kind: EntryEnd, Turn: "t1"}))
	must(t, l.Commit(t.Context()))
	for range 8 {
		emit(t, l, "t1", event.ChatDelta, event.Text{Text: "word"})
	}
	emit(t, l, "t1", event.ProcessExit, event.Exit{})
	must(t, l.Release())
	must(t, w.Store.Close())
	log := filepath.Join(w.folder(id), "log", "0001.jsonl")
	lines := bytes.SplitAfter(read(t, log), []byte("\n"))
	must(t, os.WriteFile(log, bytes.Join(lines[:4], nil), 0o600)) // the version and three events

	w.o.BootID = "another"
	s := w.store()
	l = acquire(t, s, id)
	if said := l.Tampered(); len(said) > 0 {
		t.Errorf("a power cut looks like tampering: %q", said)
	}
	if l.LastSeq() != seqBlock {
		t.Errorf("goes on after %d, want %d", l.LastSeq(), seqBlock)
	}
	emit(t, l, "t2", event.ProcessExit, event.Exit{})
	must(t, l.Release())
	for _, s := range []*Store{s, w.store()} {
		r := open(t, s, id, 0)
		upTo(t, r, 3)
		if got := gapOf(t, next(t, r)); got != `65536 {"reason":"lost","next":65537}` {
			t.Error(got)
		}
		upTo(t, r, seqBlock+1)
	}
}

// A transcript that was changed is noticed after a power cut, too, as far as it had
// been flushed.
func TestTamperingAfterAPowerCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	must(t, l.Begin("t1"))
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t1", Message: "yes"}, Entry{Kind: EntryEnd, Turn: "t1"}))
	must(t, l.Commit(t.Context()))
	must(t, l.Release())
	must(t, w.Store.Close())
	transcript := filepath.Join(w.folder(id), fileTranscript)
	must(t, os.WriteFile(transcript, bytes.Replace(read(t, transcript), []byte("yes"), []byte("no!"), 1), 0o600))
	w.o.BootID = "another"
	l = acquire(t, w.store(), id)
	if said := l.Tampered(); len(said) != 1 || !strings.Contains(said[0], "transcript.jsonl was changed") {
		t.Errorf("told %q", said)
	}
	must(t, l.Release())
}

// Events never go beyond the reservation that is on disk.
func TestReservationIsFlushedFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	l.state.mu.Lock()
	l.state.log.last = seqBlock - 1
	l.state.mu.Unlock()
	emit(t, l, "t", event.ChatDelta, event.Text{Text: "the last of the block"})
	if l.state.transcript.reserved != 0 {
		t.Errorf("reserved up to %d before it was needed", l.state.transcript.reserved)
	}
	emit(t, l, "t", event.ChatDelta, event.Text{Text: "the first of the next"})
	if got := l.state.transcript.kept; got <= seqBlock+1 {
		t.Errorf("the flushed reservation ends at %d", got)
	}
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t"}, Entry{Kind: EntryEnd, Turn: "t"}))
	must(t, l.Release())
	w.o.BootID = "another"
	l = acquire(t, w.store(), id)
	if l.LastSeq() <= seqBlock+1 {
		t.Errorf("goes on after %d", l.LastSeq())
	}
	must(t, l.Release())
}

// A power cut may leave the end of a log with holes: blocks that were never written
// read as zeros. A line is whole if it is JSON with the next sequence; readers get
// whole lines unchanged, and a report of the others.
func TestHolesAfterAPowerCut(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(b []byte, lines []int) []byte{
		"inside a line":        func(b []byte, at []int) []byte { return zero(b, at[5]+60, at[5]+70) },
		"inside the last line": func(b []byte, at []int) []byte { return zero(b, at[9]+60, at[9]+70) },
		"a line end":           func(b []byte, at []int) []byte { return zero(b, at[5]-1, at[5]) },
		"over lines":           func(b []byte, at []int) []byte { return zero(b, at[3]+20, at[6]+20) },
		"over whole lines":     func(b []byte, at []int) []byte { return zero(b, at[3], at[6]) },
		"at the beginning":     func(b []byte, at []int) []byte { return zero(b, 0, at[2]+20) },
		"to the end":           func(b []byte, at []int) []byte { return zero(b, at[6]+20, len(b)) },
		"everywhere":           func(b []byte, _ []int) []byte { return zero(b, 0, len(b)) },
		"torn":                 func(b []byte, at []int) []byte { return b[:at[6]+20] },
		"lines are missing":    func(b []byte, at []int) []byte { return append(b[:at[3]:at[3]], b[at[6]:]...) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.session().SessionID
			turn(t, w.Store, id, "t1", 8)
			wrote := map[int64]string{}
			for _, e := range upTo(t, open(t, w.Store, id, 0), 10) {
				wrote[e.Seq] = string(e.Data)
			}
			must(t, w.Store.Close())
			log := filepath.Join(w.folder(id), "log", "0001.jsonl")
			text := read(t, log)
			at := []int{0} // where each line begins, that of the version first
			for i, c := range text {
				if c == '\n' {
					at = append(at, i+1)
				}
			}
			must(t, os.WriteFile(log, spoil(text, at), 0o600))

			w.o.BootID = "another"
			s := w.store()
			l := acquire(t, s, id)
			if said := l.Tampered(); len(said) > 0 {
				t.Errorf("a power cut looks like tampering: %q", said)
			}
			if l.LastSeq() < seqBlock {
				t.Errorf("goes on after %d, want %d", l.LastSeq(), seqBlock)
			}
			end := emit(t, l, "t2", event.ProcessExit, event.Exit{}).Seq
			wrote[end] = "{}"
			must(t, l.Release())
			for _, s := range []*Store{s, w.store()} {
				got, seen := 0, int64(0)
				for r := open(t, s, id, 0); seen < end; {
					for _, e := range next(t, r) {
						if e.Type == event.LogGap {
							seen = e.Seq
							continue
						}
						if e.Seq != seen+1 || e.Type != event.ProcessExit && string(e.Data) != wrote[e.Seq] {
							t.Fatalf("after %d came %d: %s, want %s", seen, e.Seq, e.Data, wrote[e.Seq])
						}
						seen = e.Seq
						got++
					}
				}
				if name != "everywhere" && got < 3 {
					t.Errorf("a reader got %d events", got)
				}
			}
		})
	}
}

// zero is a copy of b with a hole.
func zero(b []byte, from, to int) []byte {
	b = bytes.Clone(b)
	clear(b[from:to])
	return b
}
