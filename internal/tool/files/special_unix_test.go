//go:build unix

package files

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A pipe, a socket or a device is refused at once, by every tool that opens
// files, and one that takes a file's place never makes a call wait.
func TestSpecialFilesAreRefused(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	must(t, unix.Mkfifo(filepath.Join(x.w.Project, "pipe"), 0o644))
	for _, tl := range []struct {
		name  string
		input in
	}{
		{"read", in{"path": "pipe"}},
		{"write", in{"path": "pipe", "content": "x"}},
		{"edit", in{"path": "pipe", "edits": []in{{"old": "a", "new": "b"}}}},
	} {
		_, err := x.call(tl.name, tl.input)
		refused(t, tl.name, err, "pipe")
	}
	x.put("file", "x")
	c, err := x.prepare("read", in{"path": "file"})
	must(t, err)
	must(t, os.Remove(filepath.Join(x.w.Project, "file")))
	must(t, unix.Mkfifo(filepath.Join(x.w.Project, "file"), 0o644))
	done := make(chan error, 1)
	go func() { _, err := c.Run(t.Context()); done <- err }()
	select {
	case err := <-done:
		refused(t, "a pipe in a file's place", err, "not a file any more")
	case <-time.After(5 * time.Minute):
		t.Fatal("a read waits for a pipe")
	}
	if got := x.ok("list", in{}); got.Text != "file (a pipe)\npipe (a pipe)\n" {
		t.Errorf("list shows %q", got.Text)
	}
}
