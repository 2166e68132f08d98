package api

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"belay/internal/event"
	"belay/internal/fault"
)

const eventStream = "text/event-stream"

// keepAlive is a comment line, which every reader of the format ignores.
var keepAlive = []byte(":keepalive\n\n")

// gatherBytes is how much of small events goes into one write, plainBytes the size
// from which data is written as it is.
const (
	gatherBytes = 16 << 10
	plainBytes  = 4 << 10
)

// writeEvents writes events by way of b and returns how many bytes that were. A
// client that has stopped reading holds the call up, so it makes no second copy of
// the batch: small events are gathered, the data of large ones goes out from where
// it is.
//
// Ids are those of events that do not go by their sequence; nil where all do.
func writeEvents(w io.Writer, b *bytes.Buffer, events []event.Event, ids func(i int) string) (sent int, err error) {
	write := func(p []byte) {
		if err == nil && len(p) > 0 {
			_, err = w.Write(p)
			sent += len(p)
		}
	}
	for i, e := range events {
		if ids != nil {
			appendID(b, ids(i))
			e.Seq = 0
		}
		if len(e.Data) < plainBytes || !onOneLine(e.Data) {
			appendEvent(b, e)
		} else {
			appendHead(b, e)
			write(b.Bytes())
			write(e.Data)
			b.Reset()
			b.WriteString(eventEnd)
		}
		if b.Len() >= gatherBytes {
			write(b.Bytes())
			b.Reset()
		}
	}
	write(b.Bytes())
	return sent, err
}

// eventEnd ends an event's data and the event.
const eventEnd = "\n\n"

// appendEvent appends e as one Server-Sent Event: an id line, an event line, one
// data line, a blank line. An event that is in no log (sequence 0) gets no id,
// so that a reader does not take it for a place to go on from.
func appendEvent(b *bytes.Buffer, e event.Event) {
	appendHead(b, e)
	appendData(b, e.Data)
	b.WriteString(eventEnd)
}

// appendHead appends what comes before an event's data.
func appendHead(b *bytes.Buffer, e event.Event) {
	var digits [20]byte
	if e.Seq > 0 {
		b.WriteString("id: ")
		b.Write(strconv.AppendInt(digits[:0], e.Seq, 10))
		b.WriteByte('\n')
	}
	b.WriteString("event: ")
	b.WriteString(oneLine(string(e.Type)))
	b.WriteString("\ndata: ")
}

// appendID appends the line of an event's id, where it has one.
func appendID(b *bytes.Buffer, id string) {
	if id != "" {
		b.WriteString("id: " + oneLine(id) + "\n")
	}
}

func onOneLine(data []byte) bool {
	return bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0
}

// appendData appends JSON on one line. A log that belay wrote has it so; one
// that a person edited might not.
func appendData(b *bytes.Buffer, data json.RawMessage) {
	switch {
	case len(data) == 0:
		b.WriteString("{}")
	case onOneLine(data):
		b.Write(data)
	default:
		start := b.Len()
		if json.Compact(b, data) != nil {
			b.Truncate(start)
			b.WriteString("{}")
		}
	}
}

func oneLine(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	return strings.NewReplacer("\r", "", "\n", "").Replace(s)
}

// startStream sends the headers of a stream. With them the original's clients
// and every proxy on the way know what is coming.
func startStream(w *response, turnID string) {
	h := w.Header()
	h["Content-Type"] = headerEventStream
	h["Cache-Control"] = headerNoTransform
	h["Connection"] = headerKeepAlive
	h["X-Accel-Buffering"] = headerNoBuffering
	if turnID != "" {
		h["Belay-Turn"] = []string{oneLine(turnID)}
	}
	w.WriteHeader(http.StatusOK)
}

// position returns the sequence after which a stream begins. Last-Event-ID, which
// a browser sends when it reconnects to the same URL, wins over after.
func position(r *http.Request, after string) (int64, error) {
	name, s := "Last-Event-ID", r.Header.Get("Last-Event-ID")
	if s == "" {
		name, s = "after", after
	}
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.New(fault.InvalidRequest, "%s must be a sequence number, 0 or above", name).With("field", name)
	}
	return n, nil
}
