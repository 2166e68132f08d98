package shell

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"belay/internal/journal"
	"belay/internal/tool"
	"belay/internal/tool/files"
	"belay/internal/tool/shell/overlay"
)

// review returns the changes that may be applied. It reports the others in the notes
// and records them as refused. A folder that may not be made takes its content with it; one in
// which something stays, what was left out among it, is not removed.
func (t *transaction) review(ctx context.Context, changes []journal.Change, leftOut []overlay.Drop) (allowed []journal.Change, err error) {
	closed, filled := map[string]bool{}, map[string]bool{}
	for _, d := range leftOut {
		addFolders(filled, d.Path)
	}
	for i := range changes {
		c := &changes[i]
		name := string(c.Path)
		why, err := forbidden(t.environment, c)
		if err != nil {
			return nil, err
		}
		if why == nil && c.After.Type != journal.None && isBelow(name, closed) {
			continue // its folder is refused
		}
		if why == nil {
			allowed = append(allowed, *c)
			continue
		}
		if c.Op == journal.Mode {
			t.refuse(c, why)
			continue
		}
		closed[name] = true
		if c.Before.Type != journal.None {
			addFolders(filled, name)
		}
		if c.Before.Type == journal.Folder || c.After.Type == journal.Folder {
			continue // what is in it speaks for itself
		}
		t.refuse(c, why)
	}
	return slices.DeleteFunc(allowed, func(c journal.Change) bool {
		stays := filled[string(c.Path)]
		if stays && c.After.Type != journal.None && c.After.Type != journal.Folder {
			t.refuse(&c, errors.New("the folder of that name stays, because something in it does"))
			return true
		}
		return stays && c.Op == journal.Rmdir
	}), ctx.Err()
}

func isBelow(name string, closed map[string]bool) bool {
	for ; name != "."; name = path.Dir(name) {
		if closed[name] {
			return true
		}
	}
	return false
}

// refuse notes a change that is not applied.
func (t *transaction) refuse(c *journal.Change, why error) {
	t.note("%s was not changed: %s", c.Path, sayWhy(c, why))
	for _, rec := range files.Recorded([]journal.Change{*c}) {
		rec.Restored, rec.Folders = true, 0
		t.refused = append(t.refused, rec)
	}
}

// sayWhy says why a change is not applied, in a clause.
func sayWhy(c *journal.Change, why error) string {
	text := strings.TrimSuffix(why.Error(), ".")
	if refusal, ok := tool.AsRefusal(why); ok {
		text = refusal.Reason
	}
	if rest, ok := strings.CutPrefix(text, string(c.Path)+" "); ok {
		text = "it " + rest
	}
	return text
}

// before is what the project has in a file that is changed.
func (t *transaction) before(c *journal.Change) ([]byte, error) {
	return readFile(t.environment.Root, string(c.Path))
}

func readAll(open func() (io.ReadCloser, error)) ([]byte, error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// system are folders outside a project that links in it may lead to.
var system = []string{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/dev/null"}

// forbidden returns why a change is never applied, nil where it may be. What a command
// has just changed and what was kept are judged by it alike. What is in a .git folder is
// no project file: it is judged by what it makes run.
func forbidden(w *tool.Environment, c *journal.Change) (why, err error) {
	name := string(c.Path)
	_, rest, inGit := insideGit(name)
	ofFolder := c.Op == journal.Mode && c.Before.Type == journal.Folder
	switch {
	case c.Op == journal.Rename || c.To != "": // a record may have come with the project
		return errors.New("a command renames nothing: it removes and makes"), nil
	case !utf8.ValidString(name):
		return errors.New("its name is no UTF-8 text, which no record can hold"), nil
	case inBelay(name):
		return errors.New("it is belay's own"), nil
	case c.After.Mode&(fs.ModeSetuid|fs.ModeSetgid) != 0:
		return errors.New("it would give its rights to any user who runs it"), nil
	case c.After.Type == journal.Link && leadsOut(w, name, string(c.After.Target)):
		return errors.New("the link leads out of the project"), nil
	case inGit && ofFolder:
		return errors.New("the permissions of a repository's folders stay as they are"), nil
	case inGit && (rest != "" || c.After.Type != journal.Link):
		return nil, nil
	}
	if why := w.Scope.Allows(name, c.Before.Type != journal.None); why != nil {
		return why, nil
	}
	return zones(w, c)
}

// inBelay reports whether a path is belay's own, in whichever folder.
func inBelay(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.EqualFold(part, ".belay") })
}

// zones returns why a change to the parts of a file that belong to people is not
// applied.
func zones(w *tool.Environment, c *journal.Change) (why, err error) {
	switch {
	case c.Op == journal.Mode || !w.Scope.HasZones(string(c.Path)):
		return nil, nil
	case c.Before.Type == journal.None && c.Content == nil:
		return nil, nil // it comes with a whole new folder, and has no parts of people yet
	case max(c.Before.Size, c.After.Size) > w.Limits.KeepBytes:
		return errors.New("it is too large to tell whether the parts that belong to people stay"), nil
	}
	var before, after []byte
	if c.Before.Type == journal.File {
		if before, err = readFile(w.Root, string(c.Path)); err != nil {
			return nil, err
		}
	}
	if c.After.Type == journal.File {
		if after, err = readAll(c.Content); err != nil {
			return nil, err
		}
	}
	return w.Scope.KeepsZones(string(c.Path), before, after), nil
}

// leadsOut reports whether a link leads neither into the project nor to a part of
// the system. A .. behind a name counts as leading out: where it leads depends on links that
// the same command makes. One that leads nowhere but into its own folder does not, where that
// folder is to take the place of a link.
func leadsOut(w *tool.Environment, name, target string) bool {
	named := false
	for part := range strings.SplitSeq(filepath.ToSlash(target), "/") {
		if part == ".." && named {
			return true
		}
		named = named || part != ".." && part != "." && part != ""
	}
	project := w.Project
	if real, err := filepath.EvalSymlinks(project); err == nil {
		project = real
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(project, filepath.Dir(filepath.FromSlash(name)), filepath.FromSlash(target))
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			at := filepath.Join(project, filepath.FromSlash(dir))
			if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 && strings.HasPrefix(target, at+string(filepath.Separator)) {
				return false
			}
		}
	}
	real, ok := resolved(target)
	return !ok || !slices.ContainsFunc(slices.Concat([]string{project, w.Project}, system, w.ReadPaths), func(dir string) bool {
		rel, err := filepath.Rel(dir, real)
		return err == nil && filepath.IsLocal(rel)
	})
}

// resolved follows the links of a path, as far as the path exists. It fails at a link whose
// target does not exist.
func resolved(path string) (real string, ok bool) {
	rest := ""
	for {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(real, rest), true
		}
		above := filepath.Dir(path)
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 || above == path {
			return "", false
		}
		rest, path = filepath.Join(filepath.Base(path), rest), above
	}
}

// admitted refuses what no review lets pass.
func admitted(ctx context.Context, w *tool.Environment, contents journal.Name, changes []journal.Change) error {
	admit := func(c *journal.Change) error {
		why, err := forbidden(w, c)
		if why != nil {
			return &NotAdmittedError{c.Path, sayWhy(c, why)}
		}
		return errors.Join(err, context.Cause(ctx))
	}
	for i := range changes {
		c := &changes[i]
		err := admit(c)
		if err == nil && c.Tree != nil {
			err = admitTree(w, contents, c, admit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
