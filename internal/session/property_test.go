package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"belay/internal/event"
)

// model is what must be true of a session whatever happens: the events that were
// appended, and what each reader has got of them.
type model struct {
	t       *testing.T
	w       *world
	id      string
	stores  []*Store // index 0 is this process, 1 is another
	lease   *Lease
	turns   int
	written []event.Event
	readers []*modelReader
}

type modelReader struct {
	*Reader
	next int64
}

// Any order of turns in two processes, crashes that cut the files, and readers
// that come, lag and leave keeps sequences dense, and every reader gets every
// event exactly once.
//
// Covers: turn-api REQ-03
func TestAnyInterleaving(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t, func(o *Options) {
			o.SegmentBytes = int64(rapid.IntRange(200, 2000).Draw(r, "segment"))
			o.TailBytes = rapid.IntRange(200, 2000).Draw(r, "tail")
			o.Poll = 5 * time.Millisecond
		})
		m := &model{t: t, w: w, id: w.session().SessionID, stores: []*Store{w.Store, w.store()}}
		r.Repeat(map[string]func(*rapid.T){
			"acquire": m.acquire, "emit": m.emit, "release": m.release, "crash": m.crash, "join": m.join, "read": m.read, "": m.check,
		})
		for _, rd := range m.readers {
			for rd.next <= int64(len(m.written)) {
				m.take(r, rd)
			}
			must(t, rd.Close())
		}
		if m.lease != nil {
			must(t, m.lease.Release())
		}
		for _, s := range m.stores {
			must(t, s.Close())
		}
	})
}

func (m *model) acquire(r *rapid.T) {
	s := rapid.SampledFrom(m.stores).Draw(r, "process")
	l, err := s.Acquire(context.Background(), m.id)
	if m.lease != nil {
		if !errors.Is(err, ErrBusy) {
			r.Fatalf("a second lease: %v", err)
		}
		return
	}
	must(m.t, err)
	if len(l.Tampered()) > 0 || l.LastSeq() != int64(len(m.written)) {
		r.Fatalf("%q, last %d, want %d", l.Tampered(), l.LastSeq(), len(m.written))
	}
	m.turns++
	must(m.t, l.Begin(fmt.Sprint("t", m.turns)))
	m.lease = l
}

func (m *model) emit(r *rapid.T) {
	if m.lease == nil {
		r.Skip()
	}
	drafts := make([]event.Draft, rapid.IntRange(1, 5).Draw(r, "events"))
	for i := range drafts {
		drafts[i] = event.Draft{Type: event.ChatDelta, Data: event.Text{Text: rapid.StringN(0, 40, -1).Draw(r, "text")}}
	}
	evs, err := m.lease.Emit(fmt.Sprint("t", m.turns), drafts...)
	must(m.t, err)
	m.written = append(m.written, evs...)
}

func (m *model) release(r *rapid.T) {
	if m.lease == nil {
		r.Skip()
	}
	must(m.t, m.lease.Release())
	m.lease = nil
}

// crash is what a kill -9 in the middle of an append leaves: half a line, a note
// that says the turn runs, and a lock that the kernel freed.
func (m *model) crash(r *rapid.T) {
	if m.lease == nil {
		r.Skip()
	}
	v := m.lease.state
	raw := append([]byte(nil), v.noted...)
	name := filepath.Join(m.w.folder(m.id), v.log.active.name)
	must(m.t, m.lease.Release())
	m.lease = nil
	must(m.t, os.WriteFile(m.stores[0].lockPath(m.id), raw, 0o600))
	if len(v.log.segs) == 0 {
		return
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	must(m.t, err)
	line := `{"seq":` + fmt.Sprint(len(m.written)+1) + `,"turn":"lost"`
	_, err = f.WriteString(line[:rapid.IntRange(0, len(line)).Draw(r, "cut")])
	must(m.t, errors.Join(err, f.Close()))
}

func (m *model) join(r *rapid.T) {
	after := int64(rapid.IntRange(0, len(m.written)).Draw(r, "after"))
	rd, err := rapid.SampledFrom(m.stores).Draw(r, "process").Reader(context.Background(), m.id, after)
	must(m.t, err)
	m.readers = append(m.readers, &modelReader{rd, after + 1})
}

func (m *model) read(r *rapid.T) {
	if len(m.readers) == 0 {
		r.Skip()
	}
	rd := rapid.SampledFrom(m.readers).Draw(r, "reader")
	if rd.next <= int64(len(m.written)) {
		m.take(r, rd)
	}
}

// take reads one batch and compares it.
func (m *model) take(r *rapid.T, rd *modelReader) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	evs, err := rd.Next(ctx)
	if err != nil {
		r.Fatalf("reader at %d of %d: %v", rd.next, len(m.written), err)
	}
	for _, e := range evs {
		if e.Seq != rd.next || string(e.Data) != string(m.written[e.Seq-1].Data) {
			r.Fatalf("got %d %s, want %d", e.Seq, e.Data, rd.next)
		}
		rd.next++
	}
}

func (m *model) check(r *rapid.T) {
	for _, s := range m.stores {
		first, last, err := s.Bounds(context.Background(), m.id)
		if err != nil || first != 1 || last != int64(len(m.written)) {
			r.Fatalf("bounds %d to %d, %v, want 1 to %d", first, last, err, len(m.written))
		}
	}
}
