package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/shell/kept"
)

// ErrUnknownPath says that kept changes have nothing at a path that was chosen.
var ErrUnknownPath = errors.New("it is not among the changes that are kept")

// Applied is the outcome of kept changes that a person wanted.
type Applied struct {
	// Paths are the files that are as the command made them, sorted.
	Paths []string
	// Left is how many changes were not chosen, and stay kept.
	Left int
}

// KeptChoice is what a person wants of kept changes.
type KeptChoice struct {
	// Only are paths: those changes at or below one of them are made. None are all.
	Only []string
	// RunsByItself is set where the person has seen that some of the files make programs
	// run by themselves.
	RunsByItself bool
}

// NotAdmittedError says that a kept change is one that no review lets pass.
type NotAdmittedError struct {
	Path journal.Name
	// Reason is a clause.
	Reason string
}

// Error implements error.
func (e *NotAdmittedError) Error() string { return tool.Printable(string(e.Path)) + ": " + e.Reason }

// RunsByItselfError says that kept changes make programs run by themselves, and that
// the person has not said that this is meant.
type RunsByItselfError struct {
	// Files are the paths, each with the reason.
	Files []string
}

// Error implements error.
func (e *RunsByItselfError) Error() string {
	return "other programs run some of it by themselves: " + listed(e.Files)
}

// ApplyKept makes kept changes in a project on the word of a person. The others stay
// kept. Of w it needs the project, its blobs, the gate, the journal, the limits and the
// scope of a person. Record gets what was made before that is certain:
// should it fail, or the process die, the session of the owner gets them later. Changes
// that are real already are applied.
//
// A [*journal.ConflictError] names paths that something else changed, a
// [*journal.ContentError] a content that is damaged. The record is in the project and
// may have come with it, so the review is made anew: a [*NotAdmittedError] or
// [*RunsByItselfError] says what it finds.
func ApplyKept(ctx context.Context, w *tool.Environment, c *kept.Change, choice KeptChoice, by journal.Owner, record func([]session.Change) error) (done Applied, err error) {
	for _, name := range choice.Only {
		if !slices.ContainsFunc(c.Changes, func(s journal.Change) bool {
			return string(s.Path) == name || strings.HasPrefix(string(s.Path), name+"/")
		}) {
			return done, fmt.Errorf("%s: %w", name, ErrUnknownPath)
		}
	}
	chosen, rest := c.Changes, []journal.Change(nil)
	if len(choice.Only) > 0 {
		chosen, _ = choose(c.Changes, choice.Only)
		rest = slices.DeleteFunc(slices.Clone(c.Changes), func(s journal.Change) bool {
			return slices.ContainsFunc(chosen, func(o journal.Change) bool { return o.Path == s.Path && o.Op == s.Op })
		})
	}
	err = inProject(ctx, w, func(j *journal.Project) error {
		switch real, err := AreReal(ctx, w.Root, chosen); {
		case err != nil:
			return err
		case real:
			return record(nil) // their contents may be gone
		}
		if err := c.Check(ctx, chosen); err != nil {
			return err
		}
		if found, err := conflicts(ctx, w.Root, c.Record, chosen); err != nil {
			return err
		} else if len(found) > 0 {
			return &journal.ConflictError{Conflicts: found}
		}
		if err := reviewed(ctx, w, c.Contents(), chosen, choice.RunsByItself); err != nil {
			return err
		}
		plan := journal.Plan{Owner: by, Changes: chosen}
		if len(rest) == 0 {
			plan.Contents = c.Contents()
		}
		_, err := makeChanges(ctx, w, j, plan, record)
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

// reviewed makes the review of changes anew that conflict with nothing.
func reviewed(ctx context.Context, w *tool.Environment, contents journal.Name, changes []journal.Change, runsByItself bool) error {
	if err := admitted(ctx, w, contents, changes); err != nil {
		return err
	}
	r, err := risksOf(ctx, w, contents, changes)
	switch {
	case err != nil:
		return err
	case len(r.automatic) > 0 && !runsByItself:
		return &RunsByItselfError{r.automatic}
	}
	if lock := gitAtWork(w.Root, changes); lock != "" {
		return tool.Refuse("git is at work in the repository (%s is there)", lock)
	}
	return nil
}

// Shown is what kept changes would do to a project as it is now.
type Shown struct {
	Effect permit.Effect
	// Conflicts are the paths that something else has changed since the command began.
	Conflicts []string
	// Refused is why some of the changes can never be applied, "" where all can.
	Refused string
}

// ShowKept looks at kept changes, for a person. Of w it needs the project, the limits
// and the scope of a person.
func ShowKept(ctx context.Context, w *tool.Environment, c *kept.Change) (s Shown, err error) {
	s.Effect = KeptEffect(c.Record)
	if s.Conflicts, err = KeptConflicts(ctx, w.Root, c.Record); err != nil {
		return s, err
	}
	diff, texts := newDiffs(w.Root, len(c.Changes)), gitSettings(c.Changes)
	for i := range c.Changes {
		if err := context.Cause(ctx); err != nil {
			return s, err
		}
		one := &c.Changes[i]
		if _, _, in := insideGit(string(one.Path)); in && !texts[one] || one.Op == journal.Mkdir || one.Op == journal.Rmdir {
			continue
		}
		if err := diff.add(one); err != nil {
			return s, err
		}
	}
	diff.folders(c.Changes)
	s.Effect.Repositories = describeGit(ctx, w.Root, string(c.Contents()), c.Changes, diff)
	s.Effect.Diff = diff.String()
	// The record is in the project, and may come with it: what it says of the risk is
	// not believed.
	r, err := risksOf(ctx, w, c.Contents(), c.Changes)
	if err != nil {
		return s, err
	}
	s.Effect.Automatic, s.Effect.OnRequest = r.automatic, r.onRequest
	var never *NotAdmittedError
	switch err := admitted(ctx, w, c.Contents(), slices.DeleteFunc(slices.Clone(c.Changes), func(one journal.Change) bool {
		return slices.Contains(s.Conflicts, string(one.Path)) // nobody applies it
	})); {
	case errors.As(err, &never):
		s.Refused = never.Error()
	case err != nil && !errors.Is(err, fs.ErrNotExist): // a content that is gone: Check says so
		return s, err
	}
	return s, nil
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

// KeptEffect is the effect of kept changes without a diff: the paths and numbers are those of
// the changes themselves, of which a person may have applied some since the question.
func KeptEffect(r kept.Record) permit.Effect {
	e := r.Effect
	e.Paths, e.Diff = named(r.Changes), ""
	done := permit.Done{}
	if e.Done != nil {
		done = *e.Done
	}
	done.Files = len(e.Paths)
	below, seen := map[string]int{}, map[journal.Name]bool{}
	for _, c := range r.Changes {
		files := 1
		if c.Tree != nil {
			files = c.Tree.Files
			done.Files += files - 1
		}
		if c.Op == journal.Mkdir && c.Tree == nil || c.Op == journal.Rmdir || seen[c.Path] {
			continue
		}
		seen[c.Path] = true
		for at := string(c.Path); at != "."; at = path.Dir(at) {
			below[at] += files
		}
	}
	ignored := done.Ignored
	done.Ignored = nil
	for _, i := range ignored {
		if i.Files = below[i.Path]; i.Files > 0 {
			done.Ignored = append(done.Ignored, i)
		}
	}
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
		case c.Tree != nil:
			names = append(names, string(c.Path))
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
