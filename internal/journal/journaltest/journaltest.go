// Package journaltest says whether a project came through a crash as the journal
// promises: every file is old or new, many are changed all or none, and every
// content that was replaced can be found.
package journaltest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/journal"
)

// Tree is what a project holds, less .belay: of every path the type, the
// permissions, and the content or where a link leads.
type Tree map[string]string

// Read reads the tree of a project.
func Read(project string) (Tree, error) {
	t := Tree{}
	err := filepath.WalkDir(project, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == project {
			return err
		}
		name, err := filepath.Rel(project, path)
		if err != nil {
			return err
		}
		if name == ".belay" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		switch info.Mode().Type() {
		case 0:
			var data []byte
			data, err = os.ReadFile(path)
			text = string(data)
		case fs.ModeSymlink:
			text, err = os.Readlink(path)
			t[filepath.ToSlash(name)] = "link " + text
			return err
		}
		t[filepath.ToSlash(name)] = info.Mode().String() + " " + text
		return err
	})
	return t, err
}

// Neither lists, sorted, the paths that are neither as they were before nor as they
// are to be after: torn, missing or strange.
func Neither(before, now, after Tree) (bad []string) {
	names := map[string]bool{}
	for _, t := range []Tree{before, now, after} {
		for name := range t {
			names[name] = true
		}
	}
	for name := range names {
		if now[name] != before[name] && now[name] != after[name] {
			bad = append(bad, fmt.Sprintf("%s is %.80q, was %.80q, and was to be %.80q", name, now[name], before[name], after[name]))
		}
	}
	slices.Sort(bad)
	return bad
}

// Equal reports whether two trees are the same.
func Equal(a, b Tree) bool { return len(Neither(a, b, a)) == 0 }

// Half says how a project is between two states, "" if it is wholly in one of them.
func Half(before, now, after Tree) string {
	if Equal(before, now) || Equal(after, now) {
		return ""
	}
	return fmt.Sprintf("half done: not as before (%s) and not as after (%s)",
		strings.Join(Neither(before, now, before), "; "), strings.Join(Neither(after, now, after), "; "))
}

// Lost lists, sorted, the files of a tree whose content is nowhere in the project:
// not at a path, not in the journal and not among the blobs, which all count by
// their bytes.
func Lost(project string, old Tree) (lost []string, err error) {
	found := map[string]bool{}
	err = filepath.WalkDir(project, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		found[digest(data)] = true
		return err
	})
	for name, is := range old {
		if mode, content, _ := strings.Cut(is, " "); strings.HasPrefix(mode, "-") && !found[digest([]byte(content))] {
			lost = append(lost, name)
		}
	}
	slices.Sort(lost)
	return lost, err
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Left lists what there is of transactions that are not settled, and of contents
// that nobody kept on purpose. Dir is the folder of the store's records.
func Left(dir, project string) (left []string, err error) {
	pending, err := journal.New(dir, nil).Pending(context.Background())
	if err != nil {
		return nil, err
	}
	for _, p := range pending {
		if p.Outcome == nil {
			left = append(left, fmt.Sprintf("an unfinished %s of %s %s", p.Owner.What, p.Project, p.Problem))
		}
	}
	in, err := os.ReadDir(filepath.Join(project, ".belay", "journal"))
	if err != nil && !os.IsNotExist(err) {
		return left, err
	}
	for _, e := range in {
		if !strings.HasPrefix(e.Name(), "kept-") {
			left = append(left, "contents of "+e.Name())
		}
	}
	return left, nil
}
