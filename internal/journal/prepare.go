package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"belay/internal/durable"
)

// preparation makes the contents of a transaction, and makes them durable.
type preparation struct {
	tx *Tx
	// folders are those of the project around the changes, by path.
	folders map[string]State
	// device is the file system of the contents that were taken.
	device uint64
	// atOnce is set where all that is prepared is flushed at once: its files are not
	// flushed one by one then.
	atOnce bool
	// named is set when the name of the transaction's folder is made durable.
	named bool
}

// Prepare puts the new contents into the journal and makes them durable, and the files
// that are replaced as well: their owners may never have flushed them. The project's
// files stay as they are. After an error nothing is left.
func (tx *Tx) Prepare() (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.drop())
		}
	}()
	prep := preparation{tx: tx, folders: map[string]State{}}
	above, err := prep.makeDir()
	if err == nil && tx.contents != "" {
		if !isTemp(tx.contents) {
			// A power cut must not lose the folder, with what was taken in it.
			err = durable.Together(prep.nameDir(above)...)
		}
		if err == nil {
			err = prep.bring(tx.contents)
		}
	}
	if err == nil && tx.tree != nil {
		prep.atOnce = prep.flushesAtOnce()
		err = prep.inspectAll()
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	flushes, err := prep.fillAll()
	if err != nil {
		return err
	}
	if prep.atOnce && tx.p.s.flushAll(tx.dir) == nil {
		flushes = nil
	} else {
		prep.atOnce = false // what failed may be of another file: each is flushed
		flushes = append(append(flushes, prep.names()...), prep.nameDir(above)...)
	}
	if err := prep.flushOriginals(flushes); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	tx.p.s.sure.note(tx.p.path, above)
	return nil
}

// fillAll makes the contents that were not taken, and returns what makes durable those
// that are not durable yet.
func (prep *preparation) fillAll() (flushes []func() error, err error) {
	for i := range prep.tx.rec.Changes {
		c := &prep.tx.rec.Changes[i]
		if c.Tree != nil && !c.Taken {
			return nil, fmt.Errorf("journal: %w", &TreeError{c.Path, notAlone})
		}
		if c.places() && !c.Taken {
			flush, err := prep.fill(i)
			if err != nil {
				return nil, fmt.Errorf("journal: the new content of %s: %w", c.Path, err)
			}
			if flush != nil {
				flushes = append(flushes, flush)
			}
		} else if c.After.Type == File && c.Taken && (prep.atOnce && !c.Loose || c.Loose && !prep.tx.isPart(i)) {
			flushes = append(flushes, func() error {
				return flushFile(durable.Entry{Folder: prep.tx.tree, Name: string(c.Path)}, durable.Original)
			})
		}
	}
	return flushes, nil
}

// flushOriginals makes the files durable that are replaced or removed, beside other
// flushes.
func (prep *preparation) flushOriginals(others []func() error) error {
	originals := byFolder{last: durable.LastFolder{Root: prep.tx.p.root}}
	defer originals.close()
	for i := range prep.tx.rec.Changes {
		c := &prep.tx.rec.Changes[i]
		if c.Before.Type != File || !c.places() && !c.takes() || prep.atOnce && c.Before.Device == prep.device {
			continue
		}
		if err := originals.add(string(c.Path), flushOriginal); err != nil {
			return err
		}
	}
	return durable.Together(append(others, originals.run)...)
}

// flushesAtOnce reports whether all that is prepared is flushed sooner at once than file by
// file: it is on one file system then, with the project's folder.
func (prep *preparation) flushesAtOnce() bool {
	if prep.folder(".").Device != prep.device {
		return false
	}
	n := 0
	for i := range prep.tx.rec.Changes {
		c := &prep.tx.rec.Changes[i]
		if c.After.Type == File && c.places() && !c.Loose {
			n++
		}
		if c.Before.Type == File && (c.places() || c.takes()) {
			n++
		}
	}
	return prep.tx.p.s.flushesAtOnce(prep.tx.dir, n)
}

// nameDir makes the name of the transaction's folder durable; above is what it is in.
func (prep *preparation) nameDir(above fs.FileInfo) []func() error {
	if prep.named {
		return nil
	}
	prep.named = true
	work := []func() error{func() error { return durable.FlushDir(prep.tx.p.in, ".", durable.Original) }}
	if !prep.tx.p.s.sure.has(prep.tx.p.path, above) {
		work = append(work,
			func() error { return durable.FlushDir(prep.tx.p.root, dirBelay, durable.Original) },
			func() error { return durable.FlushDir(prep.tx.p.root, ".", durable.Original) })
	}
	return work
}

// names make the names of the contents durable.
func (prep *preparation) names() []func() error {
	work := []func() error{func() error { return durable.FlushDir(prep.tx.dir, ".", durable.Original) }}
	seen := map[string]bool{}
	for i := range prep.tx.rec.Changes {
		c := &prep.tx.rec.Changes[i]
		if !c.Taken || c.Loose && prep.tx.isPart(i) {
			continue
		}
		for dir := path.Dir(string(c.Path)); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			work = append(work, func() error { return durable.FlushDir(prep.tx.tree, dir, durable.Original) })
		}
	}
	return work
}

// makeDir makes the folder of the transaction's contents, and returns the one that
// it is in.
func (prep *preparation) makeDir() (above fs.FileInfo, err error) {
	if err := prep.tx.p.makeContents(); err != nil {
		return nil, err
	}
	if err := durable.Mkdir(prep.tx.p.in, prep.tx.rec.ID, 0o700); err != nil {
		return nil, err
	}
	if prep.tx.dir, err = durable.EnterFolder(prep.tx.p.in, prep.tx.rec.ID); err != nil {
		return nil, err
	}
	return prep.tx.p.in.Stat(".")
}

// flushFile makes a file's content durable.
func flushFile(e durable.Entry, kind *durable.File) error {
	f, _, err := durable.OpenEntry(e)
	if err != nil {
		return err
	}
	return errors.Join(durable.FlushOf(f, filepath.Join(e.Folder.Name(), e.Name), kind).Sync(), f.Close())
}

// flushOriginal makes a file durable that is about to be replaced. One that
// belay may not read stays as durable as it is.
func flushOriginal(e durable.Entry, err error) error {
	if err == nil {
		err = flushFile(e, durable.ProjectFile)
	}
	// What an earlier change moves, and what is wrong, is Apply's; and some systems flush
	// only what may be written.
	if gone(err) || errors.Is(err, durable.ErrNotRegular) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
