package session

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
)

// project removes the blobs that nothing refers to and what crashes left.
func (g *gc) project(project string) error {
	if info, err := os.Stat(project); unreached(err) || err == nil && !info.IsDir() {
		return nil // it is gone, or a file has its name now
	}
	base, err := os.OpenRoot(project)
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	if err := g.leftovers(base, dirSessions); err != nil {
		return err
	}
	if err := g.sweep(base, dirBelay, undoPrefix); err != nil {
		return err
	}
	for _, prefix := range []string{deletedPrefix, partPrefix} {
		if err := g.sweep(base, dirUploads, prefix); err != nil {
			return err
		}
	}
	if err := g.uploads(base); err != nil {
		return err
	}
	blobs, err := base.OpenRoot(dirBlobs)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = blobs.Close() }()
	if err := g.sweep(blobs, ".", putPrefix); err != nil {
		return err
	}
	if err := g.restore(blobs); err != nil {
		return err
	}
	if g.o.BlobAge <= 0 {
		return nil
	}
	return g.blobs(base, blobs, project)
}

// uploads removes the old ones. Each is a folder of its own.
func (g *gc) uploads(base *os.Root) error {
	if g.o.BlobAge <= 0 {
		return nil
	}
	names, err := list(base, dirUploads)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, ".") {
			continue // not whole: it is swept
		}
		name = dirUploads + "/" + name
		info, err := base.Lstat(name)
		if missing(err) || err == nil && g.now.Sub(info.ModTime()) < max(g.o.BlobAge, graceAge) {
			continue
		}
		if err == nil && !g.o.DryRun {
			err = durable.RemoveAll(base, name)
		}
		if err != nil {
			return err
		}
		g.report.Uploads++
	}
	return nil
}

// references collects what the transcripts of a project's sessions name. Copies
// count: their blobs must be there when they are adopted. So do the sessions that the index
// leads to and those in the project, wherever new ones are made now: the setting changes.
func (g *gc) references(base *os.Root, project string, stored map[string]bool) (map[string]bool, error) {
	ids, err := g.store.paths.folders(project)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(g.sessions)
	for _, id := range ids {
		all = append(all, g.store.paths.pathIn(project, id))
	}
	if g.store.o.SessionRoot != "" {
		names, err := list(base, dirSessions)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if ValidID(name) {
				all = append(all, pathAt(project, dirSessions+"/"+name))
			}
		}
	}
	refs, read := map[string]bool{}, map[string]bool{}
	if err := g.waiting(stored, refs); err != nil { // first: a message moves from there to a transcript
		return nil, err
	}
	for _, p := range all {
		if read[p.dir] {
			continue
		}
		read[p.dir] = true
		root, err := p.open()
		if missing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		err = mentions(root, stored, refs)
		_ = root.Close() // only reading
		if err != nil {
			return nil, err
		}
	}
	return refs, nil
}

// waiting adds to refs what the messages name that wait for a turn to end.
func (g *gc) waiting(stored, refs map[string]bool) error {
	state := g.store.stateDir.Root()
	ids, err := list(state, dirInputs)
	for _, id := range ids {
		if !ValidID(id) {
			continue
		}
		names, lerr := list(state, dirInputs+"/"+id)
		err = errors.Join(err, lerr)
		for _, name := range names {
			name, _ = strings.CutSuffix(name, takenSuffix)
			for _, file := range []string{name, name + takenSuffix} { // it may be taken meanwhile
				data, _, rerr := durable.ReadFile(state, dirInputs+"/"+id+"/"+file, maxInputBytes)
				if rerr == nil {
					mark(data, stored, refs)
				} else if !missing(rerr) && !errors.Is(rerr, durable.ErrNotRegular) && !errors.Is(rerr, durable.ErrTooLarge) {
					err = errors.Join(err, rerr)
				}
			}
		}
	}
	return err
}

// trashPrefix starts the name of a blob that is being removed.
const trashPrefix = ".trash-"

// blobs removes the old ones that no transcript names. Which are stored is looked
// up before the transcripts are read: one that is attached later is fresh.
func (g *gc) blobs(base, root *os.Root, project string) error {
	names, err := list(root, ".")
	if err != nil {
		return err
	}
	stored := map[string]bool{}
	for _, name := range names {
		if hashPattern.MatchString(name) {
			stored[name] = true
		}
	}
	refs, err := g.references(base, project, stored)
	if err != nil {
		return err
	}
	age := max(g.o.BlobAge, graceAge)
	for name := range stored {
		if refs[name] {
			continue
		}
		info, err := root.Lstat(name)
		if missing(err) || err == nil && g.now.Sub(info.ModTime()) < age {
			continue
		}
		if err == nil && !g.o.DryRun {
			var kept bool
			if kept, err = g.dropBlob(root, name, age); kept {
				continue
			}
		}
		if err != nil {
			return err
		}
		g.report.Blobs++
		g.report.BlobBytes += info.Size()
	}
	return nil
}

// restore gives blobs their name back that a crash left moved aside; whether
// they may go is decided afresh.
func (g *gc) restore(root *os.Root) error {
	names, err := list(root, ".")
	if err != nil || g.o.DryRun {
		return err
	}
	for _, name := range names {
		if sha, ok := strings.CutPrefix(name, trashPrefix); ok && hashPattern.MatchString(sha) {
			if err := durable.Rename(root, name, sha); err != nil && !missing(err) {
				return err
			}
		}
	}
	return nil
}

// dropBlob removes a blob unless it is being attached again at this moment: Put
// renews the time of what it finds, so a blob that was moved aside and turns out
// to be fresh goes back. See [Blobs.settle].
func (g *gc) dropBlob(root *os.Root, name string, age time.Duration) (kept bool, err error) {
	trash := trashPrefix + name
	if err := durable.Rename(root, name, trash); err != nil {
		return false, err
	}
	info, err := root.Lstat(trash)
	if err != nil {
		return false, err
	}
	if g.now.Sub(info.ModTime()) < age {
		return true, durable.Rename(root, trash, name)
	}
	return false, durable.Remove(root, trash)
}
