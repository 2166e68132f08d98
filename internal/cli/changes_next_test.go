package cli

import (
	"testing"

	"belay/internal/permit"
	"belay/internal/turn/changes"
)

// Of a change with a conflict the files that have none can be kept.
func TestNextOfKept(t *testing.T) {
	t.Parallel()
	of := func(automatic []string, paths ...string) *permit.Effect {
		return &permit.Effect{Paths: paths, Automatic: automatic, Done: &permit.Done{Files: len(paths)}}
	}
	for want, k := range map[string]changes.KeptChange{
		"belay changes keep c":   {Effect: of(nil, "a")},
		"belay changes drop c":   {Effect: of(nil, "a"), Conflicts: []string{"a"}},
		"belay decision allow d": {Effect: of(nil, "a"), DecisionID: "d"},
		"belay changes keep c --only b --only 'my d', or belay changes drop c":         {Effect: of(nil, "a", "b", "my d", "sub/x"), Conflicts: []string{"a", "sub"}},
		"belay changes keep c --only .envrc --runs-by-itself, or belay changes drop c": {Effect: of([]string{".envrc is run by the shell"}, ".envrc", "a"), Conflicts: []string{"a"}},
		"belay changes keep c --only b, with more files that are no conflict, or belay changes drop c": {
			Effect: of(nil, "a", "b", "c", "d", "e", "f", "g"), Conflicts: []string{"a"}},
	} {
		k.ID = "c"
		if got := nextOfKept(k); got != want {
			t.Errorf("it suggests %q, not %q", got, want)
		}
	}
}
