package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"belay/internal/durable"
)

// This file is about contents that a transaction takes instead of copying them. The
// folder that they are in is moved into that of the transaction, under a name that
// says where it was: whatever a crash leaves, both are found together. What is
// replaced gets the place of what replaces it there.

// dirTemp is where contents are that nobody takes up again after a crash.
const dirTemp = dirBelay + "/tmp"

// checkFrom refuses what is no folder in .belay.
func checkFrom(name Name) error {
	if err := checkPath(name, true); err != nil || !strings.HasPrefix(string(name), dirBelay+"/") {
		return errPath
	}
	return nil
}

// treeName is the name, in a folder of the journal, of contents that were taken from
// a folder; fromOf is the reverse.
func treeName(from Name) string { return url.PathEscape(string(from)) }

func fromOf(name string) (Name, bool) {
	from, err := url.PathUnescape(name)
	if err != nil || from == name || treeName(Name(from)) != name || checkFrom(Name(from)) != nil {
		return "", false
	}
	return Name(from), true
}

// bring moves the contents of a plan into the folder of the transaction. Where the
// file system cannot, they are copied.
func (prep *preparation) bring(from Name) error {
	if err := checkFrom(from); err != nil {
		return err
	}
	e, err := prep.tx.p.openEntry(from)
	if err != nil {
		return err
	}
	defer e.Folder.Close()
	if err := durable.Chmod(e.Folder, e.Name, 0o700); err != nil { // to be moved it must be writable
		return err
	}
	err = prep.tx.p.s.renameNew(e, durable.Entry{Folder: prep.tx.dir, Name: treeName(from)})
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	} else if err != nil {
		return err
	}
	prep.tx.rec.From = from
	if prep.tx.tree, err = durable.OpenFolder(prep.tx.dir, treeName(from)); err != nil {
		return err
	}
	is, err := look(durable.Entry{Folder: prep.tx.tree, Name: "."}, false)
	prep.device = is.Device
	return err
}

// restore moves contents that were taken back to where they were.
func (tx *Tx) restore() error {
	if !tx.returns() {
		return nil
	}
	stays, err := tx.p.putBack(tx.dir, tx.dead)
	tx.stuck = tx.stuck || stays
	return err
}

// returns reports whether contents that were taken go back to where they were.
func (tx *Tx) returns() bool {
	return tx.rec.From != "" && !(tx.dead && isTemp(tx.rec.From))
}

func isTemp(from Name) bool { return strings.HasPrefix(string(from), dirTemp+"/") }

// putBack moves what was taken into a folder of the journal back to where it was. It
// stays where that is gone or something else is there, and where its process is dead and
// nobody takes it up again. Stays is set where a person's kept change does: it must not be
// removed.
func (p *Project) putBack(dir *os.Root, dead bool) (stays bool, err error) {
	in, err := fs.ReadDir(dir.FS(), ".")
	for _, e := range in {
		from, ok := fromOf(e.Name())
		if !ok || err != nil || dead && isTemp(from) {
			continue
		}
		to, openErr := p.openEntry(from)
		if gone(openErr) {
			stays = stays || !isTemp(from)
			continue
		} else if openErr != nil {
			return stays, openErr
		}
		err = p.s.renameNew(durable.Entry{Folder: dir, Name: e.Name()}, to)
		if errors.Is(err, fs.ErrExist) {
			stays, err = stays || !isTemp(from), nil
		}
		err = errors.Join(err, to.Folder.Close())
	}
	return stays, err
}

// putBackOf is putBack of a transaction whose process is dead.
func (p *Project) putBackOf(id string) (stays bool, err error) {
	dir, err := p.content(id)
	if gone(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	stays, err = p.putBack(dir, true)
	if err := errors.Join(err, dir.Close()); err != nil {
		return stays, fmt.Errorf("give back what was taken: %w", err)
	}
	return stays, nil
}

// orphaned removes contents without a record: their transaction never began, and what
// it had taken goes back.
func (p *Project) orphaned(id string) error {
	stays, err := p.putBackOf(id)
	if err != nil {
		return err
	}
	if stays {
		return p.keep(id)
	}
	return p.discard(id)
}
