//go:build unix

package journal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"belay/internal/journal"
)

// A file that is replaced keeps its owner and its permissions, no matter who changes it;
// what is new in a folder that passes on its group gets that.
func TestOwners(t *testing.T) {
	t.Parallel()
	user, group := os.Geteuid(), os.Getegid()
	if user == 0 { // who else may give files away
		user, group = 1234, 5678
	}
	s := newSite(t)
	s.fill(map[string]string{"f": "1", "team/": ""})
	at := func(name string) string { return filepath.Join(s.project, name) }
	must(t, os.Chown(at("f"), user, group))
	must(t, os.Chmod(at("f"), 0o640))
	must(t, os.Chown(at("team"), -1, group))
	must(t, os.Chmod(at("team"), 0o775|fs.ModeSetgid))
	must(t, s.apply(replace("f", "1", "2"), create("team/g", "3"), mkdir("team/d"), create("team/d/h", "4")))
	for name, want := range map[string]struct {
		user int
		mode fs.FileMode
	}{"f": {user, 0o640}, "team/g": {os.Geteuid(), 0o644}, "team/d/h": {os.Geteuid(), 0o644}, "team/d": {os.Geteuid(), 0o755 | fs.ModeSetgid | fs.ModeDir}} {
		info, err := os.Stat(at(name))
		must(t, err)
		is := info.Sys().(*syscall.Stat_t)
		if int(is.Uid) != want.user || int(is.Gid) != group || info.Mode() != want.mode {
			t.Errorf("%s is of %d:%d with %v, want %d:%d with %v", name, is.Uid, is.Gid, info.Mode(), want.user, group, want.mode)
		}
	}
	var changes []journal.Change
	changes = append(changes, journal.Change{Op: journal.Mode, Path: "f", Before: journal.State{Type: journal.File, Mode: 0o644}, After: journal.State{Type: journal.File, Mode: 0o600}})
	if err := s.apply(changes...); err == nil {
		t.Error("permissions were changed that are not what was reviewed")
	}
}
