package journal

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"belay/internal/durable"
	"belay/internal/workspace"
)

// Tx is a transaction. It is used by one goroutine.
type Tx struct {
	p   *Project
	rec record
	dir *os.Root // its contents, nil until they are there
	// content opens what goes into the files, by the number of their change.
	content []func() (io.ReadCloser, error)
	// made is how many changes of a living transaction were made.
	made int
	// dead is set where the process that began the transaction is: nothing is known
	// of how far it came.
	dead bool
	// over is set when nothing of it is left to do.
	over bool
	// stuck is set where contents have no other place than the journal.
	stuck bool
}

// Begin looks at what the changes of a plan replace. It changes nothing. A path
// that is not what the plan says is a [*ConflictError].
func (p *Project) Begin(plan Plan) (*Tx, error) {
	tx := &Tx{p: p, rec: record{
		V: version, ID: p.s.mark + rand.Text(), Project: Name(p.path), Time: p.s.clock().UTC().Round(0), Owner: plan.Owner, Inside: plan.Inside,
	}}
	if len(plan.Changes) == 0 || len(plan.Changes) > maxChanges {
		return nil, fmt.Errorf("journal: a transaction of %d changes", len(plan.Changes))
	}
	touched, steps := map[Name]bool{}, map[string]bool{}
	var conflicts []Conflict
	for _, c := range plan.Changes {
		if err := c.check(plan.Inside); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		for _, step := range c.steps() {
			if steps[step] {
				return nil, fmt.Errorf("journal: %q is changed twice", c.Path)
			}
			steps[step] = true
		}
		tx.content = append(tx.content, c.Content)
		c.Content = nil
		if !overlaps(touched, c.Path) {
			why, err := p.original(&c)
			if err != nil {
				return nil, fmt.Errorf("journal: look at %s: %w", c.Path, err)
			}
			if why != "" {
				conflicts = append(conflicts, Conflict{Path: c.Path, Reason: why})
			}
		}
		touched[c.Path] = true
		if c.To != "" {
			touched[c.To] = true
		}
		tx.rec.Changes = append(tx.rec.Changes, c)
	}
	if len(conflicts) > 0 {
		return nil, &ConflictError{conflicts}
	}
	return tx, nil
}

// overlaps reports whether an earlier change is made at a path or above it: what
// stands there now says nothing.
func overlaps(touched map[Name]bool, name Name) bool {
	for p := string(name); p != "."; p = path.Dir(p) {
		if touched[Name(p)] {
			return true
		}
	}
	return false
}

// What conflicts say.
const (
	isGone     = "is gone"
	isThere    = "is there already"
	isChanged  = "was changed by something else"
	isElse     = "is something else now"
	folderGone = "lies in a folder that is gone, or a link now"
	isDamaged  = "was to get a content that is damaged"
	isFull     = "is a folder that is not empty"
)

// original adds to a change what is known of what it replaces, or says why that is
// not what the change was reviewed for. The content is compared when it comes out
// of its place.
func (p *Project) original(c *Change) (why string, err error) {
	e, err := p.entry(c.Path)
	switch {
	case gone(err) && c.Before.Type == None:
		return "", nil // an earlier change makes the folder, or Apply says what is wrong
	case missing(err) && c.takes():
		return "", nil
	case gone(err):
		return folderGone, nil
	case err != nil:
		return "", err
	}
	defer e.Folder.Close()
	now, err := look(e, false)
	if err != nil {
		return "", err
	}
	want := c.Before
	want.SHA256 = ""
	switch {
	case c.Before.Type == None && (now.Type == None || c.Op == Mkdir && now.Type == Folder):
		return "", nil
	case c.Before.Type == None:
		return isThere, nil
	case now.Type == None && c.takes():
		return "", nil
	case now.Type == None:
		return isGone, nil
	case !now.is(&want):
		return isChanged, nil
	}
	now.SHA256 = c.Before.SHA256
	c.Before = now
	return "", nil
}

// slot is the name of the content of a change, in the folder of the transaction;
// spare that of a copy of what it replaces.
func slot(i int) string  { return strconv.Itoa(i) }
func spare(i int) string { return "o" + strconv.Itoa(i) }

func (tx *Tx) slot(i int) durable.Entry  { return durable.Entry{Folder: tx.dir, Name: slot(i)} }
func (tx *Tx) spare(i int) durable.Entry { return durable.Entry{Folder: tx.dir, Name: spare(i)} }

// Prepare writes the new contents and makes them durable, and the files that are
// replaced as well: their owners may never have flushed them. The project's files
// stay as they are. After an error nothing is left.
func (tx *Tx) Prepare() (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.drop())
		}
	}()
	above, err := tx.makeDir()
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	work := []func() error{
		func() error { return durable.FlushDir(tx.dir, ".", durable.Original) },
		func() error { return durable.FlushDir(tx.p.root, dirJournal, durable.Original) },
	}
	named := tx.p.s.sure.holds(tx.p.path, above)
	if !named {
		work = append(work,
			func() error { return durable.FlushDir(tx.p.root, dirBelay, durable.Original) },
			func() error { return durable.FlushDir(tx.p.root, ".", durable.Original) })
	}
	for i := range tx.rec.Changes {
		c := &tx.rec.Changes[i]
		if c.places() {
			flush, err := tx.fill(i)
			if err != nil {
				return fmt.Errorf("journal: the new content of %s: %w", c.Path, err)
			}
			if flush != nil {
				work = append(work, flush)
			}
		}
		if c.Before.Type == File && (c.places() || c.takes()) {
			work = append(work, func() error { return tx.p.flushOriginal(c) })
		}
	}
	if err := durable.Together(work...); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if !named {
		tx.p.s.sure.note(tx.p.path, above)
	}
	return nil
}

// makeDir makes the folder of the transaction's contents, and returns the one that
// it lies in.
func (tx *Tx) makeDir() (fs.FileInfo, error) {
	root := tx.p.root
	if _, err := root.Lstat(dirJournal); errors.Is(err, fs.ErrNotExist) {
		if err := workspace.MakeBelay(root); err != nil {
			return nil, err
		}
		if err := durable.MkdirAll(root, dirJournal, 0o700); err != nil {
			return nil, err
		}
	}
	above, err := durable.OpenFolder(root, dirJournal)
	if err != nil {
		return nil, err
	}
	defer above.Close()
	if err := durable.Mkdir(above, tx.rec.ID, 0o700); err != nil {
		return nil, err
	}
	if tx.dir, err = durable.OpenFolder(above, tx.rec.ID); err != nil {
		return nil, err
	}
	return above.Stat(".")
}

// fill makes what a change is to put in its place, and returns what makes the
// content durable, nil for nothing.
func (tx *Tx) fill(i int) (flush func() error, err error) {
	c, e := &tx.rec.Changes[i], tx.slot(i)
	above := tx.around(i)
	mode := c.After.Mode
	if mode == 0 && c.Before.Type == File {
		mode = c.Before.Mode.Perm()
	}
	switch c.Op {
	case Mkdir:
		err = durable.Mkdir(e.Folder, e.Name, cmp.Or(mode, 0o777))
	case Symlink:
		err = durable.Symlink(e.Folder, string(c.After.Target), e.Name)
	default:
		flush, err = tx.write(i, cmp.Or(mode, 0o666))
	}
	if err != nil {
		return flush, err
	}
	// The owner first: a change of owner takes special bits away.
	uid, gid := -1, -1
	if c.Before.Type != None {
		uid, gid = c.Before.UID, c.Before.GID
	} else if above.Mode&fs.ModeSetgid != 0 {
		gid = above.GID
	}
	now, err := look(e, false)
	if err != nil {
		return flush, err
	}
	if uid >= 0 && uid != now.UID || gid >= 0 && gid != now.GID {
		_ = durable.Chown(e.Folder, e.Name, uid, gid) // not being allowed to is no fault
	}
	if mode == 0 {
		mode = now.Mode
	}
	if c.Op == Mkdir {
		mode |= above.Mode & fs.ModeSetgid
	}
	if now, err = look(e, false); err == nil && c.Op != Symlink && now.Mode != mode {
		err = durable.Chmod(e.Folder, e.Name, mode)
		now.Mode = mode
	}
	now.SHA256 = c.After.SHA256
	c.After = now
	return flush, err
}

// around is the folder that change i is made in, maybe by a change before it;
// nothing where it is not known.
func (tx *Tx) around(i int) State {
	dir := path.Dir(string(tx.rec.Changes[i].Path))
	for _, c := range tx.rec.Changes[:i] {
		if c.Op == Mkdir && string(c.Path) == dir {
			return c.After
		}
	}
	folder, err := durable.OpenFolder(tx.p.root, dir)
	if err != nil {
		return State{}
	}
	defer folder.Close()
	s, _ := look(durable.Entry{Folder: folder, Name: "."}, false) // it was opened
	return s
}

// write writes the content of a file.
func (tx *Tx) write(i int, mode fs.FileMode) (flush func() error, err error) {
	c := &tx.rec.Changes[i]
	if tx.content[i] == nil {
		return nil, errors.New("there is none")
	}
	from, err := tx.content[i]()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	w, err := durable.Create(tx.dir, slot(i), mode, durable.Original)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	_, err = io.Copy(w, io.TeeReader(from, h))
	if err == nil && hex.EncodeToString(h.Sum(nil)) != c.After.SHA256 {
		err = &ContentError{c.Path}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return func() error { return flushFile(tx.slot(i), durable.Original) }, nil
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
func (p *Project) flushOriginal(c *Change) error {
	e, err := p.entry(c.Path)
	if gone(err) {
		return nil // an earlier change moves it
	} else if err != nil {
		return err
	}
	defer e.Folder.Close()
	err = flushFile(e, durable.ProjectFile)
	if gone(err) || errors.Is(err, durable.ErrNotRegular) || errors.Is(err, fs.ErrPermission) {
		return nil // Apply says what is wrong; and some systems flush only what may be written
	}
	return err
}

// Apply makes the changes of a prepared transaction. They are durable when it
// returns. On an error the project is as it was, but for what a [*ConflictError]
// names: that is as somebody else left it.
func (tx *Tx) Apply(ctx context.Context) error {
	err := context.Cause(ctx)
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
	return nil
}

// intend writes the record. A record that is not whole never was: it gets its name
// at once, and is on disk with it when intend returns.
func (tx *Tx) intend() error {
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

// flush makes the names durable that the transaction changed.
func (tx *Tx) flush() error {
	seen := map[string]bool{}
	work := []func() error{func() error { return durable.FlushDir(tx.dir, ".", durable.Original) }}
	for _, c := range tx.rec.Changes {
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

// Drop gives up a transaction that was not applied. After another call that failed
// it does nothing.
func (tx *Tx) Drop() error { return tx.drop() }

// Changes are the changes with all that is known of them.
func (tx *Tx) Changes() []Change { return tx.rec.Changes }

// drop removes the record and the contents.
func (tx *Tx) drop() error {
	if tx.over {
		return nil
	}
	tx.over = true
	err := durable.Remove(tx.p.dir, tx.rec.ID+recordSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if tx.dir == nil {
		return err
	}
	err = errors.Join(err, tx.dir.Close())
	tx.dir = nil
	if tx.stuck {
		return errors.Join(err, tx.p.keep(tx.rec.ID))
	}
	return errors.Join(err, tx.p.discard(tx.rec.ID))
}

// abort takes back what a living transaction has done. The error is why.
func (tx *Tx) abort(why error) error {
	var clash *clash
	from := tx.made
	if errors.As(why, &clash) {
		from-- // the change that clashed has put back what it found
		tx.rec.Conflicts = append(tx.rec.Conflicts, clash.Conflict)
	}
	if from >= 0 {
		tx.rec.Back = true
		err := tx.rewrite()
		if err == nil {
			err = tx.back(min(from, len(tx.rec.Changes)-1))
		}
		if err != nil { // the next Open settles it
			tx.over = true
			return errors.Join(why, fmt.Errorf("take back what was done: %w", err), tx.dir.Close())
		}
	}
	tx.name()
	conflicts := tx.rec.Conflicts
	if err := tx.drop(); err != nil {
		return errors.Join(why, err)
	}
	if len(conflicts) > 0 {
		return &ConflictError{conflicts}
	}
	return why
}

// name says of conflicts where the contents lie that have no place now.
func (tx *Tx) name() {
	for i := range tx.rec.Conflicts {
		c := &tx.rec.Conflicts[i]
		if !tx.stuck {
			c.Kept = ""
		} else if rest, ok := strings.CutPrefix(string(c.Kept), path.Join(dirJournal, tx.rec.ID)); ok {
			c.Kept = Name(path.Join(dirJournal, keptPrefix+tx.rec.ID) + rest)
		}
	}
}

// back takes back the changes up to one of them, as far as they were made, last
// first. It adds to the conflicts what stays because somebody else has changed it
// since.
func (tx *Tx) back(from int) error {
	for i := from; i >= 0; i-- {
		err := tx.undo(i)
		var clash *clash
		if errors.As(err, &clash) {
			if !slices.ContainsFunc(tx.rec.Conflicts, func(c Conflict) bool { return c.Path == clash.Path }) {
				tx.rec.Conflicts = append(tx.rec.Conflicts, clash.Conflict)
			}
		} else if err != nil {
			return err
		}
	}
	return tx.flush()
}
