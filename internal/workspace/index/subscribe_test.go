package index

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// A change right after Subscribe is reported, also of a file that no listing has and in
// a project of many folders.
func TestSubscribeMissesNothing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for n := range 2000 {
		put(t, root, fmt.Sprintf("PKG-01_a/1_Working/DEL-01-%04d_x/_STATUS.md", n), "**Current State:** OPEN")
	}
	set := newSet(t, Options{Poll: time.Hour, Recheck: time.Hour, MaxWatches: DefaultWatches})
	sub, now, err := set.Subscribe(t.Context(), root, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if now.Mode != Events {
		t.Skip("skipped: the system does not report changes here")
	}
	const name = "PKG-01_a/1_Working/DEL-01-1999_x/notes.md"
	put(t, root, name, "a note")
	c, gap, err := sub.Next(t.Context())
	if err != nil || gap || !slices.Contains(c.Paths, name) {
		t.Errorf("%q %v %v", c.Paths, gap, err)
	}
}

// Any goroutine may close a subscription, also while another waits for a change.
func TestCloseFromAnotherGoroutine(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md", "**Current State:** OPEN")
	set := newSet(t, Options{Poll: time.Hour, Recheck: time.Hour})
	for range 100 {
		sub, _, err := set.Subscribe(t.Context(), root, 0)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, _, err := sub.Next(t.Context())
			ended <- err
		}()
		sub.Close()
		sub.Close()
		select {
		case err := <-ended:
			if !errors.Is(err, ErrUnsubscribed) {
				t.Errorf("the wait ended with %v", err)
			}
		case <-time.After(5 * time.Minute):
			t.Fatal("the wait goes on")
		}
	}
	if users := set.roots[root].users; users != 0 {
		t.Errorf("%d users are left", users)
	}
}
