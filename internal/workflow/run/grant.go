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
	Format int      `json:"v"`
	SHA256 string   `json:"sha256"`
	Folder string   `json:"folder"`
	Within string   `json:"within,omitempty"`
	Mode   string   `json:"mode,omitempty"`
	Allow  []string `json:"allow,omitempty"`
}

// maxGrant caps a grant that is read, in bytes.
const maxGrant = 1 << 20

func (r *Runner) grantPath(id string) string { return filepath.Join(r.dir(), id+".json") }

// keepGrant records what a run was allowed.
func (r *Runner) keepGrant(record *Record) error {
	data, err := json.Marshal(grant{formatVersion, record.SHA256, record.Folder, record.within, record.Mode, record.Allow})
	if err != nil {
		return err
	}
	state, err := os.OpenRoot(r.dir())
	if err != nil {
		return storage("the state folder cannot be opened", err)
	}
	defer state.Close()
	if err := durable.WriteFile(state, record.ID+".json", data, 0o600, durable.RunGrant); err != nil {
		return storage("what the run is allowed cannot be recorded", err)
	}
	return nil
}

// granted gives a record the rights that its run was given on this machine, and no
// other. A workflow that is not the one that was started is refused.
func (r *Runner) granted(record *Record) error {
	record.Mode, record.Allow = "", nil
	data, _, err := durable.ReadFile(nil, r.grantPath(record.ID), maxGrant)
	if errors.Is(err, fs.ErrNotExist) {
		// Started elsewhere: every call asks, and files are the project's.
		if !within(record.Project, record.Folder) {
			return fault.New(fault.InvalidRequest, "the run %s was started elsewhere, on files in %s, which is not in the project", record.ID, record.Folder).
				WithHint("start the workflow anew")
		}
		record.within = record.Project
		return nil
	}
	var g grant
	if err == nil {
		if err = durable.CheckVersion(filepath.Base(r.grantPath(record.ID)), data, formatVersion); err != nil {
			return unreadable(record.ID, "its grant", err)
		}
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		return storage("what the run is allowed cannot be read", err)
	}
	if g.SHA256 != record.SHA256 {
		return unreadable(record.ID, fileFlow, errors.New("it is not the workflow that was started"))
	}
	record.Folder, record.within, record.Mode, record.Allow = g.Folder, g.Within, g.Mode, g.Allow
	return nil
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
	err = r.granted(&record)
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
