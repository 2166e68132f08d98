// Package overlay reads what a command changed in a project that it saw through an
// overlay (package confine): the upper directory has every file that the command
// made or opened for writing, and a whiteout in the place of every one that it
// removed. [Upper.Changes] compares it with the project and returns what the command
// really did, as changes for the journal. Nothing in this package changes the
// project.
//
// The upper directory is in the project, in .belay/tmp, because it has to be on
// the project's file system. It is used once. Other users cannot read it, because its
// modes and links come from a command.
//
// Contract: architecture, "Security posture".
package overlay

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/workspace"
)

// dirTemp is where the upper directories of a project are.
const dirTemp = ".belay/tmp"

// lockSuffix ends the name of the lock of an upper directory, which is beside it.
const lockSuffix = ".lock"

// Upper is the upper directory of one command. It is used by one goroutine.
type Upper struct {
	// MostBytes is how many bytes the files in it may hold when they are reviewed, 0 for
	// any number.
	MostBytes int64
	// MostChanges is how many changes are listed, [MaxChanges] for 0.
	MostChanges int
	// Ignored reports whether everything in a new folder is build output, which git ignores.
	// Where more is changed than can be listed, such folders come as a whole
	// ([journal.Tree]); Admit says why something in one is left out, nil for what is not.
	// Nil is none.
	Ignored func(folder string) (bool, error)
	Admit   func(c *journal.Change) (why, err error)

	project *os.Root // the caller's
	dir     string
	// lock is held for as long as something of the command runs, or its changes are
	// needed.
	lock *durable.FileLock
	// files is the upper directory, nil before it was read.
	files *os.Root
	// began is the change time of a file that was made just before the overlay.
	began time.Time
}

// Make makes an upper directory in a project, which the caller closes after it. The
// overlay is to be mounted next: what is changed in the project from now on may be a
// conflict.
func Make(project *os.Root) (_ *Upper, err error) {
	if err := workspace.MakeBelay(project); err != nil {
		return nil, fmt.Errorf("make an upper directory: %w", err)
	}
	if err := durable.MkdirAll(project, dirTemp, 0o700); err != nil {
		return nil, fmt.Errorf("make an upper directory: %w", err)
	}
	_ = Sweep(project) // a folder that stays hinders no command, and the next sweep tries again
	u := &Upper{project: project, dir: path.Join(dirTemp, rand.Text())}
	if u.lock, err = durable.Lock(filepath.Join(project.Name(), u.dir+lockSuffix)); err != nil {
		return nil, fmt.Errorf("make an upper directory: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, u.Remove())
		}
	}()
	for _, name := range []string{u.dir, u.upper(), u.work()} {
		if err := durable.MkdirAll(project, name, 0o700); err != nil {
			return nil, fmt.Errorf("make an upper directory: %w", err)
		}
	}
	// The command is to see the permissions of the project's own folder.
	info, err := project.Stat(".")
	if err != nil {
		return nil, fmt.Errorf("make an upper directory: %w", err)
	}
	if err := durable.Chmod(project, u.upper(), info.Mode().Perm()); err != nil {
		return nil, fmt.Errorf("make an upper directory: %w", err)
	}
	return u, u.mark()
}

func (u *Upper) upper() string { return path.Join(u.dir, "upper") }
func (u *Upper) work() string  { return path.Join(u.dir, "work") }

// Folders are the upper and the work directory of the mount, relative to the project.
func (u *Upper) Folders() (upper, work string) { return u.upper(), u.work() }

// Contents is the folder that has what the command changed, at its paths: a transaction
// may take it ([journal.Plan]).
func (u *Upper) Contents() journal.Name { return journal.Name(u.upper()) }

// mark notes the time by the clock of the file system. It waits for that clock to
// tick, some milliseconds at most: whatever was changed before then bears an earlier
// time.
func (u *Upper) mark() error {
	first := time.Time{}
	for {
		if err := durable.Chmod(u.project, u.work(), 0o700); err != nil {
			return fmt.Errorf("mark the beginning of a command: %w", err)
		}
		info, err := u.project.Lstat(u.work())
		if err != nil {
			return fmt.Errorf("mark the beginning of a command: %w", err)
		}
		u.began = changed(info)
		if first.IsZero() {
			first = u.began
		}
		if !u.began.Equal(first) {
			return nil
		}
	}
}

// clockWentBack reports whether the clock of the file system shows an earlier time than
// when the command began.
func (u *Upper) clockWentBack() (bool, error) {
	if err := durable.Chmod(u.project, u.work(), 0o700); err != nil {
		return false, err
	}
	info, err := u.project.Lstat(u.work())
	return err == nil && changed(info).Before(u.began), err
}

// HasAttributes reports whether the file system keeps the attributes in which an overlay
// notes what a command removed. Some file systems mount an overlay without them, in which
// folders can then not be removed.
func (u *Upper) HasAttributes() (bool, error) {
	folder, err := u.project.Open(u.upper())
	if err != nil {
		return false, fmt.Errorf("look at the upper directory: %w", err)
	}
	return keepsAttributes(folder), folder.Close()
}

// Guard is the file that holds the upper directory's lock. Anyone who keeps it open
// keeps the directory from being swept.
func (u *Upper) Guard() *os.File { return u.lock.File() }

// Move gives what the command changed another place in the project, from where its
// contents can still be read, and removes the rest.
func (u *Upper) Move(to string) error {
	// To move a folder one must be able to write it.
	if err := durable.Chmod(u.project, u.upper(), 0o700); err != nil {
		return fmt.Errorf("move the upper directory of a command: %w", err)
	}
	if err := durable.Rename(u.project, u.upper(), to); err != nil {
		return fmt.Errorf("move the upper directory of a command: %w", err)
	}
	return u.Remove()
}

// Remove removes the upper directory. The work directory of an overlay has no
// permissions, and folders of a command may have none either.
func (u *Upper) Remove() error {
	var err error
	if u.files != nil {
		err = u.files.Close()
	}
	return errors.Join(err, remove(u.project, u.dir), u.lock.Unlock())
}

func remove(project *os.Root, dir string) error {
	err := durable.RemoveAll(project, dir)
	if err == nil {
		err = durable.Remove(project, dir+lockSuffix)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the upper directory of a command: %w", err)
	}
	return nil
}

// Sweep removes the upper directories of a project whose processes died: nobody was
// asked about what is in them.
func Sweep(project *os.Root) error {
	entries, err := fs.ReadDir(project.FS(), dirTemp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		id, isLock := strings.CutSuffix(e.Name(), lockSuffix)
		if !isLock {
			// A lock is made before its directory and removed after it. One without a lock
			// was left by something that removes files, such as git clean.
			if _, lockErr := project.Lstat(path.Join(dirTemp, id+lockSuffix)); e.IsDir() && errors.Is(lockErr, fs.ErrNotExist) {
				err = errors.Join(err, remove(project, path.Join(dirTemp, id)))
			}
			continue
		}
		dir := path.Join(dirTemp, id)
		lock, lockErr := durable.Lock(filepath.Join(project.Name(), dir+lockSuffix))
		if lockErr != nil {
			continue // somebody uses it, or has just removed it
		}
		err = errors.Join(err, remove(project, dir), lock.Unlock())
	}
	return err
}
