package index

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"belay/internal/workspace/layout"
)

// A proposal is a change, whether the system tells of it or the folder is looked at, and
// whether belay's own folder was there before or is made for it.
func TestProposalsAreChanges(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{Events, Polling} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			if mode == Events && runtime.GOOS != "linux" {
				t.Skip("skipped: only Linux tells of changes")
			}
			o := Options{Poll: 20 * time.Millisecond, Recheck: time.Hour}
			if mode == Events {
				o.MaxWatches = watching
			}
			root := t.TempDir()
			put(t, root, "PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md", "**Current State:** OPEN")
			set := newSet(t, o)
			sub, _, err := set.Subscribe(t.Context(), root, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
			next := func(what string) {
				t.Helper()
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				for {
					c, gap, err := sub.Next(ctx)
					if err != nil || gap {
						t.Fatalf("%s: gap %v, %v", what, gap, err)
					}
					if len(c.Paths) > 0 || len(c.Deliverables) > 0 {
						t.Errorf("%s: the change has %+v", what, c)
					}
					if c.Proposals {
						return
					}
				}
			}
			write := func(name, text string) {
				t.Helper()
				whole := filepath.Join(t.TempDir(), name) // as belay does, which renames
				if err := os.WriteFile(whole, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(filepath.Join(root, layout.Proposals), 0o700); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Millisecond) // the clock of the file system must move
				if err := os.Rename(whole, filepath.Join(root, layout.Proposals, name)); err != nil {
					t.Fatal(err)
				}
			}
			write("proposal-0001.json", "{}")
			next("the first")
			write("proposal-0002.json", "{}")
			next("another")
			write("proposal-0001.json", `{"state":"applied"}`)
			next("one that is closed")
			// What else lies in that folder is none of the project's.
			put(t, root, ".belay/sessions/s1/session.json", "{}")
			if err := os.RemoveAll(filepath.Join(root, layout.Proposals)); err != nil {
				t.Fatal(err)
			}
			next("none any more")
		})
	}
}
