package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// readAll reads the files that a list names, with two goroutines for each core.
func readAll(list string) error {
	names, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	paths := strings.Split(strings.TrimSuffix(string(names), "\n"), "\n")
	failed := make([]error, 2*runtime.NumCPU())
	var next atomic.Int64
	var all sync.WaitGroup
	for k := range failed {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(paths) || failed[k] != nil {
					return
				}
				_, failed[k] = os.ReadFile(paths[i])
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

// page is how many sessions are read.
const page = 50

// readSome looks at the session.json of each session in a folder, and reads those
// of a page and their transcripts.
func readSome(folder string) error {
	names, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for i, name := range names {
		record := filepath.Join(folder, name.Name(), "session.json")
		if _, err := os.Lstat(record); err != nil {
			return err
		}
		if i >= page {
			continue
		}
		for _, path := range []string{record, filepath.Join(folder, name.Name(), "transcript.jsonl")} {
			if _, err := os.ReadFile(path); err != nil {
				return err
			}
		}
	}
	return nil
}
