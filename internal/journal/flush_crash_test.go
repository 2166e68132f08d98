//go:build crashtest

package journal_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"belay/internal/durable"
	"belay/internal/journal"
)

// What is new and what is replaced is on disk before the intent is, the intent
// before the project changes, and the changes before the intent goes.
func TestFlushesComeInOrder(t *testing.T) {
	w := works()["many"]
	s := newSite(t)
	s.fill(w.before)
	var ops []durable.Op
	durable.SetHook(&durable.Hook{After: func(op durable.Op) { ops = append(ops, op) }})
	err := s.attempt(w.changes)
	durable.SetHook(nil)
	must(t, err)
	var flushed []string // until the intent, and between the changes and its end
	stage := 0
	counts := map[string]int{}
	for _, op := range ops {
		inProject := strings.HasPrefix(op.Path, s.project) && !strings.Contains(op.Path, "/.belay")
		switch {
		case op.Verb == durable.OpCreate && op.File == durable.JournalEntry:
			if stage++; len(flushed) == 0 {
				t.Fatal("nothing is on disk before the intent is written")
			}
		case op.Verb == durable.OpExchange || op.Verb == durable.OpRename && (inProject || strings.HasPrefix(op.To, s.project) && !strings.Contains(op.To, "/.belay")):
			if counts["2 journal record: content"] != 1 || counts["2 journal record: folder"] != 1 {
				t.Fatalf("%s %s before the intent is on disk: %v", op.Verb, op.Path, flushed)
			}
			stage = 3
		case op.Verb == durable.OpRemove && strings.HasSuffix(op.Path, ".json"):
			stage = 4
		case op.Point != "":
			flushed = append(flushed, fmt.Sprintf("%s %s", op.Point, op.Path))
			if stage == 1 {
				counts["2 "+op.Point]++
			} else {
				counts[fmt.Sprintf("%d %s", stage, op.Point)]++
			}
		case inProject && stage == 0:
			t.Errorf("%s %s before the intent", op.Verb, op.Path)
		}
	}
	for what, want := range map[string]int{
		"0 journal content: content": 4, "0 journal content: folder": 4, "0 project file: content": 4,
		"3 project file: folder": 2,
	} {
		if counts[what] != want {
			t.Errorf("%d flushes of %s, want %d: %v", counts[what], what, want, flushed)
		}
	}
}

// What is taken is on disk before the intent, with its names; what is loose in a new
// folder is not flushed, and what is loose elsewhere is. Where the file system flushes all
// of it at once, that is done before the intent, and each file is flushed if it fails.
func TestTakenContentsAreFlushed(t *testing.T) {
	each := []string{"flush a", "flush folder ", "flush folder new", "flush folder there", "flush new/f", "flush there/f"}
	original := "flush of the original a"
	for name, tt := range map[string]struct {
		atOnce bool
		err    error
		want   []string
	}{
		"one by one":      {false, nil, append(each, original)},
		"at once":         {true, nil, []string{"all"}},
		"at once, failed": {true, errors.New("another file could not be written"), append([]string{"all", original}, each...)},
	} {
		s := newSite(t)
		s.takes = true
		s.fill(map[string]string{"a": "1", "there/": ""})
		changes := []journal.Change{
			replace("a", "1", "2"), mkdir("new"), create("new/f", "x"), mkdir("build"), create("build/f", "x"), create("there/f", "x"),
		}
		for _, i := range []int{3, 4, 5} {
			changes[i].Loose = true
		}
		s.lay(changes)
		var before []string
		intent := false
		if tt.atOnce {
			journal.FlushingAtOnce(s.store, func() error {
				if before = append(before, "all"); intent {
					t.Errorf("%s: after the intent", name)
				}
				return tt.err
			})
		}
		durable.SetHook(&durable.Hook{After: func(op durable.Op) {
			_, path, in := strings.Cut(op.Path, "%2Ffiles")
			switch {
			case op.Verb == durable.OpCreate && op.File == durable.JournalEntry:
				intent = true
			case in && op.Point != "" && intent:
				t.Errorf("%s: %s of %s after the intent", name, op.Point, path)
			case in && op.Point != "":
				before = append(before, string(op.Verb)+" "+strings.TrimPrefix(path, "/"))
			case op.Verb == durable.OpFlush && op.Path == filepath.Join(s.project, "a"):
				before = append(before, original)
			}
		}})
		err := s.attempt(changes)
		durable.SetHook(nil)
		must(t, err)
		slices.Sort(before)
		slices.Sort(tt.want)
		if !slices.Equal(before, tt.want) {
			t.Errorf("%s: flushed before the intent: %q, want %q", name, before, tt.want)
		}
	}
}
