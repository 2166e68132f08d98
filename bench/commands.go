package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"belay/bench/measure"
	"belay/bench/proc"
)

// command measures the least command: in a turn, from the call to the result, with
// all that confines it and reviews what it changed.
func (b *bench) command(ctx context.Context) ([]measure.Figure, error) {
	c := leastCommand("`true` by the bash tool, confined", 15)
	plain, err := b.compare(ctx, c)
	if err != nil {
		return nil, err
	}
	c.what, c.target = "the same", nil
	c.note = "beside a program that only enters namespaces and Landlock and becomes `true`"
	c.bare = func(ctx context.Context, _ string) error {
		cmd := exec.CommandContext(ctx, b.bareBin, "-caged", "true")
		cmd.SysProcAttr = cage()
		return cmd.Run()
	}
	if err := c.bare(ctx, ""); err != nil {
		c.bare, c.note = nil, fmt.Sprintf("nothing beside it: %v", err)
	}
	caged, err := b.compare(ctx, c)
	return []measure.Figure{plain, caged}, err
}

// leastCommand is `true`, which is to take at most so many milliseconds where fork and
// exec take 0.73.
func leastCommand(what string, limit float64) comparison {
	return comparison{
		row: "tools", what: what, target: measure.AtMost(limit).Beside(0.73), note: "beside fork and exec of `true`",
		calling: bashCalls(30, "true"),
		bare:    func(ctx context.Context, _ string) error { return program(ctx, "true") },
	}
}

// bashCalls are calls of a command. A comment makes each of them another one.
func bashCalls(n int, command string) calling {
	return calling{
		tool: "bash", count: n, want: "exit code 0",
		input: func(i int) step { return step{"command": fmt.Sprintf("%s # %d", command, i)} },
	}
}

// commandLarge measures the least command in a large project.
func (b *bench) commandLarge(ctx context.Context) ([]measure.Figure, error) {
	c := leastCommand("the same in a project of 50,000 files", 20)
	c.fill = func(project string) error { return manyFiles(project, 50_000, "some text\n") }
	m, err := b.compare(ctx, c)
	return []measure.Figure{m}, err
}

// unwrittenBytes is how much lies in memory that the system still has to write to the
// disk.
const unwrittenBytes = 1_500_000_000

// commandUnwritten measures the least command while another program's file waits to be
// written to the same disk.
func (b *bench) commandUnwritten(ctx context.Context) ([]measure.Figure, error) {
	c := leastCommand("the same with 1.5 GB unwritten elsewhere on the disk", 25)
	written := ""
	c.disturb = func() (func() error, error) {
		end, err := b.unwritten()
		return func() error {
			if dirty, ok := dirtyBytes(); ok && dirty < unwrittenBytes/2 {
				written = "; the system wrote most of it meanwhile"
			}
			return end()
		}, err
	}
	m, err := b.compare(ctx, c)
	m.Note += written
	return []measure.Figure{m}, err
}

// unwritten makes a file that is not flushed. End removes it, which spares the disk
// the rest of it.
func (b *bench) unwritten() (end func() error, err error) {
	f, err := os.Create(filepath.Join(b.dir, "unwritten"))
	if err != nil {
		return nil, err
	}
	piece := make([]byte, 4<<20)
	for n := 0; n < unwrittenBytes && err == nil; n += len(piece) {
		_, err = f.Write(piece)
	}
	end = func() error { return os.Remove(f.Name()) }
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(err, end())
	}
	return end, nil
}

// dirtyBytes is what the system still has to write to its disks, where it tells.
func dirtyBytes() (n int64, ok bool) {
	table, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "Dirty:" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}

// besideName is the folder beside the project that has the same files. Commands without
// a sandbox run there.
const besideName = "beside"

// withoutSandbox compares a command with itself: bash runs it in a copy of the project
// with a HOME of its own, as a person would.
func withoutSandbox(c comparison, n int, command string) comparison {
	c.row, c.calling, c.oneSession = "tools", bashCalls(n, command), true
	fill := c.fill
	c.fill = func(project string) error {
		beside := filepath.Join(filepath.Dir(project), besideName)
		if err := os.Mkdir(beside, 0o755); err != nil || fill == nil {
			return err
		}
		return errors.Join(fill(project), fill(beside))
	}
	c.bare = func(ctx context.Context, project string) error {
		cmd := exec.CommandContext(ctx, "bash", "-c", command)
		above := filepath.Dir(project)
		cmd.Dir, cmd.Env = filepath.Join(above, besideName), append(proc.Env(above), "GIT_OPTIONAL_LOCKS=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	return c
}
