package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"belay/bench/measure"
)

// writtenFiles is how many files a command writes.
const writtenFiles = 1_000

// commandFiles measures commands that write many files, with their review and their
// apply.
func (b *bench) commandFiles(ctx context.Context) ([]measure.Figure, error) {
	added, err := b.compare(ctx, withoutSandbox(comparison{
		what: "a command that writes 1,000 new small files, review and apply included", target: measure.AtMostTimes(1.5),
		note: "beside the same command without a sandbox, which flushes nothing",
	}, 4, `d=new-$$-$RANDOM$RANDOM; mkdir $d && for n in {1..1000}; do echo "the text of file $n" >$d/$n.txt; done`))
	if err != nil {
		return nil, err
	}
	replaced, err := b.compare(ctx, withoutSandbox(comparison{
		what: "a command that replaces 1,000 small files, review and apply included",
		note: "beside the same command without a sandbox, which flushes nothing; the next row is what flushing them takes alone",
		fill: func(project string) error { return smallFiles(filepath.Join(project, "files"), 0) },
	}, 4, `stamp=$RANDOM$RANDOM; for n in {1..1000}; do echo "the text $stamp of file $n" >files/$n.txt; done`))
	if err != nil {
		return nil, err
	}
	flushed, err := b.flushFiles()
	return []measure.Figure{added, replaced, flushed}, err
}

// flushFiles measures what it takes to flush the files that a command replaced.
func (b *bench) flushFiles() (measure.Figure, error) {
	dir := filepath.Join(b.dir, "flushed")
	var figures measure.Series
	for round := range b.o.Rounds + 1 {
		if err := smallFiles(dir, round); err != nil {
			return measure.Figure{}, err
		}
		start := time.Now()
		for n := range writtenFiles {
			if err := flush(smallFile(dir, n)); err != nil {
				return measure.Figure{}, err
			}
		}
		if round > 0 {
			figures.Add(true, ms(time.Since(start)))
		}
	}
	m := figures.Figure("tools", "the same, the fsyncs of 1,000 replaced files alone", "ms", nil)
	m.Note = "one after the other; belay does them together, some at a time"
	return m, os.RemoveAll(dir)
}

func smallFile(dir string, n int) string { return filepath.Join(dir, fmt.Sprintf("%d.txt", n+1)) }

// smallFiles writes the files of a folder, with another text for each stamp.
func smallFiles(dir string, stamp int) error {
	err := os.MkdirAll(dir, 0o755)
	for n := 0; n < writtenFiles && err == nil; n++ {
		err = os.WriteFile(smallFile(dir, n), fmt.Appendf(nil, "the text %d of file %d\n", stamp, n+1), 0o644)
	}
	return err
}

func flush(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
