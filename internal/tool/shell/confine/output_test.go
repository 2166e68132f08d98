package confine

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestRecorder holds the recorder to what it promises, however the output comes
// in pieces: the beginning, the end, and a true count between them.
func TestRecorder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(0, 40).Draw(t, "limit")
		pieces := rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 30)).Draw(t, "pieces")
		r := NewRecorder(limit)
		var all []byte
		for _, p := range pieces {
			if n, err := r.Write(p); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
			all = append(all, p...)
		}
		o := r.output()
		kept := len(o.Head) + len(o.Tail)
		if int64(kept)+o.Dropped != int64(len(all)) || int64(kept) > max(limit, 2) {
			t.Fatalf("kept %d, dropped %d of %d", kept, o.Dropped, len(all))
		}
		if !bytes.HasPrefix(all, o.Head) || !bytes.HasSuffix(all, o.Tail) {
			t.Fatalf("%q … %q of %q", o.Head, o.Tail, all)
		}
		if o.Dropped > 0 && int64(kept) != max(limit, 2) {
			t.Fatalf("kept %d of %d", kept, limit)
		}
	})
}
