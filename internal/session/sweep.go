package session

import (
	"io/fs"
	"os"
	"path"
	"strings"

	"belay/internal/durable"
)

// undoPrefix begins the names of folders in .belay that undos left before there was
// a journal.
const undoPrefix = "undo-"

// leftovers sweeps the folder that session folders lie in.
func (g *gc) leftovers(base *os.Root, dir string) error {
	for _, prefix := range []string{deletedPrefix, importPrefix, newPrefix} {
		if err := g.sweep(base, dir, prefix); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes old entries with a prefix from a folder.
func (g *gc) sweep(root *os.Root, dir, prefix string) error {
	names, err := list(root, dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		name = path.Join(dir, name)
		info, err := root.Lstat(name)
		if missing(err) || err == nil && g.now.Sub(info.ModTime()) < graceAge {
			continue
		}
		if err != nil {
			return err
		}
		g.report.Leftovers++
		g.report.LeftoverBytes += size(root, name, info)
		if g.o.DryRun {
			continue
		}
		if err := durable.RemoveAll(root, name); err != nil {
			return err
		}
	}
	return nil
}

// size is the bytes of a file, or of all files in a folder.
func size(root *os.Root, name string, info fs.FileInfo) int64 {
	if !info.IsDir() {
		return info.Size()
	}
	var n int64
	_ = fs.WalkDir(root.FS(), name, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil // only for the report: what cannot be read counts nothing
	})
	return n
}

// list returns the names in a folder, none when it is not there.
func list(root *os.Root, dir string) ([]string, error) {
	d, err := root.Open(dir)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	return d.Readdirnames(-1)
}
