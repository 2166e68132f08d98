package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// A run keeps copies of the files that its workflow uses. It goes by them, whatever
// becomes of the files, and refuses copies that somebody changed. A link to a file
// elsewhere is not used.
func TestRunUses(t *testing.T) {
	t.Parallel()
	const shared = "agents: [{id: a, instructions: Shared.}]\n"
	var free atomic.Bool
	b := newBench(t, "id: flow\nuse: [agents.yaml]\ntasks: [{id: one, agent: a, prompt: one, on_success: {next: two}}, {id: two, agent: a, prompt: two}]\n", func(r turn.Request) reply {
		if r.Message == "two" && !free.Load() {
			return reply{fails: "no luck"}
		}
		return echo(r)
	})
	b.file("agents.yaml", shared)
	r := b.run(nil)
	if r.Status != run.Failed || b.e.last().Agent.Instructions != "Shared." {
		t.Fatalf("%s %+v", r.Status, r.Error)
	}
	b.file("agents.yaml", "agents: [{id: a, instructions: Changed.}]\n")
	copied := filepath.Join(".belay/runs", r.ID, "workflow.use.agents.yaml")
	b.file(copied, "agents: [{id: a, instructions: Evil.}]\n")
	if _, err := b.r.Resume(t.Context(), b.project, r.ID, ""); err == nil || !strings.Contains(err.Error(), "it was changed since the run began") {
		t.Fatalf("with a changed copy: %v", err)
	}
	b.file(copied, shared)
	if _, err := b.r.Resume(t.Context(), b.project, r.ID, ""); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(r.ID); b.e.last().Agent.Instructions != "Shared." {
		t.Errorf("it goes on with %q", b.e.last().Agent.Instructions)
	}
	// The corrected file counts, with what it uses.
	free.Store(true)
	if _, err := b.r.Correct(t.Context(), b.corrected(r.ID)); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(r.ID); r.Status != run.Success || task(t, r, "one").Again != "its definition changed" || b.e.last().Agent.Instructions != "Changed." {
		t.Errorf("%s %+v, %q", r.Status, r.Error, b.e.last().Agent.Instructions)
	}
	outside := filepath.Join(t.TempDir(), "agents.yaml")
	if err := os.WriteFile(outside, []byte(shared), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(b.project, "agents.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(b.project, "agents.yaml")); err != nil {
		t.Skip(err)
	}
	if _, err := b.r.Start(t.Context(), b.request(nil)); err == nil || !strings.Contains(err.Error(), "agents.yaml cannot be read") {
		t.Errorf("a link is used: %v", err)
	}
}
