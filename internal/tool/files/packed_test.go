package files

import (
	"errors"
	"strings"
	"testing"

	"belay/internal/session"
	"belay/internal/tool"
)

// What a pack has at a place is proved by its hash: a record that is wrong shows and
// restores nothing else.
func TestContentsOfAPackAreProved(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	pack, _, err := x.blobs.Put(t.Context(), strings.NewReader("one\ntwo\n"), 100)
	must(t, err)
	right := session.Change{Path: "f", Pack: pack, Before: tool.Digest([]byte("one\n")), BeforeBytes: 4, After: tool.Digest([]byte("two\n")), AfterBytes: 4, AfterAt: 4}
	wrong := right
	wrong.AfterAt = 3
	if _, err := KeptContent(x.blobs, right, right.After, 4, right.AfterAt); err != nil {
		t.Error(err)
	}
	if _, err := KeptContent(x.blobs, wrong, wrong.After, 4, wrong.AfterAt); !errors.Is(err, session.ErrNoBlob) {
		t.Errorf("%v", err)
	}
	if diff, err := Diff(x.blobs, right); err != nil || !strings.Contains(diff, "+two") {
		t.Errorf("%q, %v", diff, err)
	}
	if diff, err := Diff(x.blobs, wrong); err != nil || !strings.Contains(diff, "were not kept") {
		t.Errorf("%q, %v", diff, err)
	}
}
