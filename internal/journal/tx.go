package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"go.opentelemetry.io/otel/attribute"

	"belay/internal/durable"
	"belay/internal/telemetry"
)

// Tx is a transaction. It is used by one goroutine.
type Tx struct {
	p   *Project
	rec record
	dir *os.Root // its contents, nil until they are there
	// contents is the folder of the plan's contents, tree the same one once it is in
	// dir, nil for none; taken is the folder in it that was opened last.
	contents Name
	tree     *os.Root
	taken    durable.LastFolder
	// content opens what goes into the files, by the number of their change.
	content []func() (io.ReadCloser, error)
	// part are, by the number of a change, the whole folder that it is made with, -1 for
	// none; last are the last changes of whole folders. Both are nil where there is none.
	part []int
	last map[int]int
	// made is how many changes of a living transaction were made.
	made int
	// dead is set where the process that began the transaction is: nothing is known
	// of how far it came.
	dead bool
	// applied is set when all of it was made.
	applied bool
	// over is set when nothing of it is left to do.
	over bool
	// stuck is set where contents have no other place than the journal.
	stuck bool
}

// Apply makes the changes of a prepared transaction. They are durable when it
// returns. On an error the project is as it was, but for what a [*ConflictError]
// names: that is as somebody else left it.
func (tx *Tx) Apply(ctx context.Context) (err error) {
	_, span := telemetry.Start(ctx, "changes.apply", attribute.Int("belay.changes", len(tx.rec.Changes)))
	defer func() { telemetry.End(span, err) }()
	err = context.Cause(ctx)
	if err == nil {
		err = tx.intend()
	}
	if err != nil {
		return errors.Join(err, tx.drop())
	}
	for i := range tx.rec.Changes {
		if err := tx.do(i); err != nil {
			return tx.abort(err)
		}
		tx.made = i + 1
	}
	if err := tx.flush(); err != nil {
		return tx.abort(err)
	}
	tx.applied = true
	return nil
}

// do makes the change that is due at the turn of change i.
func (tx *Tx) do(i int) error {
	if i, ok := tx.due(i); ok {
		return tx.step(i).do()
	}
	return nil
}

// intend writes the record. A record that is not whole never was: it gets its name
// at once, and is on disk with it when intend returns.
func (tx *Tx) intend() error {
	tx.rec.V = tx.rec.format()
	data, err := tx.rec.encode()
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	w, err := durable.Create(tx.p.dir, tx.rec.ID+recordSuffix, 0o600, durable.JournalEntry)
	if err == nil {
		_, err = w.Write(data)
		err = errors.Join(err, durable.Together(w.Sync, func() error { return durable.FlushDir(tx.p.dir, ".", durable.JournalEntry) }))
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// rewrite replaces the record, durably.
func (tx *Tx) rewrite() error {
	data, err := tx.rec.encode()
	if err != nil {
		return err
	}
	return durable.WriteFile(tx.p.dir, tx.rec.ID+recordSuffix, data, 0o600, durable.JournalEntry)
}

// flush makes the names durable that the transaction changed. What came into the
// journal from a folder comes with that folder's flush: a file changes places as a
// whole.
func (tx *Tx) flush() error {
	tx.p.forget()
	seen := map[string]bool{}
	var work []func() error
	for i, c := range tx.rec.Changes {
		if tx.isPart(i) {
			continue
		}
		for _, name := range []Name{c.Path, c.To} {
			dir := path.Dir(string(name))
			if name == "" || seen[dir] {
				continue
			}
			seen[dir] = true
			work = append(work, func() error {
				folder, err := durable.OpenFolder(tx.p.root, dir)
				if gone(err) {
					return nil // it went with a change
				} else if err != nil {
					return err
				}
				defer folder.Close()
				return durable.FlushDir(folder, ".", durable.ProjectFile)
			})
		}
	}
	return durable.Together(work...)
}

// Done ends a transaction that was applied, once everybody knows of it who must.
// What cannot be removed now goes at the next [Store.Open].
func (tx *Tx) Done() { _ = tx.drop() }

// Leave ends a transaction that was applied where those who must know of it could
// not be reported. The next [Store.Open] settles it, as after a crash. After another call
// that ended it Leave does nothing.
func (tx *Tx) Leave() error {
	if tx.over {
		return nil
	}
	tx.over = true
	return tx.close()
}

// close closes the folders of the transaction.
func (tx *Tx) close() error {
	tx.taken.Close()
	var err error
	if tx.tree != nil {
		err = tx.tree.Close()
	}
	err = errors.Join(err, tx.dir.Close())
	tx.tree, tx.dir = nil, nil
	return err
}

// Drop gives up a transaction that was not applied. After another call that failed
// it does nothing.
func (tx *Tx) Drop() error { return tx.drop() }

// Changes are the changes with all that is known of them.
func (tx *Tx) Changes() []Change { return tx.rec.Changes }

// drop removes the record and the contents, or gives back what was taken of a
// transaction that was not made.
func (tx *Tx) drop() error {
	if tx.over {
		return nil
	}
	tx.over = true
	if tx.applied {
		err := tx.close()
		// The contents first: without a record they would be given back.
		if retired := tx.p.retire(tx.rec.ID); retired != nil {
			return errors.Join(err, retired)
		}
		remove := func() error { return durable.RemoveAll(tx.p.in, donePrefix+tx.rec.ID) }
		return errors.Join(err, durable.Together(tx.forget, remove))
	}
	err := tx.forget()
	if tx.dir == nil {
		return err
	}
	back := tx.restore()
	err = errors.Join(err, back, tx.close())
	if back != nil {
		return err // the next Open does it
	}
	return errors.Join(err, tx.clear())
}

// forget removes the record.
func (tx *Tx) forget() error {
	err := durable.Remove(tx.p.dir, tx.rec.ID+recordSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// clear removes the contents, or gives them the name under which they stay.
func (tx *Tx) clear() error {
	if tx.stuck {
		return tx.p.keep(tx.rec.ID)
	}
	return tx.p.discard(tx.rec.ID)
}
