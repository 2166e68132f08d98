// Command bench measures belay beside a bare net/http server that does nothing
// but the same input and output, on one machine in one run, and writes the
// figures to docs/performance.md. `make bench` runs it.
//
//	go run ./bench [--quick] [--rows REGEXP] [--json FILE]
//
// Every server is a child process with folders of its own under one temporary
// folder, which is removed at the end. The two sides take turns, round by
// round, so that a disturbance of the machine meets both; a figure is the
// median of the rounds. Nothing is dialled but loopback. A stream that is not
// what it must be fails the run: see package load.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"belay/bench/measure"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	measure.Options
	aimock string
	length time.Duration
	quick  bool
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(out)
	o.Flags(f, "docs/performance.md")
	f.StringVar(&o.aimock, "aimock", "test/aimock", "folder with the installed npm mock")
	f.DurationVar(&o.length, "length", 3*time.Second, "length of a round under load")
	f.BoolVar(&o.quick, "quick", false, "leave out the two-minute wait after the load")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.length <= 0 || o.length > time.Minute {
		return o, errors.New("length must be at most 1m")
	}
	return o, o.Check()
}

// bench is one run.
type bench struct {
	o options
	// dir is the run's folder, bareBin the yardstick's binary in it. That of belay is
	// a copy in it, too.
	dir     string
	bareBin string
	pairs   int
	// roots are the projects that were made, by how many deliverables they have.
	roots map[int]string
}

func run(ctx context.Context, args []string, say io.Writer) (err error) {
	o, err := parse(args, say)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	wanted, err := measure.Select(o.Options, rows())
	if err != nil {
		return err
	}
	b := &bench{o: o}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	return measure.Run(ctx, o.Options, b, wanted, b.document(), say)
}

// prepare makes the run's folder, with the yardstick and a copy of belay in it.
func (b *bench) prepare(ctx context.Context) (err error) {
	if b.dir, err = b.o.Folder(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(b.dir))
		}
	}()
	linked := filepath.Join(b.dir, "linked")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", linked, "./bench/bare")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the bare server: %w\n%s", err, out)
	}
	given := b.o.Belay
	b.bareBin, b.o.Belay = filepath.Join(b.dir, "bare.exe"), filepath.Join(b.dir, "belay.exe") // names that every system runs
	return errors.Join(copyProgram(linked, b.bareBin), copyProgram(given, b.o.Belay))
}

// copyProgram copies a program in small pieces. What a linker has just written lies in
// the system's cache in large ones, and each that a process touches counts as its memory.
func copyProgram(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	// Without the files' own methods, which leave the copying to the system.
	_, err = io.Copy(struct{ io.Writer }{out}, struct{ io.Reader }{in})
	return errors.Join(err, out.Close())
}
