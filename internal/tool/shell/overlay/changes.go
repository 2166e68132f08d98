package overlay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/journal"
)

// MaxChanges is how many paths a command may change, maxNames how many bytes they may
// have in all: a record of the journal and a line of a transcript hold them. The content of new
// folders that git ignores does not count.
const (
	MaxChanges = 50_000
	maxNames   = 8 << 20
)

// Names of what is not walked in the top folder of a project.
const dirBelay = ".belay"

// Set is what a command changed.
type Set struct {
	// Changes are in the order in which they can be made: what goes, the deepest
	// first; folders, the outermost first; files and links; permissions.
	Changes []journal.Change
	// Dropped are the entries that can never be applied, with the reason.
	Dropped []Drop
	// Conflicts are paths of Changes that something else changed since the command
	// began. What the command made of them may rest on either version.
	Conflicts []string
	// Meanwhile is a clause that says what else changed the project since the command
	// began, "" where nothing is known to have. See [Upper.Changes] for what is not
	// noticed.
	Meanwhile string
}

// Drop is an entry of the upper directory that is not applied.
type Drop struct {
	Path string
	// Reason is a clause without a subject.
	Reason string
}

// Changes compares the upper directory with the project as it is now. What was only
// opened, touched or copied is no change. The contents of the changes are read from
// the upper directory, until [Upper.Remove], or until it is taken ([Upper.Contents]).
// More than [Upper.MostBytes] is a [*TooLargeError].
//
// Whatever else changed the project meanwhile is found where that is cheap: changes that
// belay applied, conflicts, and changes in the project's top folder and in the folders in
// which the command changed something. An edit of a file in another folder is not noticed.
func (u *Upper) Changes(ctx context.Context) (Set, error) {
	back, err := u.clockWentBack()
	if err != nil {
		return Set{}, fmt.Errorf("read what the command changed: %w", err)
	}
	top, err := u.topChanged()
	if err != nil {
		return Set{}, fmt.Errorf("read what the command changed: %w", err)
	}
	if u.files == nil {
		u.files, err = u.project.OpenRoot(u.upper())
	}
	w := &walk{u: u, ctx: ctx, since: u.began}
	if err == nil {
		err = w.folder(u.files, u.project, ".", false)
	}
	if many := (*TooManyError)(nil); errors.As(err, &many) && u.Ignored != nil {
		w = &walk{u: u, ctx: ctx, since: u.began, trees: true}
		err = w.folder(u.files, u.project, ".", false)
	}
	if err != nil {
		return Set{}, fmt.Errorf("read what the command changed: %w", err)
	}
	w.dropPermissions(top)
	s := Set{Changes: slices.Concat(w.gone, w.folders, w.files, w.modes), Dropped: w.dropped, Conflicts: w.conflicts}
	if back { // nobody knows what was changed meanwhile
		for _, c := range s.Changes {
			s.Conflicts = append(s.Conflicts, string(c.Path))
		}
	}
	slices.Sort(s.Conflicts)
	s.Conflicts = slices.Compact(s.Conflicts)
	switch {
	case u.applied():
		s.Meanwhile = "belay applied other changes"
	case len(s.Conflicts) > 0:
		s.Meanwhile = "something else changed " + s.Conflicts[0]
	case w.beside != "":
		s.Meanwhile = "something else changed " + w.beside
	}
	return s, nil
}

// walk goes through an upper directory.
type walk struct {
	u   *Upper
	ctx context.Context
	// since is from when on a change of the project is one of something else: when the command
	// began, or ever, in a folder that is not the one which the command saw.
	since time.Time
	// trees is set where new folders that git ignores come as a whole.
	trees bool
	// bytes are those of the files so far.
	bytes int64
	// The changes, by when they are to be made.
	gone, folders, files, modes []journal.Change
	names                       int // bytes of all paths
	dropped                     []Drop
	conflicts                   []string
	buffer                      []byte // of hash, nil until there is a file
	// opened counts the new folders that the command closed to their owner.
	opened      int
	firstOpened string
	// beside is a path that something else changed, looked how many were looked at.
	beside string
	looked int
}

func (w *walk) add(to *[]journal.Change, c journal.Change) error {
	w.names += len(c.Path) + len(c.After.Target) + len(c.Before.Target)
	if len(w.gone)+len(w.folders)+len(w.files)+len(w.modes) >= cmp.Or(w.u.MostChanges, MaxChanges) || w.names > maxNames || len(c.Path) > journal.MaxPath {
		return &TooManyError{}
	}
	*to = append(*to, c)
	return w.ctx.Err()
}

func (w *walk) drop(name, reason string) {
	if len(w.dropped) < MaxChanges {
		w.dropped = append(w.dropped, Drop{name, reason})
	}
}

// folder compares a folder of the upper directory with that of the project, nil for
// none. Where the folder above hides what the project has, so does this one.
func (w *walk) folder(upper, lower *os.Root, name string, hides bool) error {
	f, err := openFolder(upper)
	if err != nil {
		return err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return compareName(a, b.Name()) })
	if !hides {
		if hides, err = opaque(f); err != nil {
			return err
		}
	}
	if lower != nil && hides {
		info, err := lower.Stat(".")
		if err != nil {
			return err
		}
		if w.isLater(info) { // nothing here tells whether it is the folder that the command removed
			defer w.replaced()()
		}
		if err := w.hidden(entries, lower, name); err != nil {
			return err
		}
	}
	if lower != nil {
		w.lookBeside(lower, name)
	}
	for _, e := range entries {
		at := path.Join(name, e.Name())
		if at == dirBelay {
			w.drop(at, "is belay's own folder")
			continue
		}
		if err := w.entry(upper, lower, e.Name(), at, hides); err != nil {
			return err
		}
	}
	return nil
}

func compareName(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) }

// openFolder opens a folder of an upper directory to be read. A command may have
// left it closed.
func openFolder(root *os.Root) (*os.File, error) {
	f, err := root.Open(".")
	if errors.Is(err, fs.ErrPermission) {
		if err = durable.Chmod(root, ".", 0o700); err == nil {
			f, err = root.Open(".")
		}
	}
	return f, err
}

// hidden adds what is gone from a folder that the command removed and made again. The entries
// are sorted: a command may make millions of them in a folder with many files.
func (w *walk) hidden(entries []fs.DirEntry, lower *os.Root, name string) error {
	there, err := fs.ReadDir(lower.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range there {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if _, stays := slices.BinarySearchFunc(entries, e.Name(), compareName); stays {
			continue
		}
		if err := w.remove(lower, e.Name(), path.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// entry compares an entry of the upper directory with that of the project.
func (w *walk) entry(upper, lower *os.Root, base, name string, hides bool) error {
	now, err := upper.Lstat(base)
	if err != nil {
		return err
	}
	var was fs.FileInfo
	if lower != nil {
		if was, err = lower.Lstat(base); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	kept := was != nil && was.Mode().Type() == now.Mode().Type()
	replaced := kept && !now.IsDir() || was != nil && now.Mode().Type()&^fs.ModeSymlink == 0 && was.Mode().Type()&^fs.ModeSymlink == 0
	switch {
	case whiteout(now):
		if was == nil {
			return nil
		}
		return w.remove(lower, base, name)
	case !now.IsDir() && !now.Mode().IsRegular() && now.Mode().Type() != fs.ModeSymlink:
		w.drop(name, "is neither a file, a folder nor a link")
		return nil
	case was != nil && !kept && !replaced: // a file became a folder, or a folder a file
		if err := w.remove(lower, base, name); err != nil {
			return err
		}
		was = nil
	}
	switch {
	case now.IsDir():
		return w.dir(upper, lower, base, name, was, now, hides)
	case now.Mode().Type() == fs.ModeSymlink:
		return w.link(upper, lower, base, name, was)
	}
	return w.file(upper, lower, base, name, was, now)
}
