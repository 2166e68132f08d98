package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"belay/internal/session"
	"belay/internal/tool"
)

// review compares a project after a command with what it was before.
type review struct {
	*Watch
	Result
	ctx   context.Context
	after *listing
	// all is set where everything that happened is taken back: the project
	// itself was removed.
	all error
	// told are the changes of others in the meantime ([Watcher.Enter]).
	told map[string]session.Change
	// until is when the command ended whose process died, zero where that is not
	// known; later counts what changed after it.
	until time.Time
	later int
	// made are the folders that the command made.
	made folders
	// aside is the folder of this command's versions of restored files, "" until
	// one is put there.
	aside string
}

// raceTime is how close to a command a file may have been written for its times
// not to tell whether the command wrote it again: clocks of filesystems tick.
const raceTime = 50 * time.Millisecond

// maxUnlocking bounds how often folders are opened again that a command closed
// to us: one closed folder may hold another.
const maxUnlocking = 64

func (r *review) run() error {
	if err := r.findProject(); err != nil {
		return err
	}
	var err error
	if r.told, err = r.p.told(); err != nil {
		return err
	}
	if err := r.look(); err != nil {
		return err
	}
	denied, err := r.sort()
	if err != nil {
		return err
	}
	if err := r.takeBack(denied); err != nil {
		return err
	}
	slices.SortStableFunc(r.Changes, func(a, b session.Change) int { return cmp.Compare(a.Path, b.Path) })
	return nil
}

// findProject finds the project's folder where the command moved or removed it.
func (r *review) findProject() error {
	now, err := os.Lstat(r.place.Project)
	then, statErr := r.place.Root.Stat(".")
	if err == nil && statErr == nil && os.SameFile(now, then) {
		return nil
	}
	if err == nil { // something else stands there
		if err := os.Rename(r.place.Project, fmt.Sprintf("%s.replaced-%d", r.place.Project, r.w.o.Clock().UnixNano())); err != nil {
			return err
		}
		r.note("what the command had put in the project folder's place was moved beside it")
	}
	if moveBack(r.place.Root, r.place.Project) {
		r.Moved = true
		r.note("the command had moved the project folder; it is back")
		return nil
	}
	if err := os.MkdirAll(r.place.Project, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(r.place.Project)
	if err != nil {
		return err
	}
	r.place.Root, r.Gone = root, true // closed when it is garbage: the place's own is not ours
	r.all = errors.New("the command had removed the project folder")
	r.note("the command had removed the project folder; it was made again with what was kept of it")
	return nil
}

// look notes the project as it is now. Folders that the command closed are
// opened again: what is in them must be seen.
func (r *review) look() error {
	for range maxUnlocking {
		after, closed, err := walk(r.place.Root, r.before, r.w.o.MaxFiles)
		if err != nil {
			return err
		}
		r.after, r.p.last = after, after
		opened := false
		for _, dir := range closed {
			mode := fs.FileMode(0o755)
			if b, ok := r.before.at(dir); ok {
				mode = b.mode.Perm()
			}
			if r.place.Root.Chmod(dir, mode|0o700) == nil {
				opened = true
				r.note("%s had been closed by the command; its permissions are restored", dir)
			}
		}
		if !opened {
			return nil
		}
	}
	return nil
}

// change is one path that is not what it was.
type change struct {
	path     string
	old, new entry
	// was and is say whether there was and is something.
	was, is bool
	why     error // why it is taken back
	// told is the hash of what others had made of the file, "" where they had not.
	told string
}

// withoutFolders is the change of what is not a folder: folders have no content
// to record.
func (c change) withoutFolders() change {
	if c.old.mode.IsDir() {
		c.was, c.old = false, entry{}
	}
	if c.new.mode.IsDir() {
		c.is, c.new = false, entry{}
	}
	return c
}

// sort records what was allowed and returns what was not.
func (r *review) sort() (denied []change, err error) {
	all := r.differences()
	r.made = madeFolders(all)
	for _, c := range r.own(all) {
		if err := r.ctx.Err(); err != nil && c.why == nil {
			// The turn is over; what must be taken back is, all the same.
			r.ctx = context.WithoutCancel(r.ctx)
		}
		c.why = r.forbidden(c)
		switch {
		case c.why != nil:
			denied = append(denied, c)
		default:
			r.recordFolder(c)
			if err := r.record(c.withoutFolders()); err != nil {
				return nil, err
			}
		}
	}
	return denied, nil
}

// differences lists what is not the same, in the order of the paths.
func (r *review) differences() []change {
	var all []change
	for dir, was := range r.before.folders {
		if now := r.after.folders[dir]; was != now || r.recent(was.latest) {
			all = append(all, r.differencesIn(dir, was, now)...)
		}
	}
	for dir := range r.after.folders {
		if _, was := r.before.folders[dir]; !was {
			for p, now := range r.after.all(dir) {
				all = append(all, change{path: p, new: now, is: true})
			}
		}
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Compare(a.path, b.path) })
	return all
}

// differencesIn lists what is not the same in a folder that was there before.
func (r *review) differencesIn(dir string, was, now *folder) (all []change) {
	for p, old := range r.before.all(dir) {
		i, is := now.find(path.Base(p))
		c := change{path: p, old: old, was: true, is: is}
		if is {
			c.new = now.entries[i]
		}
		if !is || !old.same(c.new) || r.racy(p, old) {
			all = append(all, c)
		}
	}
	for p, e := range r.after.all(dir) {
		if _, ok := was.find(path.Base(p)); !ok {
			all = append(all, change{path: p, new: e, is: true})
		}
	}
	return all
}

// recent reports whether a time of a file is so close to the command that it does
// not tell whether the command wrote it again.
func (r *review) recent(ctime int64) bool {
	return !time.Unix(0, ctime).Before(r.began.Add(-raceTime))
}

// racy reports whether a file whose stat is the same has another content.
func (r *review) racy(p string, e entry) bool {
	if !e.mode.IsRegular() || !r.recent(e.ctime) {
		return false
	}
	kept, ok := r.p.keep.content(p, e)
	return ok && !sameContent(r.place.Root, p, kept)
}

// forbidden returns why a change is taken back.
func (r *review) forbidden(c change) error {
	if r.all != nil {
		return r.all
	}
	if err := r.leadsOut(c); err != nil {
		return err
	}
	if in, rest := gitPart(c.path); in && gitProtected(rest) {
		return r.gitChange(c, rest)
	}
	if c.was && c.is && c.old.mode.IsDir() && c.new.mode.IsDir() {
		return nil // its permissions: look has seen to those that matter
	}
	if err := r.place.forbids(c.path, c.was); err != nil {
		return err
	}
	return r.zones(c)
}

// zones returns why a change to a file's human zones is taken back. Where the
// content before was not kept, nobody can tell.
func (r *review) zones(c change) error {
	if in, _ := gitPart(c.path); in || c.is && !c.new.mode.IsRegular() || c.new.size > r.place.FileBytes {
		return nil
	}
	var before, after []byte
	if c.was && c.old.mode.IsRegular() {
		kept, ok := r.content(c)
		if !ok {
			return nil
		}
		var err error
		before, err = io.ReadAll(kept)
		if err = errors.Join(err, kept.Close()); err != nil {
			return fmt.Errorf("its content before cannot be read: %w", err)
		}
	}
	if c.is {
		f, err := r.place.Root.OpenFile(c.path, os.O_RDONLY|openNonblock, 0)
		if err != nil {
			return nil // nor can anybody else; its record says so
		}
		defer func() { _ = f.Close() }()
		if after, err = io.ReadAll(io.LimitReader(f, r.place.FileBytes)); err != nil {
			return fmt.Errorf("its content cannot be read: %w", err)
		}
	}
	return r.place.Scope.KeepsZones(c.path, before, after)
}

func (r *review) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// because is why a change was taken back, in a sentence that has named the file.
func (c change) because() string {
	why := strings.TrimSuffix(c.why.Error(), ".")
	if refusal, ok := tool.AsRefusal(c.why); ok {
		why = refusal.Reason
	}
	if rest, ok := strings.CutPrefix(why, c.path+" "); ok {
		return "it " + rest
	}
	return why
}
