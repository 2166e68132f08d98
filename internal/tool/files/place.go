package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/tool"
)

// place is a file or folder that a path leads to: the name below its root, in
// which no part is a link.
type place struct {
	root    *os.Root
	top     string // absolute path of root
	name    string // below root, with slashes; "." is root itself
	scratch bool   // root is the session's scratch folder
	// linked is the name by which a link led here, "" where none did. Denials count for it, too.
	linked string
	// missing is how many of the last parts of name are not there, 0 when the
	// place exists. A file's folders may be missing too.
	missing int
	info    fs.FileInfo // nil when it is missing
}

// exists reports whether there was something when the path was resolved.
func (p place) exists() bool { return p.missing == 0 }

// folder reports whether the place is a folder that exists.
func (p place) folder() bool { return p.info != nil && p.info.IsDir() }

// abs is the absolute path.
func (p place) abs() string { return filepath.Join(p.top, filepath.FromSlash(p.name)) }

// shown is the path as models and people see it: relative to the project, or
// absolute in the scratch folder.
func (p place) shown() string {
	if p.scratch {
		return filepath.ToSlash(p.abs())
	}
	return p.name
}

// below is the place's path of a name under its root.
func (p place) below(name string) string {
	p.name = name
	return p.shown()
}

const (
	maxPath  = 4096 // bytes of a path from a model
	maxLinks = 40   // links on the way to one file
)

var (
	errEscapes = errors.New("leads out of the project")
	errLoop    = errors.New("has links that lead in circles")
	errFile    = durable.ErrNotFolder
	errMoved   = durable.ErrMoved
)

// locate finds what a path of a model leads to. It refuses what is not below the
// project or the scratch folder, also by way of links, and what is hidden.
func locate(w *tool.Environment, written string) (place, error) {
	p, err := parse(w, written)
	if err != nil {
		return place{}, err
	}
	asked := p
	p, err = resolve(p)
	asked.info = p.info // of a folder, denials count where they close all that is in it
	if err := hidden(w, asked, written); err != nil {
		return place{}, err
	}
	if err != nil {
		if errors.Is(err, errEscapes) {
			return place{}, authority("%s %v", asked.shown(), errEscapes).
				WithHint("name files below the project by their path in it")
		}
		return place{}, explain(asked.shown(), err)
	}
	if p.name != asked.name {
		p.linked = asked.shown()
	}
	return p, hidden(w, p, written)
}

// parse reads a path: relative to the project, or absolute and below the project
// or the scratch folder. It looks at no file.
func parse(w *tool.Environment, written string) (place, error) {
	switch {
	case len(written) > maxPath:
		return place{}, tool.Refuse("the path has more than %d bytes", maxPath)
	case !utf8.ValidString(written) || strings.ContainsFunc(written, unicode.IsControl):
		return place{}, tool.Refuse("the path %q has characters that no path may have", written)
	}
	project := place{root: w.Root, top: w.Project}
	scratch := place{root: w.ScratchRoot, top: w.Scratch, scratch: true}
	for _, p := range []place{scratch, project} {
		if p.root != nil && filepath.IsAbs(written) {
			if rel, ok := relative(p.top, written); ok {
				p.name = rel
				return p, nil
			}
		}
	}
	name := path.Clean(filepath.ToSlash(written))
	if filepath.IsAbs(written) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return place{}, authority("%s is outside the project", tool.Clip(written, 200)).
			WithHint("give a path relative to the project, such as docs/plan.md")
	}
	project.name = name
	return project, nil
}

// relative returns the path of an absolute path below top: as both are written,
// or, where top is reached by a link, as top really is.
func relative(top, abs string) (string, bool) {
	if top == "" {
		return "", false
	}
	for _, t := range []func() (string, error){
		func() (string, error) { return top, nil },
		func() (string, error) { return filepath.EvalSymlinks(top) },
	} {
		base, err := t()
		if err != nil {
			return "", false
		}
		if rel, err := filepath.Rel(base, abs); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// hidden refuses what an agent is never shown.
func hidden(w *tool.Environment, p place, written string) error {
	if p.scratch || !w.Hides(p.name, p.folder()) {
		return nil
	}
	if !w.Scope.Hidden(p.name) {
		return authority("%s is not open to agents: the rule %s denies it", tool.Clip(written, 200), w.Unreadable(p.name, p.folder()))
	}
	return authority("%s is not open to agents", tool.Clip(written, 200))
}

// authority is a refusal of something that an agent may never do.
func authority(format string, args ...any) *tool.Refusal {
	r := tool.Refuse(format, args...)
	r.Authority = true
	return r
}

// resolve follows the links in p's name, inside its root.
func resolve(p place) (place, error) {
	var done []string
	left := strings.Split(p.name, "/")
	for links := 0; len(left) > 0; {
		part := left[0]
		left = left[1:]
		switch part {
		case "", ".":
			continue
		case "..": // of a link; what is done has no links, so this is the parent
			if len(done) == 0 {
				return place{}, errEscapes
			}
			done = done[:len(done)-1]
			continue
		}
		here := path.Join(append(slices.Clone(done), part)...)
		info, err := p.root.Lstat(here)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if slices.Contains(left, "..") {
				return place{}, err
			}
			p.name, p.missing, p.info = path.Join(append([]string{here}, left...)...), 1+len(left), nil
			return p, nil
		case err != nil:
			return place{}, err
		case info.Mode()&fs.ModeSymlink != 0:
			if links++; links > maxLinks {
				return place{}, errLoop
			}
			target, err := p.root.Readlink(here)
			if err != nil {
				return place{}, err
			}
			if filepath.IsAbs(target) || strings.HasPrefix(target, "/") {
				return place{}, errEscapes
			}
			left = append(strings.Split(filepath.ToSlash(target), "/"), left...)
		case !info.IsDir() && len(left) > 0:
			return place{}, errFile
		default:
			done = append(done, part)
		}
	}
	p.name, p.missing = path.Join(append([]string{"."}, done...)...), 0
	var err error
	p.info, err = p.root.Lstat(p.name)
	return p, err
}

// explain turns an error of the file system into a refusal. Paths of this machine
// stay out of it: path is what the model may know. A failure of the project's blob
// store stays an error.
func explain(path string, err error) error {
	if r, ok := tool.AsRefusal(err); ok {
		return r
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err // belay's own storage: nothing that the model can fix
	}
	reason := "cannot be used"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		reason = "does not exist"
	case errors.Is(err, fs.ErrPermission):
		reason = "cannot be opened: permission denied"
	case errors.Is(err, errMoved):
		reason = "changed its place while it was used: " + errMoved.Error()
	case errors.Is(err, errLoop):
		reason = errLoop.Error()
	case errors.Is(err, errFile), errors.Is(err, syscall.ENOTDIR):
		reason = "cannot be there: " + errFile.Error()
	default:
		if errno, ok := errors.AsType[syscall.Errno](err); ok {
			reason = "cannot be used: " + errno.Error()
		}
	}
	return tool.Refuse("%s %s", tool.Clip(path, 200), reason).Because(err)
}
