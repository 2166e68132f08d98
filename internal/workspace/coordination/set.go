package coordination

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/document"
	"belay/internal/workspace/layout"
)

var folderName, fileName = path.Dir(layout.CoordinationFile), path.Base(layout.CoordinationFile)

// Writer records modes. It is safe for concurrent use, by any number of processes with
// the same Locks.
type Writer struct {
	// Locks is a folder of the operator's, for locks.
	Locks  string
	Record changeset.Recorder[Change]
	Gate   workspace.Gate
}

// Change is a mode that was set, for the audit log.
type Change struct {
	Project, Path string
	From, To      Mode
	By            string
}

const lockTime = 30 * time.Second

// Set records a mode in a project, an absolute path. A file that is there keeps all but
// the value; without one it is made. Match is asked about the entity tag of the content
// that is there, without quotes, "" for no file; nil takes any. It fails with
// CONTENT_CHANGED where the file has another content, with OVERLOADED where another change
// takes too long, and with WORKSPACE_FAILURE where the file is no text that can be changed
// safely.
func (w *Writer) Set(ctx context.Context, project string, to Mode, by string, match func(tag string) bool) (Record, error) {
	unlock, err := changeset.Lock(ctx, w.Locks, "coordination", filepath.Join(project, folderName), lockTime)
	if err != nil {
		return Record{}, err
	}
	defer unlock()
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
	err = w.Record.Make(ctx, "change", c, func() error { return w.write(ctx, root, project, was, text) })
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

const newMode = 0o666

// write replaces the file, unless somebody changed it meanwhile.
func (w *Writer) write(ctx context.Context, root *os.Root, project string, was Record, text []byte) error {
	leave, err := w.Gate.Enter(ctx, project)
	if err != nil {
		return err
	}
	defer leave()
	err = put(root, was, text)
	switch {
	case err == nil || fault.Is(err, fault.ContentChanged):
		return err
	case errors.Is(err, durable.ErrUnflushed):
		return fault.New(fault.StorageFailure, "the mode is recorded, but the disk did not confirm it; a power cut may take it back").
			WithHint("look after the disk, then see that %s still has it", layout.CoordinationFile).Because(err)
	}
	unwritable := filepath.Join(project, folderName)
	if _, err := root.Stat(folderName); errors.Is(err, fs.ErrNotExist) {
		unwritable = project
	}
	hint, cause := workspace.Unwritten(err, unwritable, "try again")
	return fault.New(fault.StorageFailure, "%s could not be written; it is as it was", layout.CoordinationFile).WithHint("%s", hint).Because(cause)
}

func put(root *os.Root, was Record, text []byte) error {
	if !was.Exists {
		if err := durable.MkdirAll(root, folderName, 0o777); err != nil {
			return err
		}
		if err := durable.FlushDir(root, ".", durable.ProjectFile); err != nil {
			return err
		}
	}
	folder, err := durable.OpenFolder(root, folderName)
	if err != nil {
		return err
	}
	defer folder.Close()
	now, _, err := durable.ReadFile(folder, fileName, MaxBytes)
	if there := err == nil; there != was.Exists || there && !bytes.Equal(now, was.data) {
		return changed()
	}
	r := durable.Replacement{Data: text, Perm: newMode, Temp: durable.TempName("coordination")}
	if was.Exists {
		r.Perm, r.Exact, r.Like = was.info.Mode().Perm(), true, was.info
	}
	return r.Put(folder, fileName)
}
