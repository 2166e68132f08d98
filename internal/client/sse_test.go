package client

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// decodeAll returns the events of a stream and why it ended.
func decodeAll(r io.Reader, limit int) ([]message, error) {
	var all []message
	for d := newDecoder(r, limit); ; {
		m, err := d.next()
		if err != nil {
			return all, err
		}
		all = append(all, m)
	}
}

func TestDecoder(t *testing.T) {
	t.Parallel()
	event := func(id, name, data string) message { return message{id: id, event: name, data: []byte(data)} }
	for _, c := range []struct {
		name, stream string
		want         []message
	}{
		{"belay's own form", "id: 1\nevent: a\ndata: {}\n\nid: 2\nevent: b\ndata: {\"x\":1}\n\n", []message{event("1", "a", "{}"), event("2", "b", `{"x":1}`)}},
		{"the original's form has no ids", "event: a\ndata: {}\n\n", []message{event("", "a", "{}")}},
		{"no space after the colon", "event:a\ndata:{}\n\n", []message{event("", "a", "{}")}},
		{"only one space is dropped", "event: a\ndata:  x \n\n", []message{event("", "a", " x ")}},
		{"CR and CRLF end lines", "event: a\r\ndata: 1\r\n\r\nevent: b\rdata: 2\r\r", []message{event("", "a", "1"), event("", "b", "2")}},
		{"data lines are joined", "data: 1\ndata: 2\ndata\n\n", []message{event("", "", "1\n2\n")}},
		{"comments and unknown fields are skipped", ":keepalive\n\nretry: 5\nfoo: bar\ndata: 1\n\n", []message{event("", "", "1")}},
		{"no data, no event", "event: a\nid: 7\n\ndata: 1\n\n", []message{event("", "", "1")}},
		{"an id with a NUL is no id", "id: a\x00b\ndata: 1\n\n", []message{event("", "", "1")}},
		{"a byte order mark at the start only", "\ufeffdata: 1\n\n\ufeffdata: 2\n\n", []message{event("", "", "1")}},
		{"what the end cuts off is dropped", "data: 1\n\ndata: 2\n", []message{event("", "", "1")}},
		{"empty", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := decodeAll(strings.NewReader(c.stream), 1<<10)
			if !errors.Is(err, io.EOF) {
				t.Errorf("ended with %v", err)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(message{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecoderCapsEvents(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]string{
		"one line":     "data: " + strings.Repeat("x", 100) + "\n\n",
		"many lines":   strings.Repeat("data: 0123456789\n", 10) + "\n",
		"no data line": ":" + strings.Repeat("x", 100) + "\n\n",
	} {
		if _, err := decodeAll(strings.NewReader(stream), 64); !errors.Is(err, errTooLong) {
			t.Errorf("%s: ended with %v", name, err)
		}
	}
	if got, err := decodeAll(strings.NewReader("data: "+strings.Repeat("x", 50)+"\n\n"), 64); len(got) != 1 || !errors.Is(err, io.EOF) {
		t.Errorf("within the cap: %v, %v", got, err)
	}
}

// FuzzDecoder: how a stream is cut into reads changes nothing, and whatever was
// read can be written in belay's own form and read again.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte("id: 1\nevent: a\ndata: {}\n\n"))
	f.Add([]byte("\ufeff:c\r\ndata\r\rdata: a\ndata: b\r\n\r\n"))
	f.Add([]byte("id:\x00\nid: 5\n\n\ndata:\n\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, wholeErr := decodeAll(bytes.NewReader(stream), 256)
		pieces, piecesErr := decodeAll(iotest.OneByteReader(bytes.NewReader(stream)), 256)
		if diff := cmp.Diff(whole, pieces, cmp.AllowUnexported(message{})); diff != "" {
			t.Fatalf("cut into single bytes the stream reads differently:\n%s", diff)
		}
		if errors.Is(wholeErr, errTooLong) != errors.Is(piecesErr, errTooLong) {
			t.Fatalf("ended with %v whole, %v in pieces", wholeErr, piecesErr)
		}
		var again bytes.Buffer
		for _, m := range whole {
			if m.id != "" {
				again.WriteString("id: " + m.id + "\n")
			}
			again.WriteString("event: " + m.event + "\n")
			for line := range bytes.SplitSeq(m.data, []byte("\n")) {
				again.WriteString("data: " + string(line) + "\n")
			}
			again.WriteString("\n")
		}
		second, _ := decodeAll(&again, 1<<16)
		if diff := cmp.Diff(whole, second, cmp.AllowUnexported(message{})); diff != "" {
			t.Fatalf("written and read again:\n%s", diff)
		}
	})
}
