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
	"regexp"
	"slices"
	"syscall"
	"time"
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
	belay  string
	dir    string
	aimock string
	doc    string
	json   string
	rows   string
	rounds int
	length time.Duration
	quick  bool
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.belay, "belay", "bin/belay", "the belay binary")
	f.StringVar(&o.dir, "dir", "", "where the temporary folder is made; records are flushed to this disk")
	f.StringVar(&o.aimock, "aimock", "test/aimock", "folder with the installed npm mock")
	f.StringVar(&o.doc, "doc", "docs/performance.md", "page to write when all rows ran; empty for none")
	f.StringVar(&o.json, "json", "", "file for the figures as JSON")
	f.StringVar(&o.rows, "rows", "", "measure only the rows whose name matches")
	f.IntVar(&o.rounds, "rounds", 3, "rounds of every row, at least 3")
	f.DurationVar(&o.length, "length", 3*time.Second, "length of a round under load")
	f.BoolVar(&o.quick, "quick", false, "leave out the two-minute wait after the load")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.rounds < 3 || o.rounds > 100 || o.length <= 0 || o.length > time.Minute {
		return o, errors.New("rounds must be 3 to 100 and length at most 1m")
	}
	return o, nil
}

// bench is one run.
type bench struct {
	o   options
	say io.Writer
	// dir is the run's folder, bareBin the yardstick's binary in it. That of belay is
	// a copy in it, too.
	dir     string
	bareBin string
	pairs   int
	// roots are the projects that were made, by how many deliverables they have.
	roots map[int]string
}

// rowTimeout bounds the measuring of one row.
const rowTimeout = 6 * time.Minute

func run(ctx context.Context, args []string, say io.Writer) (err error) {
	o, err := parse(args, say)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	wanted, err := regexp.Compile(o.rows)
	if err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	if !slices.ContainsFunc(rows(), func(r row) bool { return wanted.MatchString(r.name) }) {
		return fmt.Errorf("no row has a name that matches %q; their names are in measure.go", o.rows)
	}
	b := &bench{o: o, say: say}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	var all []Measure
	for _, r := range rows() {
		if !wanted.MatchString(r.name) {
			continue
		}
		fmt.Fprintf(say, "%s\n", r.name)
		measures, err := b.row(ctx, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		for _, m := range measures {
			fmt.Fprintf(say, "    %s\n", m)
			all = append(all, m)
		}
	}
	return b.report(all)
}

func (b *bench) row(ctx context.Context, r row) ([]Measure, error) {
	ctx, cancel := context.WithTimeout(ctx, rowTimeout)
	defer cancel()
	return r.measure(b, ctx)
}

// prepare makes the run's folder, with the yardstick and a copy of belay in it.
func (b *bench) prepare(ctx context.Context) (err error) {
	if _, err := os.Stat(b.o.belay); err != nil {
		return fmt.Errorf("%w (make build makes it)", err)
	}
	if b.dir, err = os.MkdirTemp(b.o.dir, "belay-bench-"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(b.dir))
		}
	}()
	if b.dir, err = filepath.Abs(b.dir); err != nil {
		return err
	}
	linked := filepath.Join(b.dir, "linked")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", linked, "./bench/bare")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the bare server: %w\n%s", err, out)
	}
	given := b.o.belay
	b.bareBin, b.o.belay = filepath.Join(b.dir, "bare.exe"), filepath.Join(b.dir, "belay.exe") // names that every system runs
	return errors.Join(copyProgram(linked, b.bareBin), copyProgram(given, b.o.belay))
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
