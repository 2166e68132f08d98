//go:build crashtest

package registerfile

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
)

// A register whose last flush fails is not said to be as it was, commands are told
// that it was written, and making the change again flushes it. The hook is one for
// the process: the test does not run in parallel.
func TestUnflushedIsToldAsMade(t *testing.T) {
	defer durable.SetHook(nil)
	d := deliverable(t, nil)
	var record []Record
	f := files(t, &record)
	announced := false
	f.o.Notify = func(context.Context, workspace.Write) (func(bool), error) {
		return func(written bool) { announced = written }, nil
	}
	rows := []map[string]string{row("DEP-01-02-001", "TBD")}
	durable.RefuseFolders(d.Path)
	_, err := f.Put(t.Context(), d, Change{}, rows)
	if !fault.Is(err, fault.StorageFailure) || !errors.Is(err, durable.ErrUnflushed) || !strings.Contains(err.Error(), "has the new content") {
		t.Errorf("the change ended with %v", err)
	}
	if !strings.Contains(content(t, d, "Dependencies.csv"), "DEP-01-02-001") || !announced {
		t.Errorf("written %v", announced)
	}
	if len(record) != 2 || !strings.Contains(record[1].Failed, "has the new content") {
		t.Errorf("on record: %+v", record)
	}
	if _, err := f.Put(t.Context(), d, Change{}, rows); !fault.Is(err, fault.StorageFailure) {
		t.Errorf("the same again, while the disk still fails: %v", err)
	}
	var flushed []string
	durable.SetHook(&durable.Hook{After: func(op durable.Op) { flushed = append(flushed, string(op.Verb)+" "+op.Path) }})
	_, err = f.Put(t.Context(), d, Change{}, rows)
	must(t, err)
	want := "flush " + filepath.Join(d.Path, "Dependencies.csv") + "\nflush folder " + d.Path
	if got := strings.Join(flushed, "\n"); got != want {
		t.Errorf("the same again did:\n%s\nwant:\n%s", got, want)
	}
}
