package durable

import "testing"

// A flush of all is chosen for many files only, and where little else waits; it works
// wherever it may be chosen.
func TestFlushAll(t *testing.T) {
	t.Parallel()
	root := openRoot(t)
	if FlushesAtOnce(root, manyFlushes-1) {
		t.Error("few files are not flushed one by one")
	}
	if waiting, ok := unwritten(); !ok || waiting < 0 {
		t.Errorf("%d bytes wait to be written, %v", waiting, ok)
	}
	if FlushesAtOnce(root, 1<<40) {
		must(t, WriteNew(root, "f", []byte("x"), 0o600, Cache))
		must(t, FlushAll(root))
	}
}
