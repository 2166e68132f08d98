package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Kept changes that a turn still asks about are not dropped, also where their record is damaged and
// can no longer say which of the two questions is open.
func TestDamagedChangesAreStillAsked(t *testing.T) {
	t.Parallel()
	q := askTwo(t)
	first := q.asks("sub/made.txt")
	refused := func(question string) {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(q.project, ".belay", "changes", "*", "record.json"))
		if err != nil || len(found) != 1 {
			t.Fatalf("the records are %v, %v", found, err)
		}
		whole, err := os.ReadFile(found[0])
		must(t, err)
		must(t, os.WriteFile(found[0], []byte("{"), 0o600))
		out, err := q.command("changes", "drop", filepath.Base(filepath.Dir(found[0]))).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "TURN_IN_PROGRESS") || !strings.Contains(string(out), "belay decision allow "+question) {
			t.Errorf("changes drop said %s", out)
		}
		must(t, os.WriteFile(found[0], whole, 0o600))
	}
	refused(first)
	q.run("decision", "allow", first)
	second := q.asks("sub/.envrc")
	refused(second)
	q.run("decision", "allow", second)
	q.settle()
	q.areReal("sub/.envrc", "sub/made.txt")
}
