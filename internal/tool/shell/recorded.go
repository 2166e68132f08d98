package shell

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
)

// maxKeptNew is how many new files may have their contents kept. Of more, such as
// installed packages, nobody reads a diff, and to take them back needs no content.
const maxKeptNew = 200

// keepContents stores the contents before and after, for diffs and undo. What is too
// large to keep is lost, and the record says so.
func keepContents(ctx context.Context, w *tool.Workplace, changes []journal.Change, noted []session.Change) error {
	content := map[string]*journal.Change{}
	created := 0
	for i := range changes {
		if changes[i].Op == journal.Create {
			created++
		}
		if c := &changes[i]; c.Before.Type != journal.Folder && c.After.Type != journal.Folder {
			content[string(c.Path)] = c
		}
	}
	most := w.Limits.KeepBytes
	for i := range noted {
		n := &noted[i]
		c := content[n.Path]
		if c == nil || c.Op == journal.Mode && c.Before.Size > most {
			continue
		}
		if n.BeforeBytes > most {
			n.Lost = "it had more than the bytes of a file that are kept"
		} else if err := putContent(ctx, w, c.Before, func() (io.ReadCloser, error) { return os.OpenInRoot(w.Project, filepath.FromSlash(n.Path)) }); err != nil {
			return err
		}
		if n.AfterBytes > most || created > maxKeptNew && c.Op == journal.Create || c.Content == nil && c.After.Type == journal.File {
			continue
		}
		if err := putContent(ctx, w, c.After, c.Content); errors.Is(err, fs.ErrNotExist) {
			return &journal.ContentError{Path: c.Path}
		} else if err != nil {
			return err
		}
	}
	return nil
}

func putContent(ctx context.Context, w *tool.Workplace, s journal.State, open func() (io.ReadCloser, error)) error {
	switch s.Type {
	case journal.Link:
		_, _, err := w.Blobs.Put(ctx, bytes.NewReader([]byte(s.Target)), int64(len(s.Target)))
		return err
	case journal.File:
		f, err := open()
		if err != nil {
			return err
		}
		_, _, err = w.Blobs.Put(ctx, f, w.Limits.KeepBytes)
		return errors.Join(err, f.Close())
	}
	return nil
}
