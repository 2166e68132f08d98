package persona

import (
	"cmp"
	"fmt"
	"os"
	"slices"
)

// List returns every persona of the root, sorted by ID. A file that is named
// like a persona but cannot be read is listed with a warning that says so. It
// returns INSTRUCTION_ROOT_INVALID for a root that is not valid.
func (r *Root) List() ([]Summary, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	names, err := r.agentFiles()
	if err != nil {
		return nil, fmt.Errorf("list personas: %w", err)
	}
	list := make([]Summary, 0, len(names))
	for _, base := range names {
		id := idOf(base)
		if id == "" {
			continue
		}
		d, err := r.load(fileOf(id))
		if err != nil {
			list = append(list, Summary{ID: id, File: fileOf(id), Warnings: []string{"cannot be read: " + unreadable(err)}})
			continue
		}
		list = append(list, r.judged(d.persona).Summary)
	}
	return list, nil
}

// agentFiles returns the names in the agents folder, sorted.
func (r *Root) agentFiles() ([]string, error) {
	var names []string
	if r.path == "" {
		found, err := embedded.ReadDir(embeddedDir + "/agents")
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			names = append(names, e.Name())
		}
	} else {
		root, err := os.OpenRoot(r.path)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		if names, err = listDir(root, "agents"); err != nil {
			return nil, err
		}
	}
	// By ID, which is not the order of the file names: "A_B" and "A.md" differ.
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(idOf(a), idOf(b)), cmp.Compare(a, b)) })
	return names, nil
}
