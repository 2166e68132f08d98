package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/workspace/layout"
)

// childEnv makes the test binary a program that publishes until it is killed: the
// project and the lock folder, a line each.
const childEnv = "BELAY_TEST_SNAPSHOT"

func TestMain(m *testing.M) {
	if args := strings.Split(os.Getenv(childEnv), "\n"); len(args) == 2 {
		target := Target{Root: args[0], ToolRoot: "_Estimates", Label: "EST"}
		o := Options{LockDir: args[1], MaxFiles: 100, MaxBytes: 1 << 20, Clock: func() time.Time { return noon }}
		for range 200 {
			if _, err := Publish(context.Background(), target, o, Copy(context.Background(), target, o, "")); err != nil {
				_, _ = fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Whenever a publisher is killed, what bears a snapshot's name is a whole one, and
// the pointer names one of them.
//
// Covers: workspace 11.1
func TestKilled(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("part/%d.csv", i)] = strings.Repeat("x", 1000*i)
	}
	target, locks := project(t, files), t.TempDir()
	tools := filepath.Join(target.Root, "_Estimates")
	for n := 1; n <= 6; n++ {
		child := exec.Command(os.Args[0]) //nolint:gosec // the test itself
		child.Env = append(os.Environ(), childEnv+"="+target.Root+"\n"+locks)
		child.Stderr = os.Stderr
		must(t, child.Start())
		done := make(chan error, 1)
		go func() { done <- child.Wait() }()
		for len(snapshots(t, tools)) < 2*n {
			select {
			case err := <-done:
				t.Fatalf("the publisher ended: %v", err)
			default:
			}
		}
		if err := child.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
			must(t, err)
		}
		<-done
		published := snapshots(t, tools)
		for _, name := range published {
			if found, _ := Verify(t.Context(), target.Root, "_Estimates/"+name); len(found) > 0 {
				t.Errorf("%s: %+v", name, found)
			}
		}
		pointer, err := os.ReadFile(filepath.Join(tools, layout.LatestFile))
		must(t, err)
		latest, _, _ := strings.Cut(strings.TrimPrefix(string(pointer), "Latest: "), "\n")
		if _, err := os.Stat(filepath.Join(tools, latest)); err != nil {
			t.Errorf("the pointer is %q: %v", pointer, err)
		}
	}
}

// snapshots are the names of the published ones.
func snapshots(t *testing.T, tools string) []string {
	t.Helper()
	var all []string
	for _, name := range names(t, tools) {
		if layout.IsSnapshot(name) {
			all = append(all, name)
		}
	}
	return all
}
