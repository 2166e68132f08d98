// Command page measures the page of belay in headless Chromium, beside a bare page that shows the
// same and does nothing else, on one machine in one run. It writes the figures to
// docs/performance-page.md. `make bench-page` runs it.
//
//	go run ./bench/page [--rounds N] [--rows REGEXP] [--doc FILE]
//
// Each round of a row has a browser context of its own, without a cache. Rows, rounds and the
// page of figures are those of package measure. Nothing is dialled but loopback.
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
	"syscall"

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

// bench is one run.
type bench struct {
	o       measure.Options
	dir     string
	browser *browser
}

func run(ctx context.Context, args []string, say io.Writer) (err error) {
	var o measure.Options
	f := flag.NewFlagSet("page", flag.ContinueOnError)
	f.SetOutput(say)
	o.Flags(f, "docs/performance-page.md")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	wanted, err := measure.Select(o, rows())
	if err != nil {
		return err
	}
	if o.Belay, err = filepath.Abs(o.Belay); err != nil {
		return err
	}
	b := &bench{o: o}
	if b.dir, err = o.Folder(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if b.browser, err = startBrowser(b.dir); err != nil {
		return err
	}
	defer b.browser.stop()
	return measure.Run(ctx, o, b, wanted, b.document(), say)
}
