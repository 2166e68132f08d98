package chat

import (
	"context"
	"strings"
	"testing"
)

// TestUploadsTakeTheirTime: what is sent into a running turn has no limit of time for its files,
// as what begins a turn has none.
func TestUploadsTakeTheirTime(t *testing.T) {
	t.Parallel()
	uploads, bounded := 0, false
	s := newStage(t, func(o *Options) {
		o.Upload = func(ctx context.Context, _, path string) (string, error) {
			_, has := ctx.Deadline()
			uploads, bounded = uploads+1, bounded || has
			return path, nil
		}
	})
	s.m.outbox.attached = []string{"/a/b.pdf"}
	s.begun()
	s.m.outbox.attached = []string{"/a/c.pdf"}
	s.say("look at this")
	if uploads == 0 || bounded {
		t.Errorf("%d uploads, with a deadline: %v", uploads, bounded)
	}
}

// TestALongTextCanBeShortened: keys that add no text work in a text that takes no more.
func TestALongTextCanBeShortened(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for range maxTyped/1900 + 5 {
		s.m.editor.paste(strings.Repeat("x", 1900))
	}
	before := len(s.m.editor.area.Value())
	if before <= maxTyped {
		t.Fatalf("the text has %d bytes", before)
	}
	s.press("backspace")
	if after := len(s.m.editor.area.Value()); after >= before {
		t.Errorf("%d bytes, and then %d", before, after)
	}
}
