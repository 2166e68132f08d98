package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/shell/kept"
)

// ErrUnknownPath says that kept changes have nothing at a path that was chosen.
var ErrUnknownPath = errors.New("the command did not change it")

// Applied is what became of kept changes that a person wanted.
type Applied struct {
	// Paths are the files that are as the command made them, sorted.
	Paths []string
	// Left is how many changes were not chosen, and stay kept.
	Left int
}

// ApplyKept makes kept changes in a project on the word of a person: all, or those at
// or below some paths. The others stay kept. Of w it needs the project, its blobs, the
// gate, the journal and the limits. Record gets what was made before that is certain:
// should it fail, or the process die, the session of the owner is told later. Changes
// that are real already are applied. A [*journal.ConflictError] names paths that
// something else changed, a [*journal.ContentError] a content that is damaged.
func ApplyKept(ctx context.Context, w *tool.Workplace, c *kept.Change, only []string, by journal.Owner, record func([]session.Change) error) (done Applied, err error) {
	for _, name := range only {
		if !slices.ContainsFunc(c.Changes, func(s journal.Change) bool {
			return string(s.Path) == name || strings.HasPrefix(string(s.Path), name+"/")
		}) {
			return done, fmt.Errorf("%s: %w", name, ErrUnknownPath)
		}
	}
	chosen, _ := choose(c.Changes, only)
	rest := slices.DeleteFunc(slices.Clone(c.Changes), func(s journal.Change) bool {
		return slices.ContainsFunc(chosen, func(o journal.Change) bool { return o.Path == s.Path && o.Op == s.Op })
	})
	if err := admissible(chosen); err != nil {
		return done, err
	}
	if err := c.Check(ctx, chosen); err != nil {
		return done, err
	}
	err = inProject(ctx, w, func(j *journal.Project) error {
		switch real, err := areReal(ctx, w.Root, chosen); {
		case err != nil:
			return err
		case real:
			return record(nil)
		}
		if found, err := conflicts(ctx, w.Root, c.Record, chosen); err != nil {
			return err
		} else if len(found) > 0 {
			return &journal.ConflictError{Conflicts: found}
		}
		_, err := makeChanges(ctx, w, j, chosen, by, record)
		return err
	})
	if err != nil {
		return done, err
	}
	done.Paths, done.Left = named(chosen), len(named(rest))
	if done.Left == 0 {
		return done, c.Remove()
	}
	return done, errors.Join(c.Leave(rest), c.Close())
}

// admissible refuses what no review lets pass: the record of a change lies in the
// project, and may come with it.
func admissible(changes []journal.Change) error {
	for _, c := range changes {
		if inBelay(string(c.Path)) || c.After.Mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
			return &journal.ContentError{Path: c.Path}
		}
	}
	return nil
}

// ShowKept is what kept changes would do to the project as it is now, and the paths
// that something else has changed since the command began.
func ShowKept(ctx context.Context, root *os.Root, c *kept.Change) (e permit.Effect, conflicting []string, err error) {
	e = KeptEffect(c.Record)
	if conflicting, err = KeptConflicts(ctx, root, c.Record); err != nil {
		return e, nil, err
	}
	diff := newDiffs(root, len(c.Changes))
	for i := range c.Changes {
		if err := context.Cause(ctx); err != nil {
			return e, nil, err
		}
		s := &c.Changes[i]
		if _, _, in := insideGit(string(s.Path)); in || s.Op == journal.Mkdir || s.Op == journal.Rmdir {
			continue
		}
		if err := diff.add(s); err != nil {
			return e, nil, err
		}
	}
	diff.folders(c.Changes)
	e.Diff = diff.String()
	// The record lies in the project, and may come with it: what it says of the risk is
	// not believed.
	if e.Automatic, e.OnRequest, err = risksOf(root, "", c.Changes); err != nil {
		return e, nil, err
	}
	return e, conflicting, nil
}

// KeptConflicts are the paths of kept changes that something else has changed since the
// command began.
func KeptConflicts(ctx context.Context, root *os.Root, r kept.Record) (paths []string, err error) {
	found, err := conflicts(ctx, root, r, r.Changes)
	for _, f := range found {
		paths = append(paths, string(f.Path))
	}
	return paths, err
}

// KeptEffect is the effect of kept changes without a diff: the paths are those of the
// changes themselves.
func KeptEffect(r kept.Record) permit.Effect {
	e := r.Effect
	e.Paths, e.Diff = named(r.Changes), ""
	done := permit.Done{}
	if e.Done != nil {
		done = *e.Done
	}
	done.Files = len(e.Paths)
	e.Done = &done
	return e
}

// named are the files of changes, a repository of Git as one, or, where there is no
// file, the folders; sorted.
func named(changes []journal.Change) []string {
	var names, folders []string
	for _, c := range changes {
		repo, _, in := insideGit(string(c.Path))
		switch {
		case in:
			names = append(names, repo)
		case c.Op == journal.Mkdir, c.Op == journal.Rmdir:
			folders = append(folders, string(c.Path)+"/")
		default:
			names = append(names, string(c.Path))
		}
	}
	if len(names) == 0 {
		names = folders
	}
	slices.Sort(names)
	return slices.Compact(names)
}
