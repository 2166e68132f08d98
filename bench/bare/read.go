package main

import (
	"errors"
	"os"
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
