package scan

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"belay/bench/material/projects"
)

// BenchmarkScan measures a listing from cold beside the least that it could do:
// open and read one status file in each deliverable's folder, whose names are
// known, with as many goroutines.
func BenchmarkScan(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			if n > 1000 && testing.Short() {
				b.Skip("-short")
			}
			dir := b.TempDir()
			shape := projects.Shape{Deliverables: n, Rows: 20}
			if err := projects.Write(dir, shape); err != nil {
				b.Fatal(err)
			}
			b.Run("scan", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r, err := Scan(b.Context(), dir, Options{})
					if err != nil || len(r.Deliverables) != n {
						b.Fatalf("%d deliverables, %v", len(r.Deliverables), err)
					}
				}
			})
			paths := make([]string, n)
			for i := range paths {
				paths[i] = filepath.Join(shape.Path(dir, i), "_STATUS.md")
			}
			b.Run("only-reading", func(b *testing.B) {
				for b.Loop() {
					readAll(b, paths)
				}
			})
		})
	}
}

func readAll(b *testing.B, paths []string) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(paths); i = next.Add(1) - 1 {
				if text, err := os.ReadFile(paths[i]); err != nil || len(text) == 0 {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkReplace measures what one changed deliverable costs a large result.
func BenchmarkReplace(b *testing.B) {
	const n = 10_000
	dir := b.TempDir()
	shape := projects.Shape{Deliverables: n}
	if err := projects.Write(dir, shape); err != nil {
		b.Fatal(err)
	}
	r, err := Scan(b.Context(), dir, Options{Visited: true})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		rel := r.Deliverables[n/2].Path
		part, err := Under(b.Context(), dir, rel, Options{Visited: true, Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		if r = r.Replace(map[string]*Result{rel: part}); len(r.Deliverables) != n {
			b.Fatal(len(r.Deliverables))
		}
	}
}
