package run

import (
	"path/filepath"
	"slices"

	"belay/internal/workspace"
)

// guard says why a workflow may not attach a file, "" where it may. A workflow file may come
// from somebody else: what the person denies to agents it does not show to them either, and
// what belay keeps in the project is no part of it. A file is judged by its path and by where
// that leads.
func guard(o *Options, project string) func(dir, path string) string {
	denies := func(string) string { return "" }
	if o.Denies != nil {
		denies = o.Denies(project)
	}
	root := real(project)
	return func(dir, path string) string {
		base := real(dir)
		whole := filepath.Join(base, filepath.FromSlash(path))
		for _, name := range slices.Compact([]string{whole, real(whole)}) {
			if below, err := filepath.Rel(base, name); err == nil && workspace.InBelay(below) {
				return "it is one of belay's own files"
			}
			if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
				name = rel
			}
			if why := denies(filepath.ToSlash(name)); why != "" {
				return why
			}
		}
		return ""
	}
}

// real is where a path leads, or the path itself where nothing is there.
func real(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}
