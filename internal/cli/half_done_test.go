package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"belay/internal/journal"
)

// A process that dies while it changes files of a project leaves them half changed. No command
// that reads the project shows that: it completes the change or takes it back first, and shows
// what it shows of a project that was never half changed.
//
// Covers: workspace 6.8
func TestReadersSeeWholeChanges(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"project list": "2 initialized", "project status DEL-01-02": "INITIALIZED", "project validate": "Dependencies.csv", "project coordination": "DEPENDENCY_TRACKED",
		"deps lint": "PKG-01_Site/1_Working/DEL-01-02_Survey/Dependencies.csv", "deps graph": "DEL-01-02", "deps ready": "DEL-01-01", "deps order": "DEL-01-02",
		"deps cycles": "", "deps blockers": "DEL-01-02", "deps summary": "", "deps renumber": "", "deps proposals": "",
		"snapshot list": "",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			project := filepath.Join(home, "bridge")
			left := leaveHalfDone(t, home, project)
			first := reads(t, home, command, project)
			if left() {
				t.Errorf("belay %s left the change half done:\n%s", command, first)
			}
			if strings.Contains(first, "half changed") {
				t.Errorf("belay %s warns of what it completed:\n%s", command, first)
			}
			if again := reads(t, home, command, project); first != again || !strings.Contains(first, want) {
				t.Errorf("belay %s showed this of the half:\n%s\nand this of the whole, with %q:\n%s", command, first, want, again)
			}
		})
	}
}

// reads is the output of a command on a project.
func reads(t *testing.T, home, command, project string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "belay", append(strings.Fields(command), "--project", project)...)
	cmd.Dir, cmd.Env = home, append(homeEnv(home), "PATH="+os.Getenv("PATH"), "USER=somebody")
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 { // 1: problems were found
		t.Errorf("belay %s: %v\n%s", command, err, out)
	}
	return string(out)
}

// The files that the change of [leaveHalfDone] is about, relative to the project.
const (
	levelsStatus   = "PKG-01_Site/1_Working/DEL-01-01_Levels/_STATUS.md"
	surveyStatus   = "PKG-01_Site/1_Working/DEL-01-02_Survey/_STATUS.md"
	surveyRegister = "PKG-01_Site/1_Working/DEL-01-02_Survey/Dependencies.csv"
	coordinated    = "_Coordination/_COORDINATION.md"
)

// leaveHalfDone makes a project as a process leaves it that dies amid a change of its files:
// of four files the first is changed. Left reports whether that is still so. Home is that of
// [homeEnv].
func leaveHalfDone(t *testing.T, home, project string) (left func() bool) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const before, after = "**Current State:** OPEN\n", "**Current State:** INITIALIZED\n"
	changes := []struct{ path, before, after string }{
		{levelsStatus, before, after},
		{surveyStatus, before, after},
		{surveyRegister, "", "DependencyID,FromPackageID,FromDeliverableID,DependencyClass,DependencyType,Direction,TargetType,TargetDeliverableID,Statement,Status\n" +
			"DEP-01-02-001,PKG-01,DEL-01-02,EXECUTION,PREREQUISITE,UPSTREAM,DELIVERABLE,DEL-01-01,Levels first,ACTIVE\n"},
		{coordinated, "", "# Coordination Record\n\n**Representation:** Dependency-tracked\n"},
	}
	plan := journal.Plan{Owner: journal.Owner{What: "deps renumber"}}
	for _, c := range changes {
		file := filepath.Join(project, filepath.FromSlash(c.path))
		must(os.MkdirAll(filepath.Dir(file), 0o700))
		change := journal.Change{
			Op: journal.Create, Path: journal.Name(c.path), After: journal.State{Type: journal.File, SHA256: sumOf(c.after)},
			Content: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(c.after)), nil },
		}
		if c.before != "" {
			must(os.WriteFile(file, []byte(c.before), 0o600))
			change.Op, change.Before = journal.Replace, journal.State{Type: journal.File, SHA256: sumOf(c.before)}
		}
		plan.Changes = append(plan.Changes, change)
	}
	root, err := os.OpenRoot(project)
	must(err)
	defer root.Close()
	all := journal.New(filepath.Join(home, "state", "belay", "journal"), time.Now)
	p, err := all.Open(t.Context(), project, root)
	must(err)
	tx, err := p.Begin(plan)
	must(err)
	must(tx.Prepare())
	must(tx.Apply(t.Context()))
	must(p.Close())
	// What the process did not come to is as it was: each new content is back in the journal.
	slots, err := filepath.Glob(filepath.Join(project, ".belay", "journal", "*"))
	must(err)
	if len(slots) != 1 {
		t.Fatalf("the journal has %q", slots)
	}
	for i, c := range changes[1:] {
		file, slot := filepath.Join(project, filepath.FromSlash(c.path)), filepath.Join(slots[0], strconv.Itoa(i+1))
		if c.before != "" {
			must(os.Rename(slot, slot+".before"))
		}
		must(os.Rename(file, slot))
		if c.before != "" {
			must(os.Rename(slot+".before", file))
		}
	}
	if data, err := os.ReadFile(filepath.Join(project, filepath.FromSlash(surveyStatus))); err != nil || !bytes.Equal(data, []byte(before)) {
		t.Fatalf("the change is not half done: %q, %v", data, err)
	}
	return func() bool { return all.Left(project, "") || all.Stray(project) }
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
