package snapshot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/workspace/layout"
)

// A publisher that died after the rename finds what it has published, and only sets
// the pointer right; a newer snapshot's pointer stays.
//
// Covers: workspace 11.1
func TestPublishedAlready(t *testing.T) {
	t.Parallel()
	target, locks := project(t, map[string]string{"one.csv": "1\n"}), t.TempDir()
	now := noon
	o := Options{LockDir: locks, MaxFiles: 100, MaxBytes: 1 << 20, Clock: func() time.Time { return now }}
	build := func(mark string) func(*os.Root) error {
		return func(dir *os.Root) error { return dir.WriteFile("mark", []byte(mark), 0o600) }
	}
	publish := func(mark string) Snapshot {
		t.Helper()
		target.Published = func(dir *os.Root) bool {
			data, err := dir.ReadFile("mark")
			return err == nil && string(data) == mark
		}
		s, err := Publish(t.Context(), target, o, build(mark))
		must(t, err)
		return s
	}
	pointer := filepath.Join(target.Root, "_Estimates", layout.LatestFile)
	points := func(want string) {
		t.Helper()
		if data, err := os.ReadFile(pointer); err != nil || !strings.HasPrefix(string(data), "Latest: "+want+"\n") {
			t.Errorf("the pointer is %q, %v; want %s", data, err, want)
		}
	}
	first := publish("first")
	must(t, os.Remove(pointer))
	if again := publish("first"); again.Name != first.Name || again.Path != first.Path {
		t.Errorf("published again, as %s", again.Name)
	}
	points(first.Name)
	second := publish("second")
	now = noon.Add(time.Hour)
	third := publish("third")
	for _, mark := range []string{"first", "second"} {
		publish(mark)
		points(third.Name)
	}
	if all := snapshots(t, filepath.Join(target.Root, "_Estimates")); len(all) != 3 || second.Name == first.Name {
		t.Errorf("published are %v", all)
	}
}
