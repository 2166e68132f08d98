package api

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"belay/internal/event"
)

func TestAppendEvent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		e    event.Event
		want string
	}{
		{"of a log", event.Event{Seq: 12, Type: event.ChatDelta, Data: json.RawMessage(`{"text":"a"}`)},
			"id: 12\nevent: chat:delta\ndata: {\"text\":\"a\"}\n\n"},
		{"of no log has no id", event.Event{Type: event.ProcessExit, Data: json.RawMessage(`{"exitCode":1}`)},
			"event: process:exit\ndata: {\"exitCode\":1}\n\n"},
		{"edited by hand over several lines", event.Event{Seq: 1, Type: "a\nid: 99\r", Data: json.RawMessage("{\n\"x\":\r\n1}")},
			"id: 1\nevent: aid: 99\ndata: {\"x\":1}\n\n"},
		{"no JSON at all", event.Event{Seq: 1, Type: "a", Data: json.RawMessage("x\n\ndata: y")},
			"id: 1\nevent: a\ndata: {}\n\n"},
		{"without data", event.Event{Seq: 1, Type: "a"}, "id: 1\nevent: a\ndata: {}\n\n"},
	} {
		var b bytes.Buffer
		appendEvent(&b, c.e)
		if b.String() != c.want {
			t.Errorf("%s: %q", c.name, b.String())
		}
		if strings.Count(b.String(), "\n\n") != 1 {
			t.Errorf("%s: more than one event: %q", c.name, b.String())
		}
	}
}

// wholly keeps what is written, and remembers the largest write that was not an
// event's data itself.
type wholly struct {
	bytes.Buffer
	events []event.Event
	copied int
}

func (w *wholly) Write(p []byte) (int, error) {
	for _, e := range w.events {
		if len(e.Data) == len(p) && &e.Data[0] == &p[0] {
			return w.Buffer.Write(p)
		}
	}
	w.copied = max(w.copied, len(p))
	return w.Buffer.Write(p)
}

// A batch of any size is sent without a copy of more than a small part of it, which
// is what a client that stopped reading would hold for as long as it is stuck.
func TestWriteEventsCopiesLittle(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"small": 20, "middling": plainBytes - 100, "large": plainBytes, "huge": 3 << 20} {
		var events []event.Event
		var want bytes.Buffer
		for n := range max(4, (1<<20)/size) {
			e := event.Event{Seq: int64(n + 1), Type: event.ChatDelta, Data: json.RawMessage(`{"text":"` + strings.Repeat("x", size) + `"}`)}
			events = append(events, e)
			appendEvent(&want, e)
		}
		w, b := &wholly{events: events}, getBuffer()
		sent, err := writeEvents(w, b, events, nil)
		if err != nil || sent != want.Len() || w.String() != want.String() {
			t.Errorf("%s: %d bytes instead of %d, %v", name, sent, want.Len(), err)
		}
		if w.copied > gatherBytes+plainBytes+200 || b.Cap() > keepBuffer {
			t.Errorf("%s: a piece of %d bytes was copied, the buffer has %d", name, w.copied, b.Cap())
		}
	}
}

func BenchmarkAppendEvent(b *testing.B) {
	e := event.Event{Seq: 123456, Type: event.ChatDelta, Data: json.RawMessage(`{"text":"twenty-four characters.."}`)}
	var buf bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		buf.Reset()
		appendEvent(&buf, e)
	}
}
