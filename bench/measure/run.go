// Package measure is the frame of the benchmarks: rows that are measured on two sides, belay and
// something bare that does only the same input and output, round by round in one run; their
// figures with what belay must reach; and the page with the table of them.
//
// A benchmark is a list of [Row] and a [Document]. [Options] are its flags. [Select] finds the
// rows that were asked for, [Run] measures them and writes the page.
package measure

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Options are the flags that all benchmarks have.
type Options struct {
	// Belay is the program that is measured, Dir where its folders are made, "" for the system's.
	Belay, Dir string
	// Doc is the page to write, JSON a file for the figures; "" is none.
	Doc, JSON string
	// Rows is an expression for the names of the rows to measure, "" is all.
	Rows   string
	Rounds int
}

// Flags adds the flags to f. The page is doc where nothing else is said.
func (o *Options) Flags(f *flag.FlagSet, doc string) {
	f.StringVar(&o.Belay, "belay", "bin/belay", "the belay binary")
	f.StringVar(&o.Dir, "dir", "", "where the temporary folder is made; records are flushed to this disk")
	f.StringVar(&o.Doc, "doc", doc, "page to write when all rows ran; empty for none")
	f.StringVar(&o.JSON, "json", "", "file for the figures as JSON")
	f.StringVar(&o.Rows, "rows", "", "measure only the rows whose name matches")
	f.IntVar(&o.Rounds, "rounds", 3, "rounds of every row, at least 3")
}

// Check refuses flags that cannot be meant.
func (o *Options) Check() error {
	if o.Rounds < 3 || o.Rounds > 100 {
		return errors.New("rounds must be 3 to 100")
	}
	if _, err := os.Stat(o.Belay); err != nil {
		return fmt.Errorf("there is no program to measure (make build makes it): %w", err)
	}
	return nil
}

// Folder makes the temporary folder of a run. The caller removes it.
func (o *Options) Folder() (string, error) {
	dir, err := os.MkdirTemp(o.Dir, "belay-bench-")
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

// Row measures one or more figures with what a benchmark B has prepared.
type Row[B any] struct {
	Name    string
	Measure func(b B, ctx context.Context) ([]Figure, error)
}

// rowTimeout bounds the measuring of one row.
const rowTimeout = 10 * time.Minute

// Select returns the rows whose names match the expression of the options.
func Select[B any](o Options, rows []Row[B]) ([]Row[B], error) {
	wanted, err := regexp.Compile(o.Rows)
	if err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	found := slices.DeleteFunc(slices.Clone(rows), func(r Row[B]) bool { return !wanted.MatchString(r.Name) })
	if len(found) > 0 {
		return found, nil
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Name
	}
	return nil, fmt.Errorf("no row has a name that matches %q; there are %s", o.Rows, strings.Join(names, ", "))
}

// Run measures rows one after the other, tells of each on say, and writes what the options ask
// for. The page is written only when it is whole.
func Run[B any](ctx context.Context, o Options, b B, rows []Row[B], d Document, say io.Writer) error {
	var all []Figure
	for _, r := range rows {
		fmt.Fprintln(say, r.Name)
		figures, err := measured(ctx, b, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		for _, f := range figures {
			fmt.Fprintf(say, "    %s\n", f)
		}
		all = append(all, figures...)
	}
	return d.write(o, all)
}

func measured[B any](ctx context.Context, b B, r Row[B]) ([]Figure, error) {
	ctx, cancel := context.WithTimeout(ctx, rowTimeout)
	defer cancel()
	return r.Measure(b, ctx)
}
