package shell

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"belay/internal/journal"
	"belay/internal/permit/review"
	"belay/internal/tool"
	"belay/internal/tool/risk"
)

// risks are those of changes.
type risks struct {
	// automatic and onRequest are the paths of changes that make programs run, by themselves and
	// when somebody asks for it, each with a clause that says why.
	automatic, onRequest []string
	// at are the paths of the automatic ones, "" for a folder or a repository as a whole.
	at []string
	// runs says of each change whether it makes a program run by itself.
	runs []bool
}

// risksOf are those of changes in a project. Of a new folder that comes as a whole, the content of
// it counts, among the contents. A content that is gone counts as unknown.
func risksOf(ctx context.Context, w *tool.Environment, contents journal.Name, changes []journal.Change) (r risks, err error) {
	p := risk.Project{Root: w.Root, Path: w.Path, GitConfigs: w.GitConfigs}
	entries := make([]review.Entry, len(changes))
	for i := range changes {
		if entries[i], err = entryOf(w, &changes[i]); err != nil {
			return r, err
		}
	}
	r.runs = make([]bool, len(changes))
	for i, f := range p.Findings(entries) {
		switch f.Risk {
		case review.Automatic:
			r.addAutomatic(f.Path, risk.Sentence(f.Path, f.Reason))
			r.runs[i] = true
		case review.OnRequest:
			r.onRequest = append(r.onRequest, risk.Sentence(f.Path, f.Reason))
		}
	}
	for i := range changes {
		if changes[i].Tree == nil {
			continue
		}
		t := treeRisks{ctx: ctx, root: w.Root, contents: contents, project: p}
		if err := t.look(&changes[i]); err != nil {
			return r, err
		}
		r.addAutomatic("", t.automatic...)
		r.onRequest = append(r.onRequest, t.onRequest...)
		r.runs[i] = r.runs[i] || len(t.automatic) > 0
	}
	r.addHistory(ctx, w.Root, string(contents), changes)
	return r, nil
}

func (r *risks) addAutomatic(at string, sentences ...string) {
	for _, s := range sentences {
		r.automatic, r.at = append(r.automatic, s), append(r.at, at)
	}
}

// beyond returns the first of the automatic ones that was not among those that somebody has
// decided on, "" for none. A path with another reason was.
func (r *risks) beyond(decided []string) string {
	known := map[string]bool{}
	for _, s := range decided {
		known[s] = true
	}
	for i, s := range r.automatic {
		about := risk.Sentence(r.at[i], "")
		if !known[s] && (r.at[i] == "" || !slices.ContainsFunc(decided, func(d string) bool { return strings.HasPrefix(d, about) })) {
			return s
		}
	}
	return ""
}

// entryOf is a change as a review has it, with the contents that the review needs.
func entryOf(w *tool.Environment, c *journal.Change) (e review.Entry, err error) {
	e = review.Entry{Path: string(c.Path), Before: version(c.Before), After: version(c.After)}
	if c.Op == journal.Mode {
		e.After.Content, e.After.Known = nil, false
	}
	if !review.NeedsContent(e.Path) || max(c.Before.Size, c.After.Size) > shownContent {
		return e, nil
	}
	if c.Before.Type == journal.File {
		if e.Before.Content, e.Before.Known, err = known(readFile(w.Root, string(c.Path))); err != nil {
			return e, err
		}
	}
	if c.After.Type == journal.File && c.Content != nil {
		e.After.Content, e.After.Known, err = known(readAll(c.Content))
	}
	return e, err
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
