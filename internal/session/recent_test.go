package session

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"belay/internal/event"
)

// replay reads a log from its start to its present end.
func replay(t *testing.T, w *world, id string) (all []event.Event) {
	t.Helper()
	r := open(t, w.Store, id, 0)
	defer func() { must(t, r.Close()) }()
	for {
		evs, err := r.Ready(t.Context())
		must(t, err)
		if len(evs) == 0 {
			return all
		}
		all = append(all, evs...)
	}
}

// Readers that replay a log together share what was parsed of it. They get every event, also
// after the file was changed by somebody else. Nothing is kept once the last one is gone.
func TestReplaysShareWhatWasParsed(t *testing.T) {
	t.Parallel()
	const events = 3000
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	for range events / 3 {
		d := event.Draft{Type: event.ChatDelta, Data: event.Text{Text: "one"}}
		_, err := l.Emit("t", d, d, d)
		must(t, err)
	}
	must(t, l.Release())
	w.Store = w.store()              // one that has none of it in memory
	first := open(t, w.Store, id, 0) // it stays, and so does what it parsed
	_, err := first.Ready(t.Context())
	must(t, err)
	for range 3 {
		if all := replay(t, w, id); len(all) < events || all[len(all)-1].Seq != int64(len(all)) {
			t.Fatalf("%d events", len(all))
		}
	}
	if n := w.Store.recent.bytes; n == 0 || n > recentBytes {
		t.Errorf("%d bytes are kept", n)
	}
	path := filepath.Join(w.project, ".belay", "sessions", id, segmentName(1))
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, bytes.ReplaceAll(data, []byte(`"one"`), []byte(`"two"`)), 0o600))
	for _, e := range replay(t, w, id) {
		if e.Type == event.ChatDelta && !bytes.Contains(e.Data, []byte("two")) {
			t.Fatalf("event %d is as it was before: %s", e.Seq, e.Data)
		}
	}
	must(t, first.Close())
	if len(w.Store.recent.parts) > 0 || w.Store.recent.bytes != 0 {
		t.Errorf("%d parts of %d bytes are left", len(w.Store.recent.parts), w.Store.recent.bytes)
	}
}
