package test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readers are the packages that read what strangers wrote, with several goroutines.
var readers = []string{"attachment", "overview", "session", "tool/files", "workspace"}

// bareGoroutines are files whose goroutines run nothing that is a stranger's.
var bareGoroutines = []string{
	"internal/session/import.go",        // its one goroutine hands a panic on as an error
	"internal/session/states.go",        // closes sessions that nobody uses
	"internal/session/store.go",         // waits for interrupts, and restores the times of sessions
	"internal/workspace/index/index.go", // its goroutines hand a panic on as an error
}

// A panic about a strange file ends the turn or the request that reads it, and not the server:
// so no goroutine of a reader is without package crash.
func TestGoroutinesHandOnPanics(t *testing.T) {
	t.Parallel()
	all, err := sources()
	must(t, err)
	seen := 0
	for _, p := range all {
		name, _ := strings.CutPrefix(p.Path(), module+"/internal/")
		if !slices.ContainsFunc(readers, func(r string) bool { return name == r || strings.HasPrefix(name, r+"/") }) {
			continue
		}
		groups, caught := map[string]int{}, map[string]int{}
		for id, object := range p.uses {
			if object.Pkg() == nil {
				continue
			}
			_, file, _ := strings.Cut(filepath.ToSlash(p.set.Position(id.Pos()).Filename), "internal/")
			file = "internal/" + file
			switch object.Pkg().Path() + "." + object.Name() {
			case "sync.Go":
				if !slices.Contains(bareGoroutines, file) {
					t.Errorf("%s has a goroutine whose panic ends the process: use crash.Group", file)
				}
			case "golang.org/x/sync/errgroup.Go":
				groups[file]++
				seen++
			case module + "/internal/crash.Caught":
				caught[file]++
			}
		}
		for file, n := range groups {
			if caught[file] < n {
				t.Errorf("%s starts goroutines in %d places, and hands on the panics of %d: use crash.Caught", file, n, caught[file])
			}
		}
	}
	if seen == 0 {
		t.Error("no goroutine was seen")
	}
}
