package session

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"belay/internal/durable"
)

// undoPrefix begins the names of folders in .belay that undos left before there was
// a journal.
const undoPrefix = "undo-"

// leftovers sweeps the folder that session folders are in.
func (g *gc) leftovers(base *os.Root, dir string) error {
	for _, prefix := range []string{deletedPrefix, importPrefix, newPrefix} {
		if err := g.sweep(base, dir, prefix); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes entries with a prefix from a folder that nobody works on: those that
// are deleted at once, those that a dead process made, and any that are old.
func (g *gc) sweep(root *os.Root, dir, prefix string) error {
	names, err := list(root, dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		if err := g.leftover(root, dir, name, prefix); err != nil && !missing(err) {
			return err
		}
	}
	return nil
}

// leftover removes one entry, unless somebody works on it.
func (g *gc) leftover(root *os.Root, dir, name, prefix string) error {
	full := path.Join(dir, name)
	info, err := root.Lstat(full)
	if err != nil {
		return err
	}
	bytes, last := contents(root, full, info)
	if prefix != deletedPrefix && g.now.Sub(last) < graceAge && !g.store.maker.madeByDead(name, prefix) {
		return nil
	}
	if prefix == deletedPrefix {
		lock, err := g.store.Upkeep.deleter(strings.TrimPrefix(name, prefix))
		if err != nil {
			return nil // somebody is removing it now
		}
		if lock != nil {
			defer func() { _ = lock.Unlock() }() // the kernel frees it in any case
		}
	}
	g.report.Leftovers++
	g.report.LeftoverBytes += bytes
	if g.o.DryRun {
		return nil
	}
	if prefix == deletedPrefix {
		if err := g.store.Upkeep.forgetCutOff(pathAt(root.Name(), path.Join(dir, strings.TrimPrefix(name, prefix)))); err != nil {
			return err
		}
	}
	if info.IsDir() && prefix != deletedPrefix {
		// Should somebody make it after all, it fails as a whole.
		aside := path.Join(dir, deletedPrefix+rand.Text())
		if err := durable.Rename(root, full, aside); err != nil {
			return err
		}
		full = aside
	}
	return durable.RemoveAll(root, full)
}

// forgetCutOff removes what the state folder has of a session whose deletion a crash
// cut off: its hidden folder is still there, and the index leads to its place.
func (s *Upkeep) forgetCutOff(p sessionPath) error {
	id := path.Base(p.rel)
	if known, ok := s.store.paths.indexed(id); !ok || known != p || p.exists() {
		return nil
	}
	return s.forgetDeleted(p, id)
}

// deleter takes the lock that is held by anyone who deletes a session. It is nil where
// there is none: nobody has used the session.
func (s *Upkeep) deleter(id string) (*durable.FileLock, error) {
	if !ValidID(id) {
		return nil, nil
	}
	if _, err := os.Lstat(s.store.lockPath(id)); err != nil {
		return nil, nil
	}
	return durable.Lock(s.store.lockPath(id))
}

// contents are the bytes of a file, or of all files in a folder, and when one of them
// was last written.
func contents(root *os.Root, name string, info fs.FileInfo) (n int64, last time.Time) {
	if !info.IsDir() {
		return info.Size(), info.ModTime()
	}
	last = info.ModTime()
	_ = fs.WalkDir(root.FS(), name, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read counts nothing
		}
		if info, err := d.Info(); err == nil {
			if !d.IsDir() {
				n += info.Size()
			}
			if info.ModTime().After(last) {
				last = info.ModTime()
			}
		}
		return nil
	})
	return n, last
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
