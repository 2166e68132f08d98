package proposal

import (
	"bytes"
	"context"
	"encoding/json"

	"belay/internal/durable"
	"belay/internal/workspace/register"
)

// Rewritten is a file of a proposal with another content.
type Rewritten struct {
	// Path is relative to the project, with slashes.
	Path          string
	Before, After []byte
}

// Rewrite asks for each proposal of a project that still waits how it would read after
// a change of ids, and returns the files that would change. It writes nothing. See
// gets the record, which it may change, and the rows.
func Rewrite(ctx context.Context, projectRoot string, see func(p *Proposal, rows *register.Register) *register.Register) ([]Rewritten, error) {
	project, err := open(projectRoot)
	if err != nil {
		return nil, err
	}
	defer project.Close()
	list, err := all(ctx, project)
	if err != nil {
		return nil, err
	}
	var files []Rewritten
	add := func(path string, before, after []byte) {
		if !bytes.Equal(before, after) {
			files = append(files, Rewritten{path, before, after})
		}
	}
	for _, p := range list {
		if p.State != Open {
			continue
		}
		rows, err := content(project, p.ID)
		if err != nil {
			return nil, err
		}
		name := Folder + "/" + p.ID
		record, _, err := durable.ReadFile(project, name+".json", maxRecord)
		if err != nil {
			return nil, unreadable(err)
		}
		was, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		after := see(&p, rows)
		add(name+".csv", rows.Bytes(), after.Bytes())
		if now, err := json.Marshal(p); err != nil {
			return nil, err
		} else if bytes.Equal(was, now) {
			continue
		}
		data, err := json.MarshalIndent(p, "", "  ")
		if err != nil {
			return nil, err
		}
		add(name+".json", record, append(data, '\n'))
	}
	return files, nil
}
