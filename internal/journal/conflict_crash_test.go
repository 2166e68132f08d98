//go:build crashtest

package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/journal/journaltest"
)

// edits are what a person may do to a file at any moment, and what is there
// afterwards ("" for nothing).
var edits = map[string]struct {
	do   func(path string) error
	want string
}{
	"write in place": {func(path string) error { return os.WriteFile(path, []byte("mine"), 0o644) }, "-rw-r--r-- mine"},
	"save": {func(path string) error {
		if err := os.WriteFile(path+"~", []byte("mine"), 0o644); err != nil {
			return err
		}
		return os.Rename(path+"~", path)
	}, "-rw-r--r-- mine"},
	"remove": {os.RemoveAll, ""},
	"make a folder of it": {func(path string) error {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if err := os.Mkdir(path, 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(path, "in"), []byte("mine"), 0o644)
	}, "drwxr-xr-x "},
	"make a link of it": {func(path string) error {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		return os.Symlink("a", path)
	}, "link a"},
}

// A person changes a file at any moment of a transaction, from its beginning to its
// end. What they did stands, whatever becomes of the transaction, and all other
// files are changed or none is.
func TestAPersonIsFasterAtEveryOperation(t *testing.T) {
	w := works()["many"]
	for way, configure := range ways {
		for name, edit := range edits {
			if strings.HasSuffix(way, "copy") && edit.want != "-rw-r--r-- mine" {
				continue // as across file systems
			}
			for _, target := range []string{"b", "gone", "made"} {
				t.Run(way+"/"+name+"/"+target, func(t *testing.T) {
					after := w.wanted(t)
					for at := 1; ; at++ {
						s := newSite(t, configure)
						s.fill(w.before)
						before := s.tree()
						s.lay(w.changes)
						path, edited, n := filepath.Join(s.project, target), false, 0
						durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
							if n++; n >= at && !edited && !s.blind(way, op, target) && (edit.want != "" || exists(path)) {
								edited = true
								must(t, edit.do(path))
							}
							return quick(op)
						}})
						err := s.attempt(w.changes)
						durable.SetHook(nil)
						if !edited {
							must(t, err)
							break
						}
						s.checkEdit(fmt.Sprintf("edited at %d (%v)", at, err), target, edit.want, err == nil, before, after)
						if settled := s.settle(); len(settled) > 0 {
							t.Errorf("edited at %d: something was left to settle: %v", at, settled)
						}
						s.givenBack(fmt.Sprintf("edited at %d", at), w.changes, err == nil)
					}
				})
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// blind reports whether an operation is the one that the way without an exchange
// has nothing to look at in between: the one that replaces or removes the file.
func (s *site) blind(way string, op durable.Op, target string) bool {
	path := filepath.Join(s.project, target)
	return way != "exchange" && way != "taken" && (op.Verb == durable.OpRename && op.To == path || op.Verb == durable.OpRemove && op.Path == path)
}

func (s *site) checkEdit(what, target, want string, done bool, before, after journaltest.Tree) {
	s.t.Helper()
	now := s.tree()
	if now[target] != want {
		s.t.Errorf("%s: %s is %q, the person had made it %q", what, target, now[target], want)
	}
	all := before
	if done {
		all = after
	}
	for name := range now {
		if name == target || strings.HasPrefix(name, target+"/") {
			delete(now, name)
		}
	}
	want1 := journaltest.Tree{}
	for name, is := range all {
		if name != target {
			want1[name] = is
		}
	}
	if bad := journaltest.Neither(want1, now, want1); len(bad) > 0 {
		s.t.Errorf("%s: the other files: %v", what, bad)
	}
}

// The same between a crash and the next open, at every operation of what settles
// it. The person's file stands, and both contents that have no place are kept.
func TestAPersonIsFasterThanTheNextOpen(t *testing.T) {
	for _, way := range []string{"exchange", "taken"} {
		personIsFasterThanTheNextOpen(t, way)
	}
}

func personIsFasterThanTheNextOpen(t *testing.T, way string) {
	w := works()["many"]
	for name, edit := range edits {
		for _, target := range []string{"b", "gone", "made"} {
			t.Run(way+"/"+name+"/"+target, func(t *testing.T) {
				after := w.wanted(t)
				for at := 1; ; at++ {
					s := newSite(t, ways[way])
					s.fill(w.before)
					before := s.tree()
					s.lay(w.changes)
					if !dies(at, func() { _ = s.attempt(w.changes) }) {
						break
					}
					path := filepath.Join(s.project, target)
					if edit.want == "" && !exists(path) {
						continue
					}
					must(t, edit.do(path))
					settled := s.settle()
					done := len(settled) > 0 && settled[0].Result == journal.Completed
					if len(settled) == 0 { // it had ended, or never began
						done = journaltest.Equal(journaltest.Tree{"a": after["a"]}, journaltest.Tree{"a": s.tree()["a"]})
					}
					s.checkEdit(fmt.Sprintf("dead at %d", at), target, edit.want, done, before, after)
					if lost, err := journaltest.Lost(s.project, journaltest.Tree{"b": before["b"]}); err != nil || !done && target == "b" && len(settled) > 0 && s.replaced(settled[0]) && len(lost) > 0 {
						t.Errorf("dead at %d: nobody has the content that b had before: %v", at, err)
					}
				}
			})
		}
	}
}

// replaced reports whether what was settled had replaced b before the person
// changed it: then the journal has the content before.
func (s *site) replaced(t journal.Settled) bool {
	for _, c := range t.Conflicts {
		if c.Path == "b" && c.Kept != "" {
			data, err := os.ReadFile(filepath.Join(s.project, string(c.Kept)))
			must(s.t, err)
			return string(data) == "2"
		}
	}
	return false
}
