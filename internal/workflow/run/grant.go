package run

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"belay/internal/durable"
	"belay/internal/fault"
)

// grant is what the person who started a run allowed it, and to which workflow. It
// lies in the operator's folder: the project's own record may come from anywhere,
// as a project does that somebody sent, and allows nothing.
type grant struct {
	Format int `json:"v"`
	grantedFile
	Mode  string   `json:"mode,omitempty"`
	Allow []string `json:"allow,omitempty"`
	// Corrected are the files that the person gave since: the same rights hold for each.
	Corrected []grantedFile `json:"corrected,omitempty"`
}

// grantedFile is a workflow file, and the project for which it was given: in a copy of that,
// or where it was moved, the file's folder is the one there.
type grantedFile struct {
	SHA256  string `json:"sha256"`
	Folder  string `json:"folder"`
	Within  string `json:"within,omitempty"`
	Project string `json:"project,omitempty"`
}

// in is a path of the file's project in another one. A path elsewhere stays.
func (g grantedFile) in(project, path string) string {
	if g.Project == "" || path == "" || real(project) == real(g.Project) {
		return path
	}
	for _, from := range [][2]string{{g.Project, path}, {real(g.Project), real(path)}} {
		if rel, err := filepath.Rel(from[0], from[1]); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(project, rel)
		}
	}
	return path
}

// maxGrant caps a grant that is read, in bytes.
const maxGrant = 1 << 20

func (s state) grantPath(id string) string { return filepath.Join(s.dir, id+".json") }

// keepGrant records what a run was allowed.
func (s state) keepGrant(record *Record) error {
	return s.writeGrant(record.ID, grant{
		Format: formatVersion, grantedFile: fileOfRecord(record), Mode: record.Mode, Allow: record.Allow,
	})
}

// fileOfRecord is the workflow file that a run goes by.
func fileOfRecord(r *Record) grantedFile {
	return grantedFile{SHA256: r.SHA256, Folder: r.Folder, Within: r.within, Project: r.Project}
}

// extendGrant lets a run go on with a corrected file. The one before stays allowed: a
// crash may come before the run's record names the new one.
func (s state) extendGrant(before *Record, corrected grantedFile) error {
	g, err := s.readGrant(before.ID)
	if errors.Is(err, fs.ErrNotExist) { // started elsewhere: nothing is allowed
		g = grant{Format: formatVersion, grantedFile: fileOfRecord(before)}
	} else if err != nil {
		return err
	}
	g.Corrected = append(g.Corrected, corrected)
	return s.writeGrant(before.ID, g)
}

func (s state) writeGrant(id string, g grant) error {
	data, err := json.Marshal(g)
	if err != nil {
		return err
	}
	state, err := os.OpenRoot(s.dir)
	if err != nil {
		return storage("the state folder cannot be opened", err)
	}
	defer state.Close()
	if err := durable.WriteFile(state, id+".json", data, 0o600, durable.RunGrant); err != nil {
		return storage("what the run is allowed cannot be recorded", err)
	}
	return nil
}

// granted gives a record the rights that its run was given on this machine, and no
// other. A workflow that is not the one that was started is refused.
func (s state) granted(record *Record) error {
	record.Mode, record.Allow = "", nil
	g, err := s.readGrant(record.ID)
	if errors.Is(err, fs.ErrNotExist) {
		// Started elsewhere: every call asks, and files are the project's.
		if !within(record.Project, record.Folder) {
			return fault.New(fault.InvalidRequest, "the run %s was started elsewhere, on files in %s, which is not in the project", record.ID, record.Folder).
				WithHint("start the workflow anew")
		}
		record.within = record.Project
		return nil
	}
	if err != nil {
		return err
	}
	file := g.grantedFile
	for _, c := range g.Corrected {
		if c.SHA256 == record.SHA256 {
			file = c
		}
	}
	if file.SHA256 != record.SHA256 {
		return unreadable(record.ID, fileFlow, errors.New("it is not the workflow that was started"))
	}
	record.Folder, record.within = file.in(record.Project, file.Folder), file.in(record.Project, file.Within)
	record.File, record.Mode, record.Allow = file.in(record.Project, record.File), g.Mode, g.Allow
	return nil
}

// readGrant reads what a run was allowed. The error is [fs.ErrNotExist] where nothing is
// known of it on this machine.
func (s state) readGrant(id string) (g grant, err error) {
	data, _, err := durable.ReadFile(nil, s.grantPath(id), maxGrant)
	if errors.Is(err, fs.ErrNotExist) {
		return g, fs.ErrNotExist
	}
	if err == nil {
		if err = durable.CheckVersion(filepath.Base(s.grantPath(id)), data, formatVersion); err != nil {
			return g, unreadable(id, "its grant", err)
		}
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		return g, storage("what the run is allowed cannot be read", err)
	}
	return g, nil
}

// Allowed returns the rules of calls that need no question in a run once it is taken
// up again: what it was given on this machine, whatever its record says.
func (r *Runner) Allowed(ctx context.Context, project, id string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := openFolder(project, id)
	if err != nil {
		return nil, err
	}
	defer f.close()
	record, err := f.read()
	if err != nil {
		return nil, err
	}
	record.Project = project
	err = r.state.granted(&record)
	return record.Allow, err
}

// within reports whether a folder really lies in a project, by whatever links.
func within(project, folder string) bool {
	p, err := filepath.EvalSymlinks(project)
	if err != nil {
		return false
	}
	f, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(p, f)
	return err == nil && filepath.IsLocal(rel)
}
