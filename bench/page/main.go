// Command page measures the page of belay in headless Chromium, beside a bare page that shows the
// same and does nothing else, on one machine in one run. It writes the figures to
// docs/performance-page.md. `make bench-page` runs it.
//
//	go run ./bench/page [--rounds N] [--rows REGEXP] [--doc FILE]
//
// Each round of a row has a browser context of its own, without a cache. The two sides take turns,
// round by round; a figure is the median of the rounds. Nothing is dialled but loopback.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
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
	belay, doc, rows string
	rounds           int
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("page", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.belay, "belay", "bin/belay", "the belay binary")
	f.StringVar(&o.doc, "doc", "docs/performance-page.md", "page to write when all rows ran; empty for none")
	f.StringVar(&o.rows, "rows", "", "measure only the rows whose name matches")
	f.IntVar(&o.rounds, "rounds", 3, "rounds of every row, at least 3")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.rounds < 3 || o.rounds > 100 {
		return o, errors.New("rounds must be 3 to 100")
	}
	return o, nil
}

// bench is one run.
type bench struct {
	o       options
	dir     string
	browser *browser
}

// row gives one or more figures.
type row struct {
	name    string
	measure func(*bench, context.Context) ([]figure, error)
}

func rows() []row {
	return []row{
		{"first-view", (*bench).firstView},
		{"live", (*bench).live},
		{"scroll", (*bench).scroll},
		{"question", (*bench).question},
	}
}

// rowTimeout bounds the measuring of one row.
const rowTimeout = 10 * time.Minute

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
	if o.belay, err = filepath.Abs(o.belay); err != nil {
		return err
	}
	if _, err := os.Stat(o.belay); err != nil {
		return fmt.Errorf("there is no program to measure; make build makes it: %w", err)
	}
	b := &bench{o: o}
	if b.dir, err = os.MkdirTemp("", "belay-bench-page-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if b.browser, err = startBrowser(b.dir); err != nil {
		return err
	}
	defer b.browser.stop()
	var all []figure
	for _, r := range rows() {
		if !wanted.MatchString(r.name) {
			continue
		}
		fmt.Fprintln(say, r.name)
		ctx, cancel := context.WithTimeout(ctx, rowTimeout)
		figures, err := r.measure(b, ctx)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		for _, f := range figures {
			fmt.Fprintln(say, "   ", f)
		}
		all = append(all, figures...)
	}
	if len(all) == 0 {
		return fmt.Errorf("no row has a name that matches %q", o.rows)
	}
	if o.doc == "" || o.rows != "" {
		return nil
	}
	return os.WriteFile(o.doc, []byte(b.report(all)), 0o644)
}
