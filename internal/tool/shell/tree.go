package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"

	"belay/internal/journal"
	"belay/internal/permit/review"
	"belay/internal/tool"
	"belay/internal/tool/files"
	"belay/internal/tool/risk"
	"belay/internal/tool/shell/overlay"
)

// This file is about new folders of so many files that each comes as a whole: build output
// that git ignores. The content of one is reviewed file by file, and never listed.

// ignores reports whether git ignores a folder and has no file below it.
func (t *transaction) ignores() func(folder string) (bool, error) {
	ignored := files.NewIgnored(t.environment.Root)
	tracked := sync.OnceValue(func() trackedFiles {
		all := trackedIn(t.environment.Project)
		folders := map[string]bool{}
		for name := range all.names {
			for dir := path.Dir(name); dir != "." && !folders[dir]; dir = path.Dir(dir) {
				folders[dir] = true
			}
		}
		return trackedFiles{folders, all.known}
	})
	return func(folder string) (bool, error) {
		return ignored.Below(folder+"/x") != "" && !inGitFolder(folder) && tracked().known && !tracked().names[folder], nil
	}
}

func inGitFolder(name string) bool {
	_, _, in := insideGit(name)
	return in
}

// admitTree reviews the content of a folder that comes as a whole.
func admitTree(w *tool.Environment, contents journal.Name, c *journal.Change, admit func(*journal.Change) error) error {
	err := overlay.EachOf(w.Root, contents, c.Path, admit)
	var never *NotAdmittedError
	if err == nil || errors.As(err, &never) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return &NotAdmittedError{c.Path, err.Error()}
}

const (
	// treeAtOnce is how many entries of a folder are classified at once.
	treeAtOnce = 5000
	// maxTreeRisks is how many of each kind are named.
	maxTreeRisks = 200
)

// treeRisks finds what in a folder that comes as a whole makes programs run.
type treeRisks struct {
	ctx                  context.Context //nolint:containedctx // of one look
	root                 *os.Root
	contents             journal.Name
	project              risk.Project
	entries              []review.Entry
	gits                 map[string]int
	automatic, onRequest []string
}

func (t *treeRisks) look(c *journal.Change) error {
	t.gits = map[string]int{}
	err := overlay.EachOf(t.root, t.contents, c.Path, t.add)
	if errors.Is(err, fs.ErrNotExist) {
		t.automatic = append(t.automatic, tool.Printable(string(c.Path))+": its content is gone")
		return nil
	}
	t.classify()
	return err
}

func (t *treeRisks) add(c *journal.Change) error {
	name := string(c.Path)
	e := review.Entry{Path: name, After: version(c.After)}
	if c.After.Type == journal.File && review.NeedsContent(name) && c.After.Size <= shownContent {
		var err error
		if e.After.Content, e.After.Known, err = known(readFile(t.root, path.Join(string(t.contents), name))); err != nil {
			return err
		}
	}
	// Git uses any folder as a repository that has these three: they may be classified apart.
	switch strings.ToLower(path.Base(name)) {
	case "head", "objects", "refs":
		if t.gits[path.Dir(name)]++; t.gits[path.Dir(name)] == 3 {
			t.name(&t.automatic, tool.Printable(path.Dir(name))+" is a repository of git, whose settings may name programs")
		}
	}
	if t.entries = append(t.entries, e); len(t.entries) >= treeAtOnce {
		t.classify()
	}
	return t.ctx.Err()
}

func (t *treeRisks) classify() {
	automatic, onRequest := t.project.Of(t.entries)
	t.entries = t.entries[:0]
	for _, name := range automatic {
		t.name(&t.automatic, name)
	}
	for _, name := range onRequest {
		t.name(&t.onRequest, name)
	}
}

func (t *treeRisks) name(list *[]string, text string) {
	switch len(*list) {
	case maxTreeRisks:
		*list = append(*list, fmt.Sprintf("more than %d others", maxTreeRisks))
	default:
		if len(*list) < maxTreeRisks {
			*list = append(*list, text)
		}
	}
}
