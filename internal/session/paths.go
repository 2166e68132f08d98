package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"belay/internal/durable"
)

// paths finds the folders of sessions by their ids. The index of sessions is never
// flushed, so a power cut may take entries of it. The projects that have sessions are
// kept, one file each in the state folder: a session that the index does not lead to is
// looked for in all of them.
type paths struct {
	store *Store
	// projects are those that are known to be on disk, each with the *os.Root of the
	// state folder that has it.
	projects sync.Map
}

// pathIn is where a session of a project is, or would.
func (s *paths) pathIn(project, id string) sessionPath {
	if s.store.o.SessionRoot != "" {
		return pathAt(s.store.o.SessionRoot, id)
	}
	return pathAt(project, dirSessions+"/"+id)
}

// sessionsOf is the folder that a project's sessions are in.
func (s *paths) sessionsOf(project string) string {
	return filepath.Dir(s.pathIn(project, "x").folder())
}

// locate finds a session's folder by id: the index first, then, for an index
// that was lost, the session root or the caller's own project, then every known
// project. Where the state folder is lost as a whole, sessions of other projects
// come back into the index when they are listed.
func (s *paths) locate(id string) (sessionPath, error) {
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
		if s.store.o.SessionRoot == "" {
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
func (s *paths) atHome(id string) (sessionPath, bool, error) {
	if s.store.o.SessionRoot == "" && s.store.o.HomeProject == "" {
		return sessionPath{}, false, nil
	}
	p := s.pathIn(s.store.o.HomeProject, id)
	if !p.exists() {
		return sessionPath{}, false, nil
	}
	if rec, err := readRecordAt(p, id); err == nil && p.settle(rec).ReadOnly {
		p = pathAt(rec.ProjectRoot, p.rel)
	}
	return p, true, s.index(id, p)
}

// indexed reads where the index says that a session is.
func (s *paths) indexed(id string) (sessionPath, bool) {
	b, _, err := durable.ReadFile(s.store.stateDir.Root(), dirIndex+"/"+id, 64<<10)
	folder := strings.TrimSuffix(string(b), "\n")
	if err != nil || !filepath.IsAbs(folder) || filepath.Base(folder) != id {
		return sessionPath{}, false // a spoilt entry is as good as none
	}
	return pathOf(folder), true
}

// index notes where a session is.
func (s *paths) index(id string, p sessionPath) error {
	return s.indexBy(durable.WriteFile, id, p)
}

// indexBy is index by a way to write: nobody looks for a session that is just made.
func (s *paths) indexBy(write func(*os.Root, string, []byte, fs.FileMode, *durable.File) error, id string, p sessionPath) error {
	note := func() error {
		return write(s.store.stateDir.Root(), dirIndex+"/"+id, []byte(p.folder()+"\n"), 0o600, durable.SessionIndex)
	}
	err := note()
	if s.store.restored(err) {
		err = note()
	}
	return storage("the index of sessions could not be written", err)
}

// search looks for a session in every known project, and fixes the index.
func (s *paths) search(id string) (sessionPath, bool, error) {
	if s.store.o.SessionRoot != "" {
		return sessionPath{}, false, nil
	}
	entries, err := os.ReadDir(filepath.Join(s.store.o.StateDir, dirProjects))
	if err != nil && !missing(err) {
		return sessionPath{}, false, storage("the index of projects cannot be read", err)
	}
	for _, e := range entries {
		project := projectAt(s.store.stateDir.Root(), dirProjects+"/"+e.Name())
		if project == "" {
			continue
		}
		p := pathAt(project, dirSessions+"/"+id)
		if !p.exists() {
			continue
		}
		if rec, err := readRecordAt(p, id); err == nil && p.settle(rec).ReadOnly {
			continue // a copy: the original is what the id names
		}
		return p, true, s.index(id, p)
	}
	return sessionPath{}, false, nil
}

// knowProject makes durable that a project has sessions.
func (s *paths) knowProject(base string) error {
	err := s.noteProject(base)
	if s.store.restored(err) {
		err = s.noteProject(base)
	}
	return err
}

func (s *paths) noteProject(base string) error {
	// A folder that was removed meanwhile is another one than that of the next call.
	root := s.store.stateDir.Root()
	name := projectFile(base)
	if in, known := s.projects.Load(base); known && in == root {
		if _, err := root.Lstat(name); err == nil { // another process may have forgotten it
			return nil
		}
	}
	if projectAt(root, name) != base {
		if err := durable.WriteFile(root, name, []byte(base+"\n"), 0o600, durable.KnownProject); err != nil {
			// What is there without being on disk would be taken for known.
			return errors.Join(err, removeIfThere(root, name))
		}
	}
	s.projects.Store(base, root)
	return nil
}

// forgetProject undoes knowProject.
func (s *paths) forgetProject(base string) error {
	s.projects.Delete(base)
	return removeIfThere(s.store.stateDir.Root(), projectFile(base))
}

// projectFile is the file that says that a project has sessions.
func projectFile(base string) string {
	sum := sha256.Sum256([]byte(base))
	return dirProjects + "/" + hex.EncodeToString(sum[:16])
}

// projectAt reads one of these files, "" where it says nothing.
func projectAt(root *os.Root, name string) string {
	b, _, err := durable.ReadFile(root, name, 64<<10)
	if project := strings.TrimSuffix(string(b), "\n"); err == nil && filepath.IsAbs(project) {
		return project
	}
	return ""
}

// knownProjects are the projects that are known to have sessions, or had some.
func (s *paths) knownProjects() []string {
	var all []string
	entries, _ := os.ReadDir(filepath.Join(s.store.o.StateDir, dirProjects)) // what cannot be read names none
	for _, e := range entries {
		if project := projectAt(s.store.stateDir.Root(), dirProjects+"/"+e.Name()); project != "" {
			all = append(all, project)
		}
	}
	return all
}

// ProjectsIn are the projects below a folder that are known to have sessions, or had
// some: their records are nobody's business there.
func (s *Store) ProjectsIn(folder string) []string {
	return slices.DeleteFunc(s.paths.knownProjects(), func(project string) bool {
		rel, err := filepath.Rel(folder, project)
		return err != nil || rel == "." || !filepath.IsLocal(rel)
	})
}

// folders returns the ids of the session folders that may be a project's.
func (s *paths) folders(project string) ([]string, error) {
	entries, err := os.ReadDir(s.sessionsOf(project))
	if err != nil && !missing(err) {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && ValidID(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}
