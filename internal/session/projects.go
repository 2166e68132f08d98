package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/durable"
)

// The index of sessions is never flushed, so a power cut may take entries of it.
// The projects that have sessions are kept, one file each in the state folder: a
// session that the index does not lead to is looked for in all of them.

// knowProject makes durable that a project has sessions.
func (s *Store) knowProject(base string) error {
	if s.o.SessionRoot != "" {
		return nil
	}
	err := s.noteProject(base)
	if s.restored(err) {
		err = s.noteProject(base)
	}
	return err
}

func (s *Store) noteProject(base string) error {
	// A folder that was removed meanwhile is another one than that of the next call.
	root := s.state.Root()
	if in, known := s.projects.Load(base); known && in == root {
		return nil
	}
	sum := sha256.Sum256([]byte(base))
	name := dirProjects + "/" + hex.EncodeToString(sum[:16])
	if projectAt(root, name) != base {
		if err := durable.WriteFile(root, name, []byte(base+"\n"), 0o600, durable.KnownProject); err != nil {
			// What is there without being on disk would be taken for known.
			return errors.Join(err, removeIfThere(root, name))
		}
	}
	s.projects.Store(base, root)
	return nil
}

// projectAt reads one of these files, "" where it says nothing.
func projectAt(root *os.Root, name string) string {
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := readCapped(f, 64<<10)
	if project := strings.TrimSuffix(string(b), "\n"); err == nil && filepath.IsAbs(project) {
		return project
	}
	return ""
}

// knownProjects are the projects that are known to have sessions, or had some.
func (s *Store) knownProjects() []string {
	var all []string
	entries, _ := os.ReadDir(filepath.Join(s.o.StateDir, dirProjects)) // what cannot be read names none
	for _, e := range entries {
		if project := projectAt(s.state.Root(), dirProjects+"/"+e.Name()); project != "" {
			all = append(all, project)
		}
	}
	return all
}

// ProjectsIn are the projects below a folder that are known to have sessions, or had
// some: their records are nobody's business there.
func (s *Store) ProjectsIn(folder string) []string {
	return slices.DeleteFunc(s.knownProjects(), func(project string) bool {
		rel, err := filepath.Rel(folder, project)
		return err != nil || rel == "." || !filepath.IsLocal(rel)
	})
}

// search looks for a session in every known project, and fixes the index.
func (s *Store) search(id string) (sessionPath, bool, error) {
	if s.o.SessionRoot != "" {
		return sessionPath{}, false, nil
	}
	entries, err := os.ReadDir(filepath.Join(s.o.StateDir, dirProjects))
	if err != nil && !missing(err) {
		return sessionPath{}, false, storage("the index of projects cannot be read", err)
	}
	for _, e := range entries {
		project := projectAt(s.state.Root(), dirProjects+"/"+e.Name())
		if project == "" {
			continue
		}
		p := placeAt(project, dirSessions+"/"+id)
		if !p.exists() {
			continue
		}
		if rec, err := readPlace(p, id); err == nil && p.settle(rec).ReadOnly {
			continue // a copy: the original is what the id names
		}
		return p, true, s.index(id, p)
	}
	return sessionPath{}, false, nil
}
