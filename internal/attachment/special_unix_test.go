//go:build unix

package attachment

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is no regular file is refused without reading, waiting or opening a
// device.
//
// Covers: attachment-resolver REQ-04
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(at("real.txt"), []byte("x"), 0o600))
	must(os.Symlink(at("real.txt"), at("link.txt")))
	must(os.Symlink(at("nowhere.txt"), at("dangling.txt")))
	must(os.Symlink(at("loop.txt"), at("loop.txt")))
	must(os.Symlink(dir, at("parent")))
	must(syscall.Mkfifo(at("pipe.txt"), 0o600))
	// A path of a socket is short on every system; the folder's may not be.
	short, err := os.MkdirTemp("", "s")
	must(err)
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	l, err := net.Listen("unix", filepath.Join(short, "s.txt"))
	must(err)
	defer l.Close()

	tests := []struct {
		path string
		code Code
		say  string
	}{
		{at("link.txt"), Symlink, "must be a regular file; symbolic links are rejected"},
		{at("dangling.txt"), Symlink, "symbolic links are rejected"},
		{at("loop.txt"), Symlink, "symbolic links are rejected"},
		{at("pipe.txt"), NotRegular, "must be a regular file, not a named pipe"},
		{filepath.Join(short, "s.txt"), NotRegular, "must be a regular file, not a socket"},
		{at("parent/real.txt"), "", ""}, // only the last element may not be a link
	}
	for _, tt := range tests {
		r := resolve(t, Policy{}, tt.path)
		switch {
		case tt.code == "" && len(r.Items) != 1:
			t.Errorf("%s: %+v", tt.path, r)
		case tt.code != "" && (len(r.Refused) != 1 || r.Refused[0].Code != tt.code || !strings.Contains(r.Refused[0].Reason, tt.say)):
			t.Errorf("%s: got %+v, want %s with %q", tt.path, r, tt.code, tt.say)
		}
	}
}

// Devices cannot be made by everyone, so the open is tried on one that exists.
//
// Covers: attachment-resolver REQ-04
func TestDeviceIsNotOpened(t *testing.T) {
	t.Parallel()
	if f, _, err := openNoFollow("/dev/null"); err == nil {
		_ = f.Close()
		t.Error("a device was opened")
	}
	c := &candidate{path: "/dev/null"}
	if err := c.refuseUnopened(os.ErrInvalid); err != nil || c.refusal.Code != NotRegular || !strings.Contains(c.refusal.Reason, "not a device") {
		t.Errorf("got %+v, %v", c.refusal, err)
	}
}

// A file must really lie in a root: links in its parents are followed for the
// decision, and a path outside tells nothing about what is there.
//
// Covers: attachment-resolver REQ-01
func TestRoots(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	root, outside := filepath.Join(base, "root"), filepath.Join(base, "rootless")
	alias := filepath.Join(base, "alias")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(root, "sub"), 0o700))
	must(os.Mkdir(outside, 0o700))
	for _, dir := range []string{root, filepath.Join(root, "sub"), outside} {
		must(os.WriteFile(filepath.Join(dir, "f.txt"), []byte("x"), 0o600))
	}
	must(os.Symlink(outside, filepath.Join(root, "escape")))
	must(os.Symlink(filepath.Join(root, "sub"), filepath.Join(root, "inner")))
	must(os.Symlink(root, alias))
	tests := []struct {
		path string
		code Code
	}{
		{root + "/f.txt", ""},
		{root + "/sub/f.txt", ""},
		{root + "/inner/f.txt", ""},
		{root + "/sub/../f.txt", ""},
		{alias + "/f.txt", ""},
		{root + "/missing.txt", NotFound},
		{root + "/no/missing.txt", NotFound},
		{outside + "/f.txt", OutsideRoots},
		{outside + "/missing.txt", OutsideRoots},
		{base + "/no/missing.txt", OutsideRoots},
		{root + "/escape/f.txt", OutsideRoots},
		{root + "/escape/missing.txt", OutsideRoots},
		{root + "/../rootless/f.txt", OutsideRoots},
	}
	for _, roots := range [][]string{{root}, {alias}, {filepath.Join(base, "gone"), root}} {
		for _, tt := range tests {
			r := resolve(t, Policy{Roots: roots}, tt.path)
			var got Code
			if len(r.Refused) == 1 {
				got = r.Refused[0].Code
			}
			if got != tt.code {
				t.Errorf("roots %v: %s: got %q, want %q", roots, tt.path, got, tt.code)
			}
		}
	}
	if r := resolve(t, Policy{Roots: []string{}}, root+"/f.txt"); len(r.Refused) != 1 || r.Refused[0].Code != OutsideRoots {
		t.Errorf("no roots: %+v", r)
	}
}
