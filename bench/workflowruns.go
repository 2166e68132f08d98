package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"belay/bench/measure"
)

// What a run does: many items that an agent is asked about, and tools that are called one
// after the other.
const (
	runItems = 5_000
	runReads = 100
)

// workflowRuns measures whole runs of the program, beside a process that makes as many
// results durable: a line in a file, flushed, for each.
func (b *bench) workflowRuns(ctx context.Context) ([]measure.Figure, error) {
	items := fmt.Sprintf("id: items\nagents: [{id: a, instructions: You read.}]\n"+
		"tasks: [{id: each, type: collection, items: '{{ until %d | toJson }}', task: {id: it, agent: a, prompt: 'item {{ .item }}'}}]\n", runItems)
	var reads strings.Builder
	reads.WriteString("id: reads\ntasks:\n")
	for i := range runReads {
		next := ""
		if i+1 < runReads {
			next = fmt.Sprintf(", on_success: {next: t%d}", i+1)
		}
		fmt.Fprintf(&reads, "  - {id: t%d, type: tool, tool: read, with: {path: reads.yaml}%s}\n", i, next)
	}
	var many, tools, files measure.Series
	for range b.o.Rounds {
		took, n, err := b.wholeRun(ctx, "items", items)
		if err != nil {
			return nil, err
		}
		bare, err := elapsed(func() error { return b.flushedLines(runItems) })
		if err != nil {
			return nil, err
		}
		many.AddBoth(bare, took)
		files.Add(false, n)
		if took, _, err = b.wholeRun(ctx, "reads", reads.String()); err != nil {
			return nil, err
		}
		if bare, err = elapsed(func() error { return b.flushedLines(runReads) }); err != nil {
			return nil, err
		}
		tools.AddBoth(bare, took)
	}
	m := many.Figure("workflow", "a run with a collection of 5,000 items", "ms", measure.AtMost(15_000).Beside(859))
	m.Note = "beside a process that writes 5,000 lines and flushes each"
	t := tools.Figure("workflow", "a run of 100 tasks that read a file without a model", "ms", measure.AtMost(1_000).Beside(14.5))
	t.Note = "beside a process that writes 100 lines and flushes each"
	f := files.Figure("workflow", "files of a run with a collection of 5,000 items", "files", measure.AtMost(5_100))
	return []measure.Figure{m, f, t}, nil
}

// wholeRun runs a workflow in a new project, and returns its time in milliseconds and how
// many files it left.
func (b *bench) wholeRun(ctx context.Context, name, workflow string) (ms, files float64, err error) {
	home, err := os.MkdirTemp(b.dir, "run-")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	project := filepath.Join(home, "project")
	file := filepath.Join(project, name+".yaml")
	if err := errors.Join(os.Mkdir(project, 0o755), os.WriteFile(file, []byte(workflow), 0o600)); err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, b.o.Belay, "run", file)
	cmd.Dir = project
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home+"/state", "XDG_CACHE_HOME="+home+"/cache", "XDG_CONFIG_HOME="+home+"/config",
		"BELAY_PROVIDER=scripted", "BELAY_SCRIPTED_PACE=0s", "BELAY_WORKFLOW_MAX_ITEMS=5000", "BELAY_WORKFLOW_MAX_TASKS=20000", "BELAY_WORKFLOW_STEPS=200")
	ms, err = elapsed(func() error {
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("belay run %s: %w\n%s", name, err, out[max(0, len(out)-2000):])
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	err = filepath.WalkDir(filepath.Join(project, ".belay"), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files++
		}
		return err
	})
	return ms, files, err
}

// flushedLines writes so many lines to a file and flushes each.
func (b *bench) flushedLines(n int) (err error) {
	f, err := os.CreateTemp(b.dir, "lines-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	line := []byte(strings.Repeat("x", 500) + "\n")
	for range n {
		if _, err := f.Write(line); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return nil
}
