package session

import (
	"strings"
	"testing"
)

// A note has a fixed length and is read back as it was.
func TestNoteEncodes(t *testing.T) {
	t.Parallel()
	sum := strings.Repeat("0123456789abcdef", 4)
	for _, n := range []note{
		{},
		{PID: 1, LastSeq: 24, Transcript: position{5396, sum}, Segment: 1, Log: position{6263, sum}},
		{PID: 99, Turn: `turn_"ü<&>\`, InputClosed: true, Boot: true, LastSeq: 1 << 53, Transcript: position{Size: 3}, Log: position{SHA256: "a"}},
	} {
		b, err := n.encode()
		must(t, err)
		if back, ok := decodeNote(b); !ok || back != n || len(b) != noteSize {
			t.Errorf("%+v was read back as %+v, %v", n, back, ok)
		}
	}
	if _, err := (note{Turn: strings.Repeat("x", noteSize)}).encode(); err == nil {
		t.Error("a note that is too long was encoded")
	}
}
