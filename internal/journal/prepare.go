package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"

	"belay/internal/durable"
)

// slot is the name of the content of a change, in the folder of the transaction, where
// it was not taken; spare that of a copy of what it replaces.
func slot(i int) string  { return strconv.Itoa(i) }
func spare(i int) string { return "o" + strconv.Itoa(i) }

// slot is where the content of change i is, and what it replaced afterwards.
func (tx *Tx) slot(i int) durable.Entry {
	if c := &tx.rec.Changes[i]; c.Taken && tx.tree != nil {
		tx.taken.Root = tx.tree
		if e, err := tx.taken.Entry(string(c.Path)); err == nil {
			return e
		}
		return durable.Entry{Folder: tx.tree, Name: string(c.Path)} // it leads nowhere
	}
	return durable.Entry{Folder: tx.dir, Name: slot(i)}
}

// slotName is the path of a slot in the folder of the transaction.
func (tx *Tx) slotName(i int) string {
	if c := &tx.rec.Changes[i]; c.Taken {
		return path.Join(treeName(tx.rec.From), string(c.Path))
	}
	return slot(i)
}

func (tx *Tx) spare(i int) durable.Entry { return durable.Entry{Folder: tx.dir, Name: spare(i)} }

// Prepare puts the new contents into the journal and makes them durable, and the files
// that are replaced as well: their owners may never have flushed them. The project's
// files stay as they are. After an error nothing is left.
func (tx *Tx) Prepare() (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.drop())
		}
	}()
	above, err := tx.makeDir()
	if err == nil && tx.contents != "" {
		if !isTemp(tx.contents) {
			// A power cut must not lose the folder, with what was taken in it.
			err = durable.Together(tx.nameDir(above)...)
		}
		if err == nil {
			err = tx.bring(tx.contents)
		}
	}
	if err == nil && tx.tree != nil {
		tx.atOnce = tx.flushesAtOnce()
		err = tx.inspectAll()
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	flushes, err := tx.fillAll()
	if err != nil {
		return err
	}
	if tx.atOnce && tx.p.s.flushAll(tx.dir) == nil {
		flushes = nil
	} else {
		tx.atOnce = false // what failed may be of another file: each is flushed
		flushes = append(append(flushes, tx.names()...), tx.nameDir(above)...)
	}
	if err := tx.flushOriginals(flushes); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	tx.p.s.sure.note(tx.p.path, above)
	return nil
}

// fillAll makes the contents that were not taken, and returns what makes durable those
// that are not durable yet.
func (tx *Tx) fillAll() (flushes []func() error, err error) {
	for i := range tx.rec.Changes {
		c := &tx.rec.Changes[i]
		if c.Tree != nil && !c.Taken {
			return nil, fmt.Errorf("journal: %w", &TreeError{c.Path, notAlone})
		}
		if c.places() && !c.Taken {
			flush, err := tx.fill(i)
			if err != nil {
				return nil, fmt.Errorf("journal: the new content of %s: %w", c.Path, err)
			}
			if flush != nil {
				flushes = append(flushes, flush)
			}
		} else if c.After.Type == File && c.Taken && (tx.atOnce && !c.Loose || c.Loose && !tx.isPart(i)) {
			flushes = append(flushes, func() error {
				return flushFile(durable.Entry{Folder: tx.tree, Name: string(c.Path)}, durable.Original)
			})
		}
	}
	return flushes, nil
}

// flushOriginals makes the files durable that are replaced or removed, beside other
// flushes.
func (tx *Tx) flushOriginals(others []func() error) error {
	originals := byFolder{last: durable.LastFolder{Root: tx.p.root}}
	defer originals.close()
	for i := range tx.rec.Changes {
		c := &tx.rec.Changes[i]
		if c.Before.Type != File || !c.places() && !c.takes() || tx.atOnce && c.Before.Device == tx.device {
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
func (tx *Tx) flushesAtOnce() bool {
	if tx.folder(".").Device != tx.device {
		return false
	}
	n := 0
	for i := range tx.rec.Changes {
		c := &tx.rec.Changes[i]
		if c.After.Type == File && c.places() && !c.Loose {
			n++
		}
		if c.Before.Type == File && (c.places() || c.takes()) {
			n++
		}
	}
	return tx.p.s.flushesAtOnce(tx.dir, n)
}

// nameDir makes the name of the transaction's folder durable; above is what it is in.
func (tx *Tx) nameDir(above fs.FileInfo) []func() error {
	if tx.named {
		return nil
	}
	tx.named = true
	work := []func() error{func() error { return durable.FlushDir(tx.p.in, ".", durable.Original) }}
	if !tx.p.s.sure.has(tx.p.path, above) {
		work = append(work,
			func() error { return durable.FlushDir(tx.p.root, dirBelay, durable.Original) },
			func() error { return durable.FlushDir(tx.p.root, ".", durable.Original) })
	}
	return work
}

// names make the names of the contents durable.
func (tx *Tx) names() []func() error {
	work := []func() error{func() error { return durable.FlushDir(tx.dir, ".", durable.Original) }}
	seen := map[string]bool{}
	for i := range tx.rec.Changes {
		c := &tx.rec.Changes[i]
		if !c.Taken || c.Loose && tx.isPart(i) {
			continue
		}
		for dir := path.Dir(string(c.Path)); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			work = append(work, func() error { return durable.FlushDir(tx.tree, dir, durable.Original) })
		}
	}
	return work
}

// makeDir makes the folder of the transaction's contents, and returns the one that
// it is in.
func (tx *Tx) makeDir() (above fs.FileInfo, err error) {
	if err := tx.p.makeContents(); err != nil {
		return nil, err
	}
	if err := durable.Mkdir(tx.p.in, tx.rec.ID, 0o700); err != nil {
		return nil, err
	}
	if tx.dir, err = durable.EnterFolder(tx.p.in, tx.rec.ID); err != nil {
		return nil, err
	}
	return tx.p.in.Stat(".")
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
