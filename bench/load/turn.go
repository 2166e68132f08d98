package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Session is one conversation and the turn that is sent in it again and again.
// One goroutine at a time uses it.
type Session struct {
	ID string
	// Last is the sequence of the last event seen; a first turn begins at 1.
	Last int64

	request []byte
	reply   []byte
}

// NewSession prepares turns of a session: body is the JSON of POST
// /api/harness/turn, reply what the assistant must say, nil for anything.
func NewSession(addr, id string, body map[string]any, reply []byte) (*Session, error) {
	full := map[string]any{"sessionId": id}
	for k, v := range body {
		full[k] = v
	}
	data, err := json.Marshal(full)
	if err != nil {
		return nil, err
	}
	return &Session{ID: id, request: newRequest(addr, "/api/harness/turn", data), reply: reply}, nil
}

// Sample is what was measured of one turn, from the first byte of the request.
type Sample struct {
	// First is when the first event was complete, Total when process:exit was.
	First, Total time.Duration
	Events       int
	// ReplyBytes are the bytes of assistant text in deltas.
	ReplyBytes int64
}

// Turn sends the session's turn and reads its stream to the end.
func (c *Conn) Turn(s *Session) (Sample, error) {
	sample, err := c.turn(s, time.Now(), nil)
	if err != nil {
		return sample, fmt.Errorf("session %s after event %d: %w", s.ID, s.Last, err)
	}
	return sample, nil
}

// turn reads a turn that began at start; each, when set, sees every event.
func (c *Conn) turn(s *Session, start time.Time, each func(name string, data []byte)) (Sample, error) {
	body, err := c.post(s.request)
	if err != nil {
		return Sample{}, err
	}
	r := reading{session: s, start: start, each: each}
	c.lines.Reset(body)
	for {
		line, err := c.lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		if err != nil {
			return r.sample, fmt.Errorf("read stream: %w", err)
		}
		if err := r.line(line[:len(line)-1]); err != nil {
			return r.sample, err
		}
	}
	if !r.over {
		return r.sample, errors.New("the stream ended without process:exit")
	}
	if s.reply != nil && r.said != len(s.reply) {
		return r.sample, fmt.Errorf("the reply has %d bytes, not %d", r.said, len(s.reply))
	}
	return r.sample, c.finish()
}

// reading is the state of one stream.
type reading struct {
	session *Session
	start   time.Time
	each    func(string, []byte)

	name   string
	said   int
	over   bool
	sample Sample
}

var (
	prefixID    = []byte("id: ")
	prefixEvent = []byte("event: ")
	prefixData  = []byte("data: ")
	deltaOpen   = []byte(`{"text":"`)
	deltaClose  = []byte(`"}`)
	exitedWell  = []byte(`"exitCode":0`)
)

// line takes one line of the stream without its end.
func (r *reading) line(line []byte) error {
	switch {
	case len(line) == 0:
		if r.name == "" {
			return nil
		}
		r.sample.Events++
		if r.sample.Events == 1 {
			r.sample.First = time.Since(r.start)
		}
		if r.over {
			r.sample.Total = time.Since(r.start)
		}
		r.name = ""
	case r.over:
		return fmt.Errorf("%q after process:exit", line)
	case line[0] == ':':
	case bytes.HasPrefix(line, prefixID):
		return r.id(line[len(prefixID):])
	case bytes.HasPrefix(line, prefixEvent):
		r.name = eventName(line[len(prefixEvent):])
	case bytes.HasPrefix(line, prefixData):
		return r.data(line[len(prefixData):])
	default:
		return fmt.Errorf("line %q is not of an event stream", line)
	}
	return nil
}

func (r *reading) id(digits []byte) error {
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return fmt.Errorf("event id %q", digits)
	}
	if n != r.session.Last+1 {
		return fmt.Errorf("event id %d follows %d", n, r.session.Last)
	}
	r.session.Last = n
	return nil
}

func (r *reading) data(data []byte) error {
	if r.each != nil {
		r.each(r.name, data)
	}
	switch r.name {
	case "chat:delta":
		return r.delta(data)
	case "turn:error":
		return fmt.Errorf("turn:error %s", data)
	case "process:exit":
		if !bytes.Contains(data, exitedWell) {
			return fmt.Errorf("process:exit %s", data)
		}
		r.over = true
	}
	return nil
}

// delta checks that a piece of text is the next one of the expected reply. The
// texts of the benchmark need no escapes in JSON, so bytes can be compared.
func (r *reading) delta(data []byte) error {
	text, ok := bytes.CutPrefix(data, deltaOpen)
	if ok {
		text, ok = bytes.CutSuffix(text, deltaClose)
	}
	if !ok {
		return fmt.Errorf("chat:delta %s", data)
	}
	if want := r.session.reply; want != nil {
		if len(text) > len(want)-r.said || !bytes.Equal(text, want[r.said:r.said+len(text)]) {
			return fmt.Errorf("the reply differs from the words sent after byte %d: %q", r.said, text)
		}
	}
	r.said += len(text)
	r.sample.ReplyBytes += int64(len(text))
	return nil
}

// eventName avoids a string per event for the names that make up a stream.
func eventName(name []byte) string {
	switch string(name) {
	case "chat:delta":
		return "chat:delta"
	case "process:exit":
		return "process:exit"
	}
	return string(name)
}
