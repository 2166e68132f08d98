package session

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/durable"
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

func placeAt(base, rel string) sessionPath {
	return sessionPath{base: base, rel: rel, dir: filepath.Join(base, filepath.FromSlash(rel))}
}

// placeIn is where a session of a project is, or would.
func (s *Store) placeIn(project, id string) sessionPath {
	if s.o.SessionRoot != "" {
		return placeAt(s.o.SessionRoot, id)
	}
	return placeAt(project, dirSessions+"/"+id)
}

// placeOf reads a session folder's path back.
func placeOf(folder string) sessionPath {
	id := filepath.Base(folder)
	sessions := filepath.Dir(folder)
	belay := filepath.Dir(sessions)
	if filepath.Base(sessions) == "sessions" && filepath.Base(belay) == dirBelay {
		return placeAt(filepath.Dir(belay), dirSessions+"/"+id)
	}
	return placeAt(sessions, id)
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
// so that no session can be in it; nil for one that is a folder (contract 1.6).
func (p sessionPath) spoilt() error {
	if !p.inProject() {
		return nil
	}
	if _, err := checkRoot(p.base); err != nil {
		return fault.From(err).WithHint("check the path; if the project was moved, list the sessions of its new place")
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

// locate finds a session's folder by id: the index first, then, for an index
// that was lost, the session root or the caller's own project, then every known
// project. Where the state folder is lost as a whole, sessions of other projects
// come back into the index when they are listed.
func (s *Store) locate(id string) (sessionPath, error) {
	if !ValidID(id) {
		return sessionPath{}, notFound(id)
	}
	if p, ok := s.indexed(id); ok {
		if p.exists() {
			return p, nil
		}
		if home, ok, err := s.atHome(id); ok || err != nil {
			return home, err
		}
		if err := p.spoilt(); err != nil {
			return sessionPath{}, err
		}
		if s.o.SessionRoot == "" {
			return sessionPath{}, notFound(id).WithHint("its folder is gone; if the project was moved, list the sessions of its new place")
		}
	}
	if p, ok, err := s.atHome(id); ok || err != nil {
		return p, err
	}
	if p, ok, err := s.search(id); ok || err != nil {
		return p, err
	}
	return sessionPath{}, notFound(id)
}

// atHome finds a session that the index does not lead to, and fixes the index.
// Where the caller's project has the copy of a session that still exists, that
// one is what the id names.
func (s *Store) atHome(id string) (sessionPath, bool, error) {
	if s.o.SessionRoot == "" && s.o.HomeProject == "" {
		return sessionPath{}, false, nil
	}
	p := s.placeIn(s.o.HomeProject, id)
	if !p.exists() {
		return sessionPath{}, false, nil
	}
	if rec, err := readPlace(p, id); err == nil && p.settle(rec).ReadOnly {
		p = placeAt(rec.ProjectRoot, p.rel)
	}
	return p, true, s.index(id, p)
}

// indexed reads where the index says that a session is.
func (s *Store) indexed(id string) (sessionPath, bool) {
	f, err := s.state.Root().Open(dirIndex + "/" + id)
	if err != nil {
		return sessionPath{}, false
	}
	defer func() { _ = f.Close() }()
	b, err := readCapped(f, 64<<10)
	folder := strings.TrimSuffix(string(b), "\n")
	if err != nil || !filepath.IsAbs(folder) || filepath.Base(folder) != id {
		return sessionPath{}, false // a spoilt entry is as good as none
	}
	return placeOf(folder), true
}

// index notes where a session is.
func (s *Store) index(id string, p sessionPath) error {
	return s.indexBy(durable.WriteFile, id, p)
}

// indexBy is index by a way to write: nobody looks for a session that is just made.
func (s *Store) indexBy(write func(*os.Root, string, []byte, fs.FileMode, *durable.File) error, id string, p sessionPath) error {
	note := func() error {
		return write(s.state.Root(), dirIndex+"/"+id, []byte(p.folder()+"\n"), 0o600, durable.SessionIndex)
	}
	err := note()
	if s.restored(err) {
		err = note()
	}
	return storage("the index of sessions could not be written", err)
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
		home := placeAt(rec.ProjectRoot, p.rel)
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
