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

func BenchmarkAppendEvent(b *testing.B) {
	e := event.Event{Seq: 123456, Type: event.ChatDelta, Data: json.RawMessage(`{"text":"twenty-four characters.."}`)}
	var buf bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		buf.Reset()
		appendEvent(&buf, e)
	}
}
