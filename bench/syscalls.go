package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"

	"belay/bench/load"
	"belay/bench/measure"
	"belay/bench/proc"
)

// tracedTurns is how many turns of a round are traced. A server's own chores, such
// as a look at its memory, weigh little among so many.
const tracedTurns = 100

// systemCalls counts the file system calls of a turn in an existing session, and
// its flushes. Both servers run under strace, which slows them down, so nothing
// else is measured here.
func (b *bench) systemCalls(ctx context.Context) (_ []measure.Figure, err error) {
	calls := measure.Figure{Row: "system calls", What: "file system calls of a turn in an existing session", Unit: "calls", Target: measure.AtMost(70)}
	flushes := measure.Figure{Row: "system calls", What: "the same, flushes", Unit: "flushes", Target: measure.AtMost(1)}
	strace, err := exec.LookPath("strace")
	if err != nil {
		calls.Note, flushes.Note = "not run: there is no strace here", "not run: there is no strace here"
		return []measure.Figure{calls, flushes}, nil
	}
	p, err := b.open(ctx, setup{message: shortMessage, sessions: 1, strace: strace})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var all, flushed measure.Series
	err = b.rounds(ctx, p, func(s *side) error {
		before, err := countCalls(s.trace)
		if err != nil {
			return err
		}
		if _, err := load.Loop(ctx, s.server.Addr, s.sessions, s.setup.lineBytes(), 0, tracedTurns); err != nil {
			return err
		}
		after, err := countCalls(s.trace)
		all.Add(s.bare, float64(after.all-before.all)/tracedTurns)
		flushed.Add(s.bare, float64(after.flushes-before.flushes)/tracedTurns)
		return err
	})
	calls.Bare, calls.Belay = all.Medians()
	flushes.Bare, flushes.Belay = flushed.Medians()
	return []measure.Figure{calls, flushes}, err
}

// underStrace makes a server's command write its file calls to trace, a line each.
// With -D the server stays the child that is signalled, and strace becomes a
// process of its own.
func underStrace(strace, trace string, c proc.Command) proc.Command {
	c.Args = append([]string{"-D", "-f", "-y", "-qq", "-e", "signal=none", "-e", "trace=%file,%desc", "-o", trace, c.Path}, c.Args...)
	c.Path = strace
	return c
}

// fileCalls are calls of the file system.
type fileCalls struct{ all, flushes int }

// fileCall is a line of strace about a path, or about a descriptor that leads to
// one: strace names sockets and pipes otherwise. A call that another thread
// interrupts has a second line, which does not begin with the call's name.
var fileCall = regexp.MustCompile(`^\d+ +(\w+)\((?:\d+</|AT_FDCWD|")`)

// countCalls counts the calls in a trace so far.
func countCalls(trace string) (n fileCalls, err error) {
	f, err := os.Open(trace)
	if err != nil {
		return n, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		call := fileCall.FindStringSubmatch(line)
		if call == nil {
			continue
		}
		n.all++
		switch call[1] {
		case "fsync", "fdatasync", "sync_file_range", "syncfs", "msync":
			n.flushes++
		}
	}
}
