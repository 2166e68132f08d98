//go:build crashtest

package crash

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// strict, for how many changes of names stay, is those that a strict file system is
// sure to keep.
const strict = -1

// loss says what a power cut takes: how many changes of names of a root stay, and
// what a file holds.
type loss struct {
	name    string
	names   func(root, forced, all int) int
	content func(f *file) []byte
}

func keepAll(f *file) []byte     { return f.content(len(f.writes), -1) }
func keepFlushed(f *file) []byte { return f.kept }

// losses are the ways in which a power cut takes what was not flushed.
func losses(seed uint64) []loss {
	forced := func(_, forced, _ int) int { return forced }
	all := func(_, _, all int) int { return all }
	random := rand.New(rand.NewPCG(seed, 0))
	return []loss{
		{"all since the last flush", forced, keepFlushed},
		{"all since the last flush on a strict file system", func(_, _, _ int) int { return strict }, keepFlushed},
		{"all since the last flush on a strict file system of the project", func(root, _, all int) int {
			if root == 0 {
				return strict
			}
			return all
		}, keepFlushed},
		{"all since the last flush on a strict file system of the state folder", func(root, _, all int) int {
			if root == 1 {
				return strict
			}
			return all
		}, keepFlushed},
		{"data without names", forced, keepAll},
		{"names without data", all, keepFlushed},
		{"names of the project without those of the state folder", func(root, forced, all int) int {
			if root == 0 {
				return all
			}
			return forced
		}, keepFlushed},
		{"names of the state folder without those of the project", func(root, forced, all int) int {
			if root == 1 {
				return all
			}
			return forced
		}, keepAll},
		{"some", func(_, forced, all int) int { return forced + random.IntN(all-forced+1) }, func(f *file) []byte {
			n := random.IntN(len(f.writes) + 1)
			torn := -1
			if n > 0 && random.IntN(2) == 0 {
				torn = random.IntN(len(f.writes[n-1].data) + 1)
			}
			return f.content(n, torn)
		}},
	}
}

// kill is what a killed process leaves: everything.
var kill = loss{"nothing", func(_, _, all int) int { return all }, keepAll}

// fingerprint tells what is left apart from what was left before.
func (d *disk) fingerprint(l loss) string {
	sum := sha256.New()
	for i := range d.roots {
		d.hash(sum, i+1, d.left(i, l), l)
	}
	return string(sum.Sum(nil))
}

func (d *disk) hash(sum io.Writer, at int, names map[int]map[string]int, l loss) {
	for _, base := range slices.Sorted(maps.Keys(names[at])) {
		f := &d.files[names[at][base]]
		fmt.Fprintf(sum, "%q %q %v %o ", base, f.target, f.dir, f.mode)
		if f.dir {
			d.hash(sum, names[at][base], names, l)
		} else {
			content := l.content(f)
			fmt.Fprintf(sum, "%d ", len(content))
			_, _ = sum.Write(content) // a hash takes everything
		}
	}
	fmt.Fprintln(sum)
}

// left are the names of a root that stay.
func (d *disk) left(root int, l loss) map[int]map[string]int {
	names := clone(d.kept)
	n := l.names(root, d.forced[root], len(d.moves[root]))
	if n == strict {
		for i, m := range d.moves[root] {
			if d.must[root][i] {
				set(names, m)
			}
		}
		return names
	}
	for _, m := range d.moves[root][:n] {
		set(names, m)
	}
	return names
}

// materialize puts what is left of each root in its place.
func (d *disk) materialize(l loss) error {
	for i, root := range d.roots {
		names := d.left(i, l)
		entries, err := os.ReadDir(root)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := os.RemoveAll(filepath.Join(root, e.Name())); err != nil {
				return err
			}
		}
		if err := d.write(root, i+1, names, l); err != nil {
			return err
		}
	}
	return nil
}

func (d *disk) write(folder string, at int, names map[int]map[string]int, l loss) error {
	for _, base := range slices.Sorted(maps.Keys(names[at])) {
		id := names[at][base]
		f, path := &d.files[id], filepath.Join(folder, base)
		var err error
		switch {
		case f.dir:
			if err = os.Mkdir(path, 0o700); err == nil {
				err = d.write(path, id, names, l)
			}
		case f.target != "":
			err = os.Symlink(f.target, path)
		default:
			if err = os.WriteFile(path, l.content(f), 0o600); err == nil && f.mode != 0 {
				err = os.Chmod(path, f.mode&^0o022)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
