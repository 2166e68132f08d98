package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"belay/internal/event"
)

// timeFormat is an event's time: UTC, microseconds.
const timeFormat = "2006-01-02T15:04:05.000000Z"

// batch is what one call appends: log lines, and the events in them. An event is
// encoded once for its file and all its readers; its data is a copy that holds
// nothing else in memory, because events stay there long after their lines.
type batch struct {
	lines []byte
	evs   []event.Event
	ends  []int // where each event's line ends in lines
}

// encodeEvents gives drafts the sequences after last and encodes them.
func encodeEvents(drafts []event.Draft, turn string, last int64, now time.Time) (batch, error) {
	now = now.UTC().Truncate(time.Microsecond)
	stamp := now.Format(timeFormat)
	var (
		w      bytes.Buffer
		enc    = json.NewEncoder(&w)
		starts = make([]int, len(drafts))
		size   int // of all data
		b      = batch{evs: make([]event.Event, len(drafts)), ends: make([]int, len(drafts))}
	)
	enc.SetEscapeHTML(false)
	w.Grow(256 * len(drafts)) // most events are shorter
	for i, d := range drafts {
		seq := last + int64(i) + 1
		w.WriteString(`{"seq":`)
		w.Write(strconv.AppendInt(w.AvailableBuffer(), seq, 10))
		w.WriteString(`,"turn":`)
		w.Write(event.AppendString(w.AvailableBuffer(), turn))
		w.WriteString(`,"time":"` + stamp + `","type":`)
		w.Write(event.AppendString(w.AvailableBuffer(), d.Type))
		w.WriteString(`,"data":`)
		start := w.Len()
		if err := enc.Encode(d.Data); err != nil {
			return batch{}, fmt.Errorf("encode event %s: %w", d.Type, err)
		}
		w.Truncate(w.Len() - 1) // Encode ends with a line end
		size += w.Len() - start
		b.evs[i] = event.Event{Seq: seq, Turn: turn, Time: now, Type: d.Type}
		w.WriteString("}\n")
		starts[i], b.ends[i] = start, w.Len()
	}
	b.lines = w.Bytes() // the buffer has stopped moving
	data := make([]byte, 0, size)
	for i, start := range starts {
		from := len(data)
		data = append(data, b.lines[start:b.ends[i]-len("}\n")]...)
		b.evs[i].Data = data[from:len(data):len(data)]
	}
	return b, nil
}

// maxSeq is the largest sequence that a line may have: every reader's language
// counts that far exactly. A line that claims more was not written by belay.
const maxSeq = 1<<53 - 1

var errNotEvent = errors.New("not an event")

// parseEvent reads one line of a log.
func parseEvent(b []byte) (event.Event, error) {
	var e event.Event
	if len(b) == 0 || b[len(b)-1] != '\n' {
		return e, fmt.Errorf("%w: a line longer than %d bytes", errNotEvent, maxLine)
	}
	if err := json.Unmarshal(b, &e); err != nil {
		return e, fmt.Errorf("%w: %w", errNotEvent, err)
	}
	if e.Seq < 1 || e.Seq > maxSeq || e.Type == "" || len(e.Data) == 0 {
		return e, fmt.Errorf("%w: no good sequence, no type or no data", errNotEvent)
	}
	return e.Renamed(), nil
}

// headSeq reads the sequence at the beginning of a line that may be cut off, 0
// where it does not begin as belay writes it.
func headSeq(b []byte) int64 {
	const head = `{"seq":`
	if rest, ok := bytes.CutPrefix(b, []byte(head)); ok {
		if i := bytes.IndexByte(rest, ','); i > 0 && i < 20 {
			if n, err := strconv.ParseInt(string(rest[:i]), 10, 64); err == nil && n > 0 && n <= maxSeq {
				return n
			}
		}
	}
	return 0
}

// seqOf reads only a line's sequence, 0 when it is not an event.
func seqOf(b []byte) int64 {
	if n := headSeq(b); n > 0 && bytes.HasSuffix(b, []byte("}\n")) {
		return n
	}
	e, err := parseEvent(b)
	if err != nil {
		return 0
	}
	return e.Seq
}
