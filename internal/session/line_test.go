package session

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
)

func TestEncodedEventsAreTheirLines(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.FixedZone("x", 3600))
	b, err := encodeEvents([]event.Draft{
		{Type: event.ChatDelta, Data: event.Text{Text: "<a> \u2028 \"q\"\n\x00ü"}},
		{Type: event.ProcessExit, Data: nil},
	}, "turn \"1\"", 41, now)
	must(t, err)
	want := `{"seq":42,"turn":"turn \"1\"","time":"2026-03-01T11:00:00.123456Z","type":"chat:delta","data":{"text":"<a> \u2028 \"q\"\n\u0000ü"}}` + "\n" +
		`{"seq":43,"turn":"turn \"1\"","time":"2026-03-01T11:00:00.123456Z","type":"process:exit","data":null}` + "\n"
	if diff := cmp.Diff(want, string(b.lines)); diff != "" {
		t.Fatal(diff)
	}
	start := 0
	for i, e := range b.evs {
		got, err := parseEvent(b.lines[start:b.ends[i]])
		must(t, err)
		if diff := cmp.Diff(e, got); diff != "" {
			t.Error(diff)
		}
		if seqOf(b.lines[start:b.ends[i]]) != e.Seq {
			t.Error("the quick look at the sequence is wrong")
		}
		start = b.ends[i]
	}
	if _, err := encodeEvents([]event.Draft{{Type: event.Usage, Data: func() {}}}, "t", 0, now); err == nil {
		t.Error("data that JSON cannot hold: no error")
	}
}

// A log is some whole events and then anything at all: what is read back are
// exactly those events, and of the rest only lines that continue them.
func FuzzLogPrefix(f *testing.F) {
	f.Add(3, []byte("garbage\nmore"))
	f.Add(1, []byte(`{"seq":2,"turn":"t","time":"2026-03-01T11:00:00Z","type":"x","data":{}}`))
	f.Add(2, []byte(`{"seq":1,"turn":"t","time":"2026-03-01T11:00:00Z","type":"x","data":{}}`+"\n"))
	f.Add(0, []byte(`{"seq":-1}`+"\n"+`{"seq":9999999999999999999,"x":1}`+"\n\n\x00\n"))
	f.Fuzz(func(t *testing.T, n int, rest []byte) {
		n &= 7
		var drafts []event.Draft
		for range n {
			drafts = append(drafts, event.Draft{Type: event.ChatDelta, Data: event.Text{Text: "valid"}})
		}
		b, err := encodeEvents(drafts, "t", 0, time.Unix(0, 0))
		must(t, err)
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		must(t, err)
		defer func() { must(t, root.Close()) }()
		must(t, root.Mkdir(dirLog, 0o700))
		content := append(bytes.Clone(b.lines), rest...)
		must(t, root.WriteFile(segmentName(1), content, 0o600))

		p, err := parseSegment(bytes.NewReader(content), 1, 0, int64(len(content)), 0, batchBytes)
		must(t, err)
		got, at := p.evs, p.end
		if len(got) < n && len(got) > 0 {
			t.Fatalf("%d of %d valid events were read", len(got), n)
		}
		for i, e := range got {
			if i < n && (!e.Time.Equal(b.evs[i].Time) || string(e.Data) != string(b.evs[i].Data) || e.Seq != int64(i+1)) {
				t.Errorf("event %d became %v", i+1, e)
			}
			if i > 0 && e.Seq != got[i-1].Seq+1 {
				t.Errorf("event %d follows %d", e.Seq, got[i-1].Seq)
			}
		}
		if at.off > 0 && content[at.off-1] != '\n' {
			t.Errorf("the position %d is inside a line", at.off)
		}
		// Without a terminated line in the rest, nothing but the prefix.
		if !bytes.Contains(rest, []byte("\n")) && (len(got) != n || at.off != int64(len(b.lines))) {
			t.Errorf("%d events up to %d, want %d up to %d", len(got), at.off, n, len(b.lines))
		}
	})
}
