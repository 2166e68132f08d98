package test

import (
	"os"
	"path/filepath"
	"regexp"
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

// What the Makefile tests without the race detector starts no goroutine.
func TestPackagesWithoutRaces(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../Makefile")
	must(t, err)
	_, rest, found := strings.Cut(strings.ReplaceAll(string(makefile), "\\\n", " "), "ALONE := ")
	list, _, _ := strings.Cut(rest, "\n")
	if !found || len(strings.Fields(list)) == 0 {
		t.Fatal("there is no list ALONE")
	}
	starts := regexp.MustCompile(`(?m)^\s*go \w|\.Go\(`)
	for _, dir := range strings.Fields(list) {
		files, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
		must(t, err)
		if len(files) == 0 {
			t.Errorf("there is no %s", dir)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			must(t, err)
			if at := starts.Find(text); at != nil && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s has %q: take %s out of the list ALONE in the Makefile", file, at, dir)
			}
		}
	}
}
