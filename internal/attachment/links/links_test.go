package links

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment/block"
)

func open(t *testing.T, dir string, clock func() time.Time) *Store {
	t.Helper()
	s, err := Open(dir, clock)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *Store) knows(t *testing.T, it block.Item) string {
	t.Helper()
	address, err := s.Address(it)
	must(t, err)
	return address
}

// The whole address is in a file that only its owner reads. Everybody else has an id, and
// another process finds the address by it.
func TestKeep(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "links")
	s := open(t, dir, time.Now)
	upload := block.Item{SHA256: strings.Repeat("0a", 32)}
	kept, err := s.Keep([]block.Item{
		{ID: "discord:1", URL: "https://cdn.example/a?hm=1"}, {URL: "https://cdn.example/f?id=1"}, {URL: "https://cdn.example/f?id=2"},
		upload, {URL: "file:///etc/passwd"},
	})
	must(t, err)
	if len(kept) != 4 || kept[0].ID != "discord:1" || kept[1].ID == kept[2].ID || kept[1].ID == "" || kept[3] != upload {
		t.Fatalf("kept %+v", kept)
	}
	for _, it := range kept {
		if strings.Contains(it.URL, "?") {
			t.Errorf("%+v has a query", it)
		}
	}
	other := open(t, dir, time.Now)
	got := []string{other.knows(t, kept[0]), other.knows(t, kept[1]), other.knows(t, kept[2])}
	if diff := cmp.Diff([]string{"https://cdn.example/a?hm=1", "https://cdn.example/f?id=1", "https://cdn.example/f?id=2"}, got); diff != "" {
		t.Errorf("addresses (-want +got)\n%s", diff)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	for _, f := range files {
		info, err := os.Stat(f)
		must(t, err)
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", f, info.Mode())
		}
	}

	// A damaged file, or a folder that somebody removed, leaves the address without its query.
	must(t, os.WriteFile(files[0], []byte(`{"url":`), 0o600))
	must(t, os.WriteFile(files[1], nil, 0o600))
	must(t, os.WriteFile(files[2], []byte("x"), 0o600))
	if got := s.knows(t, kept[0]); got != "https://cdn.example/a" {
		t.Errorf("of a damaged file the address is %q", got)
	}
	if runtime.GOOS == "windows" {
		return // no folder is removed that is open
	}
	must(t, os.RemoveAll(dir))
	if got := s.knows(t, kept[0]); got != "https://cdn.example/a" {
		t.Errorf("without a file the address is %q", got)
	}
	_, err = s.Keep([]block.Item{{ID: "discord:1", URL: "https://cdn.example/a?hm=2"}})
	must(t, err)
	if got := s.knows(t, kept[0]); got != "https://cdn.example/a?hm=2" {
		t.Errorf("the newer address is %q", got)
	}
}

// surface gives an address, or an error.
type surface struct {
	address string
	err     error
}

func (s surface) Renew(context.Context, string) (string, error) { return s.address, s.err }

// Only the surface that a file came through is asked. Its errors reach nobody but the log,
// unless they were made for the model.
func TestRenew(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), time.Now)
	s.Provide("good:", surface{address: "https://cdn.example/a?hm=new"})
	s.Provide("gone:", surface{err: &GoneError{Reason: "the message was deleted"}})
	s.Provide("down:", surface{err: errors.New("token=secret")})
	s.Provide("bad:", surface{address: "file:///etc/passwd"})
	for id, want := range map[string]string{
		"good:1": "", "gone:1": "the message was deleted (ask the person to send the file again)",
		"down:1": "its address has expired, and a new one could not be had (ask the person to send the file again)",
		"bad:1":  "its address has expired, and a new one could not be had (ask the person to send the file again)",
		"none:1": "its address has expired (ask the person to send the file again)", "": "its address has expired (ask the person to send the file again)",
	} {
		it := block.Item{ID: id, URL: "https://cdn.example/a"}
		address, err := s.Renew(context.Background(), it)
		var gone *GoneError
		switch {
		case want == "" && (err != nil || address != "https://cdn.example/a?hm=new" || s.knows(t, it) != address):
			t.Errorf("%s: %q, %v", id, address, err)
		case want != "" && (!errors.As(err, &gone) || err.Error() != want):
			t.Errorf("%s: %v, want %s", id, err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Renew(ctx, block.Item{ID: "down:1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("at the end of the turn: %v", err)
	}
}

// Old addresses go: they have expired long ago.
func TestSweep(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := open(t, t.TempDir(), func() time.Time { return now })
	it := block.Item{ID: "a", URL: "https://cdn.example/a?hm=1"}
	_, err := s.Keep([]block.Item{it})
	must(t, err)
	must(t, s.Sweep(context.Background()))
	if s.knows(t, it.Public()) != it.URL {
		t.Error("a new address is gone")
	}
	now = now.Add(Age + time.Hour)
	must(t, s.Sweep(context.Background()))
	if s.knows(t, it.Public()) == it.URL {
		t.Error("an old address is there")
	}
}
