package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/journal"
)

// emptySum is the SHA-256 of nothing.
const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// A process that dies while it changes files of a project leaves them half changed. No command
// that reads the project shows that: it completes the change or takes it back first.
//
// Covers: workspace 6.8
func TestReadersSeeWholeChanges(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"project list", "project status DEL-01-02", "project validate", "project coordination",
		"deps lint", "deps graph", "deps ready", "deps order", "deps cycles", "deps blockers", "deps summary", "deps renumber", "deps proposals",
		"snapshot list", "snapshot new _Aggregation PLAN --from PKG-01_Site",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			state, project := filepath.Join(home, "state"), filepath.Join(home, "bridge")
			left := leaveHalfDone(t, filepath.Join(state, "belay"), project)
			if !left() {
				t.Fatal("nothing is left half done")
			}
			args := append(strings.Fields(command), "--project", project)
			cmd := exec.CommandContext(t.Context(), "belay", args...)
			cmd.Dir, cmd.Env = home, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + state, "USER=somebody"}
			out, err := cmd.CombinedOutput()
			if left() {
				t.Errorf("belay %s left the change half done, %v:\n%s", command, err, out)
			}
			if strings.Contains(string(out), "half changed") {
				t.Errorf("belay %s warns of what it completed:\n%s", command, out)
			}
		})
	}
}

// leaveHalfDone makes a project and leaves it as a process that died with a change of its
// files written down. Left reports whether that is still so.
func leaveHalfDone(t *testing.T, state, project string) (left func() bool) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(project, "PKG-01_Site", "1_Working", "DEL-01-02_Survey")
	must(os.MkdirAll(folder, 0o700))
	must(os.WriteFile(filepath.Join(folder, "_STATUS.md"), []byte("**Current State:** OPEN\n"), 0o600))
	root, err := os.OpenRoot(project)
	must(err)
	defer root.Close()
	all := journal.New(filepath.Join(state, "journal"), time.Now)
	p, err := all.Open(t.Context(), project, root)
	must(err)
	tx, err := p.Begin(journal.Plan{Owner: journal.Owner{What: "deps renumber"}, Changes: []journal.Change{{
		Op: journal.Create, Path: "PKG-01_Site/1_Working/DEL-01-02_Survey/Notes.md", After: journal.State{Type: journal.File, SHA256: emptySum},
		Content: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil },
	}}})
	must(err)
	must(tx.Prepare())
	must(p.Close())
	return func() bool { return all.Left(project, "") || all.Stray(project) }
}
