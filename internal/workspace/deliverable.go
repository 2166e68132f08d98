package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/layout"
)

// Deliverable is a folder of a project that a caller named, checked. It may be a
// knowledge type's, or any other: what it is, its name and its files say.
type Deliverable struct {
	// Project is the project's path in normal form, as the caller wrote it.
	Project string
	// Path is where the folder really is, without links.
	Path string
	// Rel is the folder relative to the project, with slashes, without links.
	Rel string
}

// FindDeliverable checks the folder that a caller named by absolute paths, in
// this order: the project as [CheckProject] does; INVALID_PROJECT_ROOT for a
// deliverablePath that is not a well-formed absolute path;
// DELIVERABLE_PATH_OUTSIDE_PROJECT_ROOT unless it is in the project by its name;
// DELIVERABLE_NOT_FOUND unless it is a folder; and
// DELIVERABLE_PATH_OUTSIDE_PROJECT_ROOT again when a link leads it out.
func FindDeliverable(projectRoot, deliverablePath string) (Deliverable, error) {
	project, err := CheckProject(projectRoot)
	if err != nil {
		return Deliverable{}, err
	}
	if why := malformed(deliverablePath); why != "" {
		hint := "send deliverablePath as an absolute path"
		if why == hasControl {
			hint = "rename the folder without it"
		}
		return Deliverable{}, fault.New(fault.InvalidProjectRoot, "deliverablePath %s", why).
			With("deliverablePath", fault.Clip(deliverablePath)).WithHint("%s", hint)
	}
	folder := filepath.Clean(deliverablePath)
	located := func(e *fault.Error) error {
		return e.With("projectRoot", project).With("deliverablePath", fault.Clip(folder))
	}
	if rel, err := filepath.Rel(project, folder); err != nil || !filepath.IsLocal(rel) {
		return Deliverable{}, located(fault.New(fault.DeliverableOutside, "deliverablePath is outside projectRoot"))
	}
	info, err := os.Stat(folder)
	if err == nil && !info.IsDir() {
		err = errNotFolder
	}
	if err != nil {
		return Deliverable{}, located(fault.New(fault.DeliverableNotFound, "deliverablePath %s", reason(err)).Because(err))
	}
	d := Deliverable{Project: project}
	realProject, err := filepath.EvalSymlinks(project)
	if err == nil {
		d.Path, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return Deliverable{}, located(fault.New(fault.DeliverableNotFound, "deliverablePath cannot be followed").Because(err))
	}
	rel, err := filepath.Rel(realProject, d.Path)
	if err != nil || !filepath.IsLocal(rel) {
		return Deliverable{}, located(fault.New(fault.DeliverableOutside, "deliverablePath leads out of projectRoot by a link"))
	}
	d.Rel = filepath.ToSlash(rel)
	return d, nil
}

// NotWorkedOn says why nothing changes the records of a deliverable in this folder, as the end of a
// sentence about it: it is a copy of one, or where no deliverable is. It is "" for every
// other folder. Letter case does not count, as some file systems ignore it.
func (d Deliverable) NotWorkedOn() string {
	inPackage, derived := false, ""
	for part := range strings.SplitSeq(d.Rel, "/") {
		switch {
		case SameName(Fold(part), nameGit), SameName(Fold(part), nameBelay):
			return "lies in " + part + ", where no deliverable is"
		case derived != "" && layout.IsSnapshot(part):
			return "belongs to a snapshot, which never changes"
		case strings.EqualFold(part, layout.Archive), strings.EqualFold(part, layout.Checking), strings.EqualFold(part, layout.Issued):
			return "is a copy, in " + part + copiesStay
		case layout.ParseName(part).Kind == layout.Package:
			inPackage = true
		case strings.HasPrefix(part, "_") && !inPackage && derived == "":
			derived = part
		}
	}
	if derived != "" {
		return "is a copy, in " + derived + copiesStay
	}
	return ""
}

const copiesStay = "; what is archived, in review, issued or derived does not change"

// Open opens the folder through the project's, so that no link that was put there
// since leads out of the project. The caller closes it.
func (d Deliverable) Open() (*os.Root, error) {
	project, err := OpenProject(d.Project)
	if err != nil {
		return nil, err
	}
	defer project.Close()
	folder, err := project.OpenRoot(filepath.FromSlash(d.Rel))
	if err != nil {
		e := fault.New(fault.DeliverableNotFound, "the deliverable's folder cannot be opened").
			With("projectRoot", d.Project).With("deliverablePath", d.Path).Because(err)
		if errors.Is(err, fs.ErrPermission) {
			e = e.WithHint("let your user read and enter %s", d.Rel)
		}
		return nil, e
	}
	return folder, nil
}
