package registerfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/workspace"
)

// childEnv makes the test binary a program that changes a register until it is
// killed: the project, the folder and the lock folder, a line each.
const childEnv = "BELAY_TEST_REGISTERFILE"

func TestMain(m *testing.M) {
	if args := strings.Split(os.Getenv(childEnv), "\n"); len(args) == 3 {
		if err := rewrite(args[0], args[1], args[2]); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// rewrite adds a row after the other, each with as much text.
func rewrite(project, folder, state string) error {
	d, err := workspace.FindDeliverable(project, folder)
	if err != nil {
		return err
	}
	f := New(Options{Writer: writer(state)})
	for {
		now, err := f.Read(context.Background(), d)
		if err != nil {
			return err
		}
		rows := []map[string]string{}
		for _, v := range now.View().Rows {
			rows = append(rows, v.Map())
		}
		next := row(fmt.Sprintf("DEP-01-02-%03d", len(rows)%1000+1), "TBD")
		next["Notes"] = strings.Repeat("whole ", 2000)
		if _, err := f.Put(context.Background(), d, Change{}, append(rows, next)); err != nil {
			return err
		}
	}
}

// TestKilled: whenever a writer is killed, the register is an old one or a new one,
// and the next writer goes on from it.
func TestKilled(t *testing.T) {
	t.Parallel()
	d := deliverable(t, map[string]string{"_DEPENDENCIES.md": "## Extracted Dependency Register\nNot extracted yet.\n\n## Lifecycle Summary\nNot extracted yet.\n"})
	f := files(t, nil)
	_, err := f.Put(t.Context(), d, Change{}, nil)
	must(t, err)
	rows := 0
	for range 5 {
		child := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // the test itself
		child.Env = append(os.Environ(), childEnv+"="+d.Project+"\n"+d.Path+"\n"+filepath.Dir(f.o.LockDir))
		child.Stderr = os.Stderr
		must(t, child.Start())
		for want := rows + 5; rows < want; {
			now, err := f.Read(context.Background(), d)
			must(t, err)
			for _, found := range now.Lint("x", "DEL-01-02") {
				if found.Severity == "error" {
					t.Fatalf("half a register: %+v", found)
				}
			}
			if now.Len() < rows {
				t.Fatalf("%d rows after %d", now.Len(), rows)
			}
			rows = now.Len()
		}
		if err := child.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
			must(t, err)
		}
		if err := child.Wait(); err == nil {
			t.Fatal("the writer ended by itself")
		}
		now, err := f.Read(context.Background(), d) // which completes what was half done
		must(t, err)
		rows = now.Len()
		if want := fmt.Sprintf("**Total ACTIVE rows:** %d\n", rows); !strings.Contains(content(t, d, "_DEPENDENCIES.md"), want) {
			t.Errorf("%d rows, and the summary does not say %q", rows, want)
		}
	}
}
