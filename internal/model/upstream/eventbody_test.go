package upstream

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"belay/internal/model"
)

// body returns stream as an SDK reads it, and the number of keep-alives reported so
// far.
func body(stream io.Reader, most int64) (*eventBody, *int) {
	alive := new(int)
	call := &Call{maxLine: most, yield: func(c model.Chunk, _ error) bool {
		if c == (model.Alive{}) {
			*alive++
		}
		return true
	}}
	return newEventBody(context.Background(), call, io.NopCloser(stream)), alive
}

// The bytes pass unchanged, however they come.
func TestEventBodyPassesAllBytes(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{
		"", "", "event: ping", "event:ping", "event: a", "data: {}", "data", ":", ": comment", " :x", "data: event: ping",
		"\ufeffdata: z", "data: " + strings.Repeat("long", 2000),
	})
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		lines := rapid.SliceOfN(line, 0, 20).Draw(t, "lines")
		stream := strings.Join(lines, end)
		want, pings := strings.TrimPrefix(stream, byteOrderMark), 0
		for _, l := range lines[:max(0, len(lines)-1)] { // the last has no end
			if strings.HasPrefix(l, ":") || strings.ReplaceAll(l, " ", "") == "event:ping" {
				pings++
			}
		}
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(stream), "halves": iotest.HalfReader(strings.NewReader(stream)), "bytes": iotest.OneByteReader(strings.NewReader(stream)),
		} {
			b, alive := body(r, 1<<20)
			got, err := io.ReadAll(b)
			if string(got) != want || err != nil || *alive != pings {
				t.Fatalf("%s of %q: %q, %v, %d keep-alives, want %d", name, stream, got, err, *alive, pings)
			}
		}
	})
}

func TestEventsAreCapped(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stream string
		capped bool
	}{
		"a line of just the cap":      {"data: 0123\r\n\r\n", false},
		"one that is too long":        {"data: 012345678\n\n", true},
		"one more that has no end":    {"data: 012345678", true},
		"an event of too many lines":  {"data:x\n\n" + strings.Repeat("data:\n", 12) + "\n", true},
		"many short events":           {strings.Repeat("data:\n\n", 100), false},
		"a comment that has no end":   {":" + strings.Repeat("x", 1000), true},
		"many comments":               {strings.Repeat(": x\n", 100), false},
		"nothing":                     {"", false},
		"a thousand lines of nothing": {strings.Repeat("\n", 1000), false},
	} {
		b, _ := body(iotest.HalfReader(strings.NewReader(tt.stream)), 10)
		_, err := io.ReadAll(b)
		var line *lineError
		if errors.As(err, &line) != tt.capped || (err != nil) != tt.capped {
			t.Errorf("%s: %v", name, err)
		}
		b.call.answered = true
		if got := b.call.Failed(err); !errors.Is(got, err) {
			t.Errorf("%s: the call failed with %v", name, got)
		}
	}
	broken := errors.New("broken")
	b, _ := body(io.MultiReader(strings.NewReader("data:x\n\nda"), iotest.ErrReader(broken)), 10)
	if got, err := io.ReadAll(b); string(got) != "data:x\n\nda" || !errors.Is(err, broken) {
		t.Errorf("a broken connection: %q, %v", got, err)
	}
}

// A caller that has left ends the reading.
func TestEventBodyEndsWhenTheCallerLeaves(t *testing.T) {
	t.Parallel()
	call := &Call{maxLine: 100, answered: true, yield: func(model.Chunk, error) bool { return false }}
	b := newEventBody(context.Background(), call, io.NopCloser(strings.NewReader(": x\ndata: y\n\n")))
	if got, err := io.ReadAll(b); len(got) > 0 || !errors.Is(err, errLeft) || call.Failed(err) != nil {
		t.Errorf("%q, %v", got, err)
	}
}
