package event_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"belay/internal/event"
)

// Property: what AppendJSON writes is what encoding/json writes.
func FuzzAppendJSON(f *testing.F) {
	f.Add(int64(1), "turn_1", "chat:delta", `{"text":"a"}`, int64(1_234_567))
	f.Add(int64(-5), "a\"b\\<&>\x00\xff\u2028é", "", "", int64(0))
	f.Fuzz(func(t *testing.T, seq int64, turn, typ, data string, micro int64) {
		e := event.Event{Seq: seq, Turn: turn, Type: event.Type(typ), Time: time.UnixMicro(micro % (1 << 50)).UTC()}
		if data != "" {
			var compact bytes.Buffer
			if json.Compact(&compact, []byte(data)) != nil {
				return
			}
			b, err := json.Marshal(json.RawMessage(compact.Bytes())) // escaped as the log has it
			if err != nil {
				return
			}
			e.Data = b
		}
		want, err := json.Marshal(e)
		if err != nil {
			return // a year that JSON has no form for
		}
		if got := e.AppendJSON([]byte("x")); string(got) != "x"+string(want) {
			t.Errorf("\n got %s\nwant x%s", got, want)
		}
	})
}
