package shell

import (
	"context"
	"errors"
	"io/fs"

	"belay/internal/journal"
	"belay/internal/permit/review"
	"belay/internal/tool"
	"belay/internal/tool/risk"
)

// risksOf are those changes in a project that make programs run: by themselves, and when
// somebody asks for it. Of a new folder that comes as a whole, the content of it counts, among
// the contents. A content that is gone counts as unknown.
func risksOf(ctx context.Context, w *tool.Environment, contents journal.Name, changes []journal.Change) (automatic, onRequest []string, err error) {
	root, p := w.Root, risk.Project{Root: w.Root, Path: w.Path}
	entries := make([]review.Entry, len(changes))
	for i := range changes {
		c := &changes[i]
		e := review.Entry{Path: string(c.Path), Before: version(c.Before), After: version(c.After)}
		if c.Op == journal.Mode {
			e.After.Content, e.After.Known = nil, false
		}
		if review.NeedsContent(e.Path) && max(c.Before.Size, c.After.Size) <= shownContent {
			if c.Before.Type == journal.File {
				if e.Before.Content, e.Before.Known, err = known(readFile(root, string(c.Path))); err != nil {
					return nil, nil, err
				}
			}
			if c.After.Type == journal.File && c.Content != nil {
				if e.After.Content, e.After.Known, err = known(readAll(c.Content)); err != nil {
					return nil, nil, err
				}
			}
		}
		entries[i] = e
	}
	automatic, onRequest = p.Of(entries)
	for i := range changes {
		if changes[i].Tree == nil {
			continue
		}
		t := treeRisks{ctx: ctx, root: root, contents: contents, project: p}
		if err := t.look(&changes[i]); err != nil {
			return nil, nil, err
		}
		automatic, onRequest = append(automatic, t.automatic...), append(onRequest, t.onRequest...)
	}
	for _, c := range changes {
		if repo, rest, in := insideGit(string(c.Path)); in && rest == "HEAD" && c.After.Type == journal.None {
			automatic = append(automatic, tool.Printable(repo)+" is removed with its history, and nobody can take that back")
		}
	}
	return automatic, onRequest, nil
}

// known is a content, and whether there is one.
func known(data []byte, err error) ([]byte, bool, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// version is a state as a review has it.
func version(s journal.State) review.Version {
	v := review.Version{Exists: s.Type != journal.None, Mode: s.Mode.Perm()}
	switch s.Type {
	case journal.Folder:
		v.Mode |= fs.ModeDir
	case journal.Link:
		v.Mode |= fs.ModeSymlink
	}
	return v
}
