package statusfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/lifecycle"
)

// childEnv makes the test binary a program that takes every deliverable of a
// project to ISSUED: the project and the lock folder, a line each.
const childEnv = "BELAY_TEST_STATUSFILE"

func TestMain(m *testing.M) {
	if args := strings.Split(os.Getenv(childEnv), "\n"); len(args) == 2 {
		if err := issueAll(args[0], args[1]); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// route are the states that the program goes through.
var route = []lifecycle.State{lifecycle.Open, lifecycle.Initialized, lifecycle.InProgress, lifecycle.Checking, lifecycle.Issued}

// step is the request for the state after route[i].
func step(i int) lifecycle.Request {
	actor := lifecycle.Human
	if i == 0 {
		actor = lifecycle.Documents
	}
	return lifecycle.Request{To: string(route[i+1]), Actor: actor, ApprovalSHA: "1234567", Now: now}
}

// issueAll prints a line for each transition that it makes. Those that another
// process made before it are no failure.
func issueAll(project, locks string) error {
	folders, err := filepath.Glob(filepath.Join(project, "DEL-*"))
	if err != nil {
		return err
	}
	w := &Writer{Locks: locks}
	for i := range len(route) - 1 {
		for _, folder := range folders {
			d, err := workspace.FindDeliverable(project, folder)
			if err != nil {
				return err
			}
			_, _, err = w.Change(context.Background(), d, Change{Request: step(i)})
			switch {
			case err == nil:
				fmt.Println(filepath.Base(folder), route[i+1])
			case !fault.Is(err, fault.TransitionNotAllowed) && !fault.Is(err, fault.BackwardTransition):
				return err
			}
		}
	}
	return nil
}

// versions are all contents that a file has on its way.
func versions(t *testing.T) []string {
	t.Helper()
	all := []string{openFile}
	for i := range len(route) - 1 {
		done, err := lifecycle.Transition([]byte(all[i]), step(i))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(done.Data))
	}
	return all
}

// manyOpen makes a project with many deliverables.
func manyOpen(t *testing.T, n int) (project string, all []workspace.Deliverable) {
	t.Helper()
	project = t.TempDir()
	for i := range n {
		all = append(all, inProject(t, project, fmt.Sprintf("DEL-%02d-01_X", i), openFile))
	}
	return project, all
}

// start runs the program and returns its output.
func start(t *testing.T, project, locks string) (*exec.Cmd, io.Reader) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	child := exec.CommandContext(ctx, os.Args[0]) //nolint:gosec // the test itself
	child.Env = append(os.Environ(), childEnv+"="+project+"\n"+locks)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return child, out
}

// TestKilled kills the program at many moments: each file is a whole version, old
// or new, and the next run goes on from there and leaves nothing behind.
func TestKilled(t *testing.T) {
	t.Parallel()
	project, all := manyOpen(t, 200) // more than the program gets through before the kills arrive
	locks, known := t.TempDir(), versions(t)
	for range 8 {
		child, out := start(t, project, locks)
		lines := bufio.NewScanner(out)
		for range 15 {
			if !lines.Scan() {
				t.Fatalf("the program ended before it was killed: %v", lines.Err())
			}
		}
		if err := child.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		_ = child.Wait() // it was killed
		for _, d := range all {
			if text := content(t, d); !slices.Contains(known, text) {
				t.Fatalf("%s is no version of the file:\n%s", d.Rel, text)
			}
		}
	}
	child, out := start(t, project, locks)
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if text := content(t, d); text != known[len(known)-1] {
			t.Errorf("%s:\n%s", d.Rel, text)
		}
		entries, err := os.ReadDir(d.Path)
		if err != nil || len(entries) != 1 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
	}
}

// TestProcesses has programs race for the same deliverables: each transition is
// made by one of them, and none is lost.
func TestProcesses(t *testing.T) {
	t.Parallel()
	project, all := manyOpen(t, 12)
	locks, known := t.TempDir(), versions(t)
	made := make(chan string, 1000)
	var children []*exec.Cmd
	for range 3 {
		child, out := start(t, project, locks)
		children = append(children, child)
		go func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				made <- lines.Text()
			}
			made <- ""
		}()
	}
	seen := map[string]int{}
	for ended := 0; ended < len(children); {
		if line := <-made; line == "" {
			ended++
		} else {
			seen[line]++
		}
	}
	for _, child := range children {
		if err := child.Wait(); err != nil {
			t.Error(err)
		}
	}
	for line, n := range seen {
		if n != 1 {
			t.Errorf("%s was made %d times", line, n)
		}
	}
	if want := len(all) * (len(route) - 1); len(seen) != want {
		t.Errorf("%d transitions were made, want %d", len(seen), want)
	}
	for _, d := range all {
		if text := content(t, d); text != known[len(known)-1] {
			t.Errorf("%s:\n%s", d.Rel, text)
		}
	}
}
