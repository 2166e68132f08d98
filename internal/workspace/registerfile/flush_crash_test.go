//go:build crashtest

package registerfile

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
)

// These tests see every operation on files by the hook of package durable, which is
// one for the process: they do not run in parallel.

// TestUnflushed: a register whose flush fails is as it was, and so is its summary.
func TestUnflushed(t *testing.T) {
	defer durable.SetHook(nil)
	d := deliverable(t, map[string]string{"_DEPENDENCIES.md": empty})
	var record []error
	f := files(t, nil)
	f.o.Record = func(_ context.Context, _ Record, failed error) error {
		record = append(record, failed)
		return nil
	}
	rows := []map[string]string{row("DEP-01-02-001", "TBD")}
	durable.RefuseFolders(d.Path)
	_, err := f.Put(t.Context(), d, Change{}, rows)
	durable.SetHook(nil)
	if !fault.Is(err, fault.StorageFailure) || len(record) != 2 || record[1] == nil {
		t.Errorf("the change ended with %v; on record: %v", err, record)
	}
	if _, err := f.Read(context.Background(), d); !fault.Is(err, fault.RegisterNotFound) || content(t, d, "_DEPENDENCIES.md") != empty {
		t.Errorf("%v; the summary is\n%s", err, content(t, d, "_DEPENDENCIES.md"))
	}
	_, err = f.Put(t.Context(), d, Change{}, rows)
	must(t, err)
}

const empty = "# Dependencies\n\n## Extracted Dependency Register\nNot extracted yet.\n\n## Lifecycle Summary\nNot extracted yet.\n"

// TestDeadAtEveryOperation: a process that dies at any operation of a PUT leaves a
// register and a summary that agree for the next reader, also if a process that
// completes the change dies at any operation.
//
// Covers: workspace 5.2
func TestDeadAtEveryOperation(t *testing.T) {
	rows := []map[string]string{row("DEP-01-02-001", "TBD")}
	for _, before := range [][]map[string]string{nil, rows} {
		after := append(rows, row("DEP-01-02-002", "TBD"))
		old, made := 0, 0
		for at := 1; ; at++ {
			d := deliverable(t, map[string]string{"_DEPENDENCIES.md": empty})
			f := files(t, nil)
			if before != nil {
				_, err := f.Put(t.Context(), d, Change{}, before)
				must(t, err)
			}
			var err error
			if !durable.DieAt(at, func() { _, err = f.Put(t.Context(), d, Change{}, after) }) {
				must(t, err)
				break
			}
			for again := 1; durable.DieAt(again, func() { _, _ = f.Read(context.Background(), d) }); again++ {
			}
			switch n := agree(t, f, d, len(before), len(after)); n {
			case len(before):
				old++
			case len(after):
				made++
			}
		}
		if old == 0 || made == 0 {
			t.Errorf("%d states before the change and %d after it", old, made)
		}
	}
}

// agree checks that a register of the old or the new number of rows has a summary that
// says so, and returns the number.
func agree(t *testing.T, f *Files, d workspace.Deliverable, before, after int) int {
	t.Helper()
	now, err := f.Read(context.Background(), d)
	n := 0
	if !fault.Is(err, fault.RegisterNotFound) {
		must(t, err)
		n = now.Len()
	}
	summary := content(t, d, "_DEPENDENCIES.md")
	if n != before && n != after || n == 0 && summary != empty || n > 0 && !strings.Contains(summary, fmt.Sprintf("**Total ACTIVE rows:** %d\n", n)) {
		t.Fatalf("%d rows, %d before and %d after; the summary is\n%s", n, before, after, summary)
	}
	return n
}
