//go:build unix

package test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe in the place of an export is refused, not waited for.
func TestImportOfAPipe(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	pipe := filepath.Join(p.project, "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	out, err := p.command("session", "import", pipe).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "not a regular file") {
		t.Errorf("%v\n%s", err, out)
	}
}
