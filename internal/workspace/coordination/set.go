package coordination

import (
	"context"
	"os"
	"path"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/document"
	"belay/internal/workspace/layout"
)

var folderName, fileName = path.Dir(layout.CoordinationFile), path.Base(layout.CoordinationFile)

// Writer records modes. It is safe for concurrent use, by any number of processes with
// the same state folder.
type Writer struct {
	changeset.Writer
	Record changeset.Recorder[Change]
}

// Change is a mode that was set, for the audit log.
type Change struct {
	Project, Path string
	From, To      Mode
	By            string
}

// Set records a mode in a project, an absolute path. A file that is there keeps all but
// the value; without one it is made. Match is asked about the entity tag of the content
// that is there, without quotes, "" for no file; nil takes any. It fails with
// CONTENT_CHANGED where the file has another content, with OVERLOADED where another change
// takes too long, and with WORKSPACE_FAILURE where the file is no text that can be changed
// safely.
func (w *Writer) Set(ctx context.Context, project string, to Mode, by string, match func(tag string) bool) (Record, error) {
	p, err := w.Open(ctx, project, layout.CoordinationFile)
	if err != nil {
		return Record{}, err
	}
	defer p.Close()
	root, err := workspace.OpenProject(project)
	if err != nil {
		return Record{}, err
	}
	defer root.Close()
	was, err := read(root)
	if err != nil {
		return Record{}, err
	}
	if match != nil && !match(was.tag) {
		return Record{}, changed()
	}
	if was.Mode == to {
		return was, nil
	}
	text, err := with(was, to)
	if err != nil {
		return Record{}, err
	}
	c := Change{Project: project, Path: layout.CoordinationFile, From: was.Mode, To: to, By: by}
	err = w.Record.Make(ctx, "change", c, func() error {
		if !was.Exists {
			if err := makeFolder(root, project); err != nil {
				return err
			}
		}
		_, err := p.Apply(ctx, "project coordination", by, []changeset.File{{Path: layout.CoordinationFile, Before: was.data, After: text}})
		return err
	})
	if err != nil {
		return Record{}, err
	}
	return read(root)
}

func changed() error {
	return fault.New(fault.ContentChanged, "%s is not what it was when the change was decided", layout.CoordinationFile).
		With("paths", []string{layout.CoordinationFile})
}

// with is the file with a mode.
func with(r Record, to Mode) ([]byte, error) {
	if !r.Exists {
		return []byte("# Coordination Record\n\n**Representation:** " + words[to] + "\n"), nil
	}
	d := document.Parse(r.data)
	if !d.Valid() {
		return nil, fault.New(fault.WorkspaceFailure, "%s is no text that can be changed safely", layout.CoordinationFile).WithHint("correct the file by hand")
	}
	if line := d.Conflict(); line > 0 {
		return nil, fault.New(fault.WorkspaceFailure, "%s has a conflict of a merge that nobody has resolved, from line %d on", layout.CoordinationFile, line).
			WithHint("resolve the conflict first")
	}
	if f, ok := d.Field(labels...); ok {
		d.SetField(f, words[to])
	} else {
		d.Insert(afterTitle(d), "", "**"+labels[0]+":** "+words[to])
	}
	return d.Bytes(), nil
}

// afterTitle is the line after the title, 0 where there is none.
func afterTitle(d *document.Document) int {
	for i := range d.Len() {
		if strings.HasPrefix(d.Line(i), "# ") {
			return i + 1
		}
	}
	return 0
}

// makeFolder makes the folder of the record.
func makeFolder(root *os.Root, project string) error {
	err := durable.MkdirAll(root, folderName, 0o777)
	if err == nil {
		err = durable.FlushDir(root, ".", durable.ProjectFile)
	}
	if err == nil {
		return nil
	}
	hint, cause := workspace.Unwritten(err, project, "try again")
	return fault.New(fault.StorageFailure, "the folder %s could not be made", folderName).WithHint("%s", hint).Because(cause)
}
