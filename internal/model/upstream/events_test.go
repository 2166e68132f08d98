package upstream

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// said is an event as a test sees it.
type said struct{ Name, Data string }

func readEvents(r io.Reader, most int64) (all []said, err error) {
	e := NewEvents(r, most)
	for e.Next() {
		all = append(all, said{string(e.Name()), string(e.Data())})
	}
	return all, e.Err()
}

// What is read of a stream is what the SDK's decoder reads, however the bytes come.
func TestEventsAreWhatTheSDKReads(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{
		"", "", "", "event: a", "event:b", "event", "event:", "data: {}", "data:x", "data", "data:", "data:  y ", "data: {\"a\":\"é\"}",
		": a comment", ":", "id: 1", "retry: 5", " data: z", "\ufeffdata: z", "data: " + strings.Repeat("long", 2000),
	})
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		stream := strings.Join(rapid.SliceOfN(line, 0, 20).Draw(t, "lines"), end)
		var want []said
		theirs := ssestream.NewDecoder(&http.Response{Body: io.NopCloser(strings.NewReader(strings.TrimPrefix(stream, "\ufeff")))})
		for theirs.Next() {
			e := theirs.Event()
			want = append(want, said{e.Type, strings.TrimSuffix(string(e.Data), "\n")})
		}
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(stream), "halves": iotest.HalfReader(strings.NewReader(stream)), "bytes": iotest.OneByteReader(strings.NewReader(stream)),
		} {
			got, err := readEvents(r, 1<<20)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Fatalf("%s of %q: %v (-SDK +ours):\n%s", name, stream, err, diff)
			}
		}
	})
}

func TestEventsAreCapped(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stream string
		events int
		capped bool
	}{
		"a line of just the cap":      {"data: 0123\n\n", 1, false},
		"with the other end":          {"data: 012\r\n\r\n", 1, false},
		"one more":                    {"data: 01234\n\n", 0, true},
		"one more that has no end":    {"data: 01234", 0, true},
		"an event of too many lines":  {"data:x\n\n" + strings.Repeat("data:\n", 12) + "\n", 1, true},
		"as many as there may be":     {strings.Repeat("data:\n", 11) + "\n", 1, false},
		"a comment that has no end":   {":" + strings.Repeat("x", 1000), 0, true},
		"what the end cuts off":       {"data:x\n\ndata:y\n", 1, false},
		"a name that comes twice":     {"event:a\nevent:b\n\n", 1, false},
		"nothing":                     {"", 0, false},
		"a thousand lines of nothing": {strings.Repeat("\n", 1000), 0, false},
	} {
		got, err := readEvents(iotest.HalfReader(strings.NewReader(tt.stream)), 10)
		var line *lineError
		if len(got) != tt.events || errors.As(err, &line) != tt.capped || (err != nil) != tt.capped {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := readEvents(iotest.OneByteReader(strings.NewReader("\ufeffevent: a\ndata: x\n\n")), 20); err != nil || len(got) != 1 || got[0] != (said{"a", "x"}) {
		t.Errorf("behind a byte order mark: %q, %v", got, err)
	}
	broken := errors.New("broken")
	if got, err := readEvents(io.MultiReader(strings.NewReader("data:x\n\nda"), iotest.ErrReader(broken)), 10); len(got) != 1 || !errors.Is(err, broken) {
		t.Errorf("a broken connection: %q, %v", got, err)
	}
}

// An answer of any length takes the same memory.
func TestEventsMakeNothingAnew(t *testing.T) {
	const events = 1000
	stream := strings.Repeat("event: content_block_delta\ndata: {\"text\":\"some words\"}\n\n", events)
	made := testing.AllocsPerRun(5, func() {
		if got := NewEvents(strings.NewReader(stream), 1<<20); !got.Next() || !drained(got) {
			t.Fatal(got.Err())
		}
	})
	if made > 20 {
		t.Errorf("%.0f allocations for %d events", made, events)
	}
}

func drained(e *Events) bool {
	for e.Next() {
		continue
	}
	return e.Err() == nil
}
