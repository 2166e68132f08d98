//go:build crashtest && linux

package journal_test

import (
	"fmt"
	"testing"

	"belay/internal/journal/journaltest"
)

// A process that dies at any operation leaves a folder that comes as a whole in its place,
// with all the content of it, or not at all.
func TestDeadWhileTreesAreMoved(t *testing.T) {
	model := newSite(t)
	changes := treeWork(model)
	must(t, applyPlan(model, changes))
	after := model.tree()
	whole := map[bool]int{}
	for at := 1; ; at++ {
		s := newSite(t)
		changes := treeWork(s)
		before := s.tree()
		var err error
		if !dies(at, func() { err = s.attempt(changes) }) {
			must(t, err)
			break
		}
		s.settle()
		if half := journaltest.Half(before, s.tree(), after); half != "" {
			t.Fatalf("%s: %s", fmt.Sprintf("dead at %d", at), half)
		}
		whole[journaltest.Equal(after, s.tree())]++
	}
	if whole[true] == 0 || whole[false] == 0 {
		t.Errorf("the project was changed %d times and not changed %d times", whole[true], whole[false])
	}
}
