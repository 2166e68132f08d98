package session

import (
	"os"
	"path/filepath"
	"strings"

	"belay/internal/fault"
)

// Names inside a project and a session folder.
const (
	dirBelay       = ".belay"
	dirSessions    = dirBelay + "/sessions"
	dirBlobs       = dirBelay + "/blobs"
	dirUploads     = dirBelay + "/uploads"
	fileRecord     = "session.json"
	fileTranscript = "transcript.jsonl"
	dirLog         = "log"
)

// sessionPath is the location of a session folder: base is the folder that the operator
// named (a project or the session root), rel leads from there to the session and
// is walked without leaving base.
type sessionPath struct {
	base, rel string
	dir       string // both as one path
}

func pathAt(base, rel string) sessionPath {
	return sessionPath{base: base, rel: rel, dir: filepath.Join(base, filepath.FromSlash(rel))}
}

// pathOf reads a session folder's path back.
func pathOf(folder string) sessionPath {
	id := filepath.Base(folder)
	sessions := filepath.Dir(folder)
	belay := filepath.Dir(sessions)
	if filepath.Base(sessions) == "sessions" && filepath.Base(belay) == dirBelay {
		return pathAt(filepath.Dir(belay), dirSessions+"/"+id)
	}
	return pathAt(sessions, id)
}

func (p sessionPath) folder() string { return p.dir }

// file is the path of a file of the session; name is a clean slash path.
func (p sessionPath) file(name string) string {
	return p.dir + string(filepath.Separator) + filepath.FromSlash(name)
}

func (p sessionPath) inProject() bool { return strings.HasPrefix(p.rel, dirSessions+"/") }

// open opens the session folder. A symbolic link on the way from base that leads
// out of it is refused.
func (p sessionPath) open() (*os.Root, error) {
	base, err := os.OpenRoot(p.base)
	if err != nil {
		return nil, err
	}
	defer func() { _ = base.Close() }()
	return base.OpenRoot(p.rel)
}

// exists reports whether a session is at p. Its folder gets its name when it is
// whole, so one that lacks files is a damaged session.
func (p sessionPath) exists() bool {
	info, err := os.Lstat(p.folder())
	return err == nil && info.IsDir()
}

// spoilt says that p's project is gone, or something else than a folder by now,
// so that no session can be in it, or that nobody can tell; nil for one that is a folder
// (contract 1.6).
func (p sessionPath) spoilt() error {
	if !p.inProject() {
		return nil
	}
	if _, err := checkRoot(p.base); err != nil {
		return fault.From(err).WithHint("check the path; if the project was moved, list the sessions of its new place")
	}
	if _, err := os.Lstat(p.folder()); err != nil && !unreached(err) {
		return fault.New(fault.WorkingRootInaccessible, "the sessions of %s cannot be read", fault.Clip(p.base)).With("projectRoot", fault.Clip(p.base)).
			WithHint("let the user that belay runs as read the folder %s of the project", dirBelay).Because(err)
	}
	return nil
}

// same reports whether both are one folder under two names.
func (p sessionPath) same(q sessionPath) bool {
	a, err := os.Stat(p.folder())
	if err != nil {
		return false
	}
	b, err := os.Stat(q.folder())
	return err == nil && os.SameFile(a, b)
}

// settle decides what the record at p says now: the folder's place wins over it.
// A session in a project belongs to that project. When the record names another
// project that has the same session in another folder, the one at p is a copy
// and read-only.
func (p sessionPath) settle(rec Record) Record {
	rec.ReadOnly = false
	if !p.inProject() || rec.ProjectRoot == p.base {
		return rec
	}
	if filepath.IsAbs(rec.ProjectRoot) {
		home := pathAt(rec.ProjectRoot, p.rel)
		switch {
		case home.exists() && home.same(p):
			return rec // one folder, two names
		case home.exists():
			rec.ReadOnly = true
		}
	}
	rec.ProjectRoot = p.base
	return rec
}

// checkRoot refuses a project root that no session can live in.
func checkRoot(project string) (string, error) {
	if !filepath.IsAbs(project) {
		return "", fault.New(fault.InvalidRequest, "projectRoot must be an absolute path")
	}
	project = filepath.Clean(project)
	info, err := os.Stat(project)
	switch {
	case err != nil:
		return "", fault.New(fault.WorkingRootInaccessible, "the project folder cannot be reached: %s", reason(err)).
			With("projectRoot", project).Because(err)
	case !info.IsDir():
		return "", fault.New(fault.WorkingRootInaccessible, "the project root is not a folder").With("projectRoot", project)
	}
	return project, nil
}
