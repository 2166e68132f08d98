package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/api"
	"belay/internal/fault"
	"belay/internal/session"
)

// A look writes in the state folder, and in the projects in use, at most every ten
// seconds. A project that takes no writes is listed until it takes one, and does not
// make the server unready; the state folder does.
func TestReadiness(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	full := &fs.PathError{Op: "write", Path: "/secret/path", Err: syscall.ENOSPC}
	broken, looks := map[string]error{}, map[string]int{}
	bridge, tower := t.TempDir(), t.TempDir()
	homes := []session.Home{{Root: "/srv/bridge", Folder: bridge}, {Root: "/srv/tower", Folder: tower}}
	var gone error
	r := &readiness{
		clock: func() time.Time { return now }, state: "state",
		restore: func() error { return gone },
		probe:   func(dir string) error { looks[dir]++; return broken[dir] },
		homes:   func() []session.Home { return homes },
	}
	check := func(what string, want []api.Unwritable, wantErr string) {
		t.Helper()
		state, err := r.look()
		var message string
		if err != nil {
			message = fault.From(err).Message
		}
		if diff := cmp.Diff(want, state.Projects); diff != "" || message != wantErr {
			t.Errorf("%s: %q, projects (-want +got):\n%s", what, message, diff)
		}
	}
	later := func(d time.Duration) { now = now.Add(d) }

	check("all is well", nil, "")
	broken["state"] = full
	later(9 * time.Second)
	check("after nine seconds nobody looks again", nil, "")
	if looks["state"] != 1 || looks[bridge] != 1 {
		t.Errorf("looked %v", looks)
	}
	later(time.Second)
	check("a full disk", nil, "the state folder cannot be written: no space left on device")
	delete(broken, "state")
	check("the next request hears the same", nil, "the state folder cannot be written: no space left on device")
	broken[bridge] = &os.PathError{Op: "open", Path: "/secret/path", Err: syscall.EROFS}
	unwritable := []api.Unwritable{{ProjectRoot: "/srv/bridge", Reason: "read-only file system"}}
	later(10 * time.Second)
	check("a project", unwritable, "")
	homes = homes[1:]
	later(10 * time.Second)
	check("a project that is not in use any more", unwritable, "")
	delete(broken, bridge)
	later(10 * time.Second)
	check("the project takes writes again", nil, "")
	gone = &fs.PathError{Op: "mkdir", Path: "/secret/path", Err: syscall.EMFILE}
	later(10 * time.Second)
	check("too many open files", nil, "the state folder cannot be written: too many open files")
}

// What a server goes without is listed once for each part, until it has it.
func TestMissingParts(t *testing.T) {
	t.Parallel()
	r := &readiness{clock: time.Now, state: t.TempDir(), restore: func() error { return nil }, probe: probe, homes: func() []session.Home { return nil }}
	r.lacks("a", "no a", syscall.ENOSPC)
	r.lacks("b", "no b", errors.New("because"))
	r.lacks("a", "no a", syscall.EFBIG)
	state, err := r.look()
	want := []api.Missing{{Part: "a", Reason: "file too large", Effect: "no a"}, {Part: "b", Reason: "because", Effect: "no b"}}
	if diff := cmp.Diff(want, state.Missing); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if checks := r.checks(); len(checks) != 2 || checks[0].Level != Problem || checks[0].Name != "server: a" {
		t.Errorf("doctor says %+v", checks)
	}
	r.has("a")
	if diff := cmp.Diff(want[1:], r.without()); diff != "" {
		t.Error(diff)
	}
}

// A probe writes and leaves nothing, and says why where it cannot write.
func TestProbe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := probe(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := probe(filepath.Join(dir, "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
