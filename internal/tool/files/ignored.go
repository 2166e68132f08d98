package files

import (
	"os"
	"path"
	"strings"
)

// Ignored says what git ignores in a project, as it is. It is used by one
// goroutine.
type Ignored struct {
	project *os.Root
	folders map[string]*ignoring // by path, "." for the top
}

// NewIgnored reads nothing yet. The caller closes the project after it.
func NewIgnored(project *os.Root) *Ignored {
	return &Ignored{project: project, folders: map[string]*ignoring{}}
}

// Below returns the outermost folder of a path that git ignores, the path itself where
// only the file is ignored, and "" where nothing of it is.
func (i *Ignored) Below(name string) string {
	for at := 0; ; {
		next := strings.IndexByte(name[at:], '/')
		part := name
		if next >= 0 {
			part = name[:at+next]
		}
		if i.of(path.Dir(part)).ignores(part, next >= 0) {
			return part
		}
		if next < 0 {
			return ""
		}
		at += next + 1
	}
}

// of is what the files of a folder, and of those around it, say.
func (i *Ignored) of(folder string) *ignoring {
	if g, ok := i.folders[folder]; ok {
		return g
	}
	var around *ignoring
	base, name := "", folder
	if folder != "." {
		around, base = i.of(path.Dir(folder)), folder
	} else if git, err := i.project.OpenRoot(".git"); err == nil {
		around = around.within(git, "", "info/exclude")
		_ = git.Close() // it was only read
	}
	g := around
	if f, err := i.project.OpenRoot(name); err == nil {
		g = around.within(f, base, ".gitignore")
		_ = f.Close() // it was only read
	}
	i.folders[folder] = g
	return g
}
