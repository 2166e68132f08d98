package session

import (
	"bytes"
	"context"
	"io"
	"os"

	"belay/internal/durable"
)

// TurnEntries returns what the transcript has of one turn, oldest first, with its
// requests; "" is the last turn that has a request of its own. It decodes no
// other lines.
func (s *Store) TurnEntries(ctx context.Context, id, turnID string) ([]Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.states.found(id)
	if err != nil {
		return nil, err
	}
	f, err := openTranscript(p)
	if f == nil || err != nil {
		return nil, unreadable(id, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	entries, err := turnEntries(f, turnID)
	return entries, unreadable(id, err)
}

// span is where a line of a transcript is, and the turn that it is of.
type span struct {
	turn     string
	from, to int64
	request  bool
}

func turnEntries(f *os.File, turnID string) ([]Entry, error) {
	var spans []span
	var end int64
	_, err := durable.Scan(f, maxLine, func(b []byte, to int64) error {
		line := span{from: end, to: to}
		end = to
		var kind EntryKind
		kind, line.turn = headOf(b)
		line.request = kind == EntryRequest
		if s, ok := parseSessionLine(b); ok && s.V > formatVersion {
			return newer(fileTranscript, s.V)
		}
		if kind != "" && (turnID == "" || line.turn == turnID) {
			spans = append(spans, line)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if turnID == "" {
		if turnID, err = lastRequested(f, spans); turnID == "" || err != nil {
			return nil, err
		}
	}
	var entries []Entry
	for _, line := range spans {
		if line.turn != turnID {
			continue
		}
		if e, ok, err := line.read(f); err != nil {
			return nil, err
		} else if ok {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// lastRequested is the turn of the last request that is not a subagent's.
func lastRequested(f *os.File, spans []span) (string, error) {
	for i := len(spans) - 1; i >= 0; i-- {
		if !spans[i].request {
			continue
		}
		e, ok, err := spans[i].read(f)
		if err != nil || ok && e.Manifest != nil && e.Agent == "" {
			return e.Turn, err
		}
	}
	return "", nil
}

// read decodes the line; false means that it is no entry.
func (p span) read(f io.ReaderAt) (Entry, bool, error) {
	b := make([]byte, p.to-p.from)
	if _, err := f.ReadAt(b, p.from); err != nil {
		return Entry{}, false, err
	}
	e, err := parseEntry(b)
	return e, err == nil, nil
}

// headOf reads a line's kind and turn without decoding it, where the line begins
// as belay writes it. The kind of a line that is no entry is "".
func headOf(b []byte) (kind EntryKind, turn string) {
	const before, between = `{"kind":"`, `","turn":"`
	if rest, ok := bytes.CutPrefix(b, []byte(before)); ok {
		k, rest, _ := bytes.Cut(rest, []byte(between))
		t, _, ok := bytes.Cut(rest, []byte(`"`))
		if ok && len(k) < 20 && bytes.IndexByte(t, '\\') < 0 && bytes.IndexByte(k, '"') < 0 {
			return EntryKind(k), string(t)
		}
	}
	if e, err := parseEntry(b); err == nil {
		return e.Kind, e.Turn
	}
	return "", ""
}
