package scaffold_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/durable"
	"belay/internal/workspace/scaffold"
)

// childEnv makes the test binary a program that does one run: root, document and
// lock folder, a line each.
const childEnv = "BELAY_TEST_SCAFFOLD"

func TestMain(m *testing.M) {
	if args := strings.Split(os.Getenv(childEnv), "\n"); len(args) == 3 {
		o := scaffold.Options{LockDir: args[2], MaxBytes: 1 << 20, Clock: noon.UTC}
		if _, err := scaffold.Run(context.Background(), scaffold.Request{ExecutionRoot: args[0], DecompositionPath: args[1]}, o); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A run that is killed anywhere leaves whole files only, and another completes its
// work to what an undisturbed one makes.
//
// Covers: workspace 1
func TestKilled(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for p := range 3 {
		fmt.Fprintf(&text, "### PKG-%02d — Package %d\n| DeliverableID | Name |\n|---|---|\n", p+1, p+1)
		for d := range 8 {
			fmt.Fprintf(&text, "| DEL-%02d-%02d | Deliverable %d |\n", p+1, d+1, d+1)
		}
		text.WriteString("\n")
	}
	file := paper(t, text.String())
	clean := filepath.Join(t.TempDir(), "root")
	run(t, scaffold.Request{ExecutionRoot: clean, DecompositionPath: file}, options(t))
	want := tree(t, clean)

	root, locks := filepath.Join(t.TempDir(), "root"), t.TempDir()
	killed := 0
	for at := 1; at < len(want); at += 7 {
		child := exec.Command(os.Args[0]) //nolint:gosec // the test itself
		child.Env = append(os.Environ(), childEnv+"="+root+"\n"+file+"\n"+locks)
		child.Stderr = os.Stderr
		must(t, child.Start())
		done := make(chan error, 1)
		go func() { done <- child.Wait() }()
		over := false
		for !over && count(root) < at {
			select {
			case err := <-done:
				must(t, err)
				over = true
			default:
			}
		}
		if !over {
			killed++
			if err := child.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
				must(t, err)
			}
			<-done
		}
		for path, content := range tree(t, root) {
			if !strings.HasPrefix(filepath.Base(path), durable.TempPrefix) && want[path] != content {
				t.Fatalf("killed after %d things, %s holds %q", at, path, content)
			}
		}
	}
	if killed == 0 {
		t.Fatal("no run was killed")
	}
	run(t, scaffold.Request{ExecutionRoot: root, DecompositionPath: file}, scaffold.Options{LockDir: locks, MaxBytes: 1 << 20, Clock: noon.UTC})
	if diff := cmp.Diff(want, tree(t, root)); diff != "" {
		t.Error(diff)
	}
}

// count is how many files and folders there are while somebody works on them.
func count(root string) int {
	n := 0
	_ = filepath.WalkDir(root, func(_ string, _ fs.DirEntry, err error) error {
		if err == nil {
			n++
		}
		return nil
	})
	return n
}
