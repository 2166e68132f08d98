package watch

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

var errLeadsOut = errors.New("the link leads out of the project")

// leadsOut returns why a link that the command made may not stay.
func (r *review) leadsOut(c change) error {
	if !c.is || c.new.mode.Type() != fs.ModeSymlink {
		return nil
	}
	dir := filepath.Join(r.place.Project, filepath.Dir(filepath.FromSlash(c.path)))
	target := filepath.FromSlash(c.new.target)
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	project := r.place.Project
	if real, err := filepath.EvalSymlinks(project); err == nil {
		project = real
	}
	real, err := filepath.EvalSymlinks(target)
	if err != nil { // it leads to nothing yet
		real = filepath.Clean(target)
		if inside(real, r.place.Project) {
			return nil
		}
	}
	if inside(real, project) {
		return nil
	}
	for _, system := range r.w.o.System {
		if inside(real, system) {
			return nil
		}
	}
	return errLeadsOut
}

func inside(p, dir string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
