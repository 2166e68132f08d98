package scaffold

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"belay/internal/workspace/layout"
)

// survey is which packages and deliverables a root has folders of. Paths are
// relative to it, with slashes; keys are numbers of ids.
type survey struct {
	packages map[string]string
	// working are the folders that deliverables are worked in, copies those that
	// are in checking, issued or archived.
	working, copies map[string]string
}

// maxEntries bounds the entries of one folder that are looked at.
const maxEntries = 100_000

// look surveys a root; nil has nothing.
func look(root *os.Root) (*survey, error) {
	s := &survey{packages: map[string]string{}, working: map[string]string{}, copies: map[string]string{}}
	if root == nil {
		return s, nil
	}
	err := s.each(root, ".", layout.Package, func(n layout.Name, folder string) error {
		note(s.packages, n.ID, folder)
		if err := s.deliverables(root, path.Join(folder, layout.Working), s.working); err != nil {
			return err
		}
		for _, sub := range []string{
			layout.Archive, layout.Working + "/" + layout.Archive, layout.Checking, layout.Checking + "/From", layout.Checking + "/To",
			layout.Issued, layout.Issued + "/" + layout.Archive,
		} {
			if err := s.deliverables(root, path.Join(folder, sub), s.copies); err != nil {
				return err
			}
		}
		return nil
	})
	return s, err
}

func (s *survey) deliverables(root *os.Root, folder string, into map[string]string) error {
	return s.each(root, folder, layout.Deliverable, func(n layout.Name, at string) error {
		note(into, n.ID, at)
		return nil
	})
}

// note keeps the first folder of an id.
func note(into map[string]string, id, folder string) {
	if key := layout.Number(id); into[key] == "" {
		into[key] = folder
	}
}

// each calls do for the folders of a kind in folder, in the order of their names.
// A folder that does not exist, or that is none, has none.
func (s *survey) each(root *os.Root, folder string, kind layout.Kind, do func(layout.Name, string) error) error {
	entries, err := list(root, folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		n := layout.ParseName(e.Name())
		if n.Kind != kind {
			continue
		}
		at := path.Join(folder, e.Name())
		if !e.IsDir() && !isFolder(root, at) {
			continue // in the way, perhaps, but no folder
		}
		if err := do(n, at); err != nil {
			return err
		}
	}
	return nil
}

// isFolder reports whether there is a folder of that name, or a link to one.
func isFolder(root *os.Root, name string) bool {
	info, err := root.Stat(name)
	return err == nil && info.IsDir()
}

// list returns the entries of a folder by name, nil where there is no folder.
func list(root *os.Root, folder string) ([]fs.DirEntry, error) {
	if !isFolder(root, folder) {
		return nil, nil // anyone who needs the folder will say what is there instead
	}
	d, err := root.Open(folder)
	if err != nil {
		return nil, err
	}
	entries, err := d.ReadDir(maxEntries + 1)
	if e := d.Close(); err == nil || errors.Is(err, io.EOF) {
		err = e
	}
	if err == nil && len(entries) > maxEntries {
		err = fmt.Errorf("%s has more than %d entries", folder, maxEntries)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if entries == nil {
		entries = []fs.DirEntry{}
	}
	return entries, err
}
