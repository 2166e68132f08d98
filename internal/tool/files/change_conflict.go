package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
)

// conflict is the error of a transaction that was not made.
func (c *change) conflict(err error) error {
	if _, ok := errors.AsType[*journal.ConflictError](err); ok {
		return c.moved().Because(err)
	}
	return err
}

// putAside gives a file of the scratch folder its content.
func (c *change) putAside() error {
	now, _, err := c.current()
	if err != nil {
		return err
	}
	put := durable.Replacement{Data: c.after, Perm: 0o666, Temp: durable.TempName(tool.Digest(c.after)), File: durable.Cache}
	if now != nil {
		put.Perm, put.Exact, put.Like = now.info.Mode().Perm(), true, now.info
	}
	dir, base := path.Dir(c.p.name), path.Base(c.p.name)
	folder, made, err := makeFolder(c.p.root, dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := put.Put(folder, base); err != nil {
		removeFolders(c.p.root, dir, made)
		return err
	}
	c.see(tool.Digest(c.after))
	return nil
}

// current returns what the file holds now, nil for none, and how many of its
// folders are missing. It refuses when that is not what the change was worked out
// for.
func (c *change) current() (now *content, missing int, err error) {
	dir := path.Dir(c.p.name)
	now, err = c.read(dir, path.Base(c.p.name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if c.before != nil {
			return nil, 0, tool.Refuse("%s was removed meanwhile", c.p.shown())
		}
		return nil, missingFolders(c.p.root, dir), nil
	case errors.Is(err, errMoved) && c.before != nil:
		return nil, 0, c.moved()
	case err != nil:
		return nil, 0, err
	case c.before == nil || now.sha256 != c.before.sha256:
		return nil, 0, c.moved()
	}
	return now, 0, nil
}

func (c *change) read(dir, base string) (*content, error) {
	folder, err := durable.OpenFolder(c.p.root, dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	f, info, err := openFile(folder, base)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if b := c.before; b != nil && !c.p.scratch && os.SameFile(b.info, info) && heldStill(b.info, info) {
		// The journal compares its hash in any case when it takes the file out of its place.
		return &content{data: b.data, sha256: b.sha256, info: info}, nil
	}
	return slurp(f, info, c.w.Limits.ReadBytes)
}

func (c *change) moved() *tool.Refusal {
	return tool.Refuse("%s was changed by something else meanwhile", c.p.shown()).WithHint("read it again, then repeat the change")
}

// keep stores both contents for undo. What is too large to keep is lost, and the
// record says so.
func (c *change) keep(ctx context.Context, noted *session.Change) error {
	for _, held := range []struct {
		sha  string
		data []byte
	}{{noted.Before, c.data()}, {noted.After, c.after}} {
		if held.sha == "" || int64(len(held.data)) > c.w.Limits.KeepBytes {
			continue
		}
		if err := c.w.Blobs.Keep(ctx, held.sha, held.data); err != nil {
			return fmt.Errorf("keep what %s held: %w", c.p.shown(), err)
		}
	}
	if noted.BeforeBytes > c.w.Limits.KeepBytes {
		noted.Lost = fmt.Sprintf("it had more than %d bytes (tools.keep_bytes)", c.w.Limits.KeepBytes)
	}
	return nil
}

// remember notes what was done.
func (c *change) remember(noted session.Change) {
	c.see(noted.After)
	c.w.Ledger.Note(noted)
}

// see notes that the model knows the file's content: one that it wrote itself, and
// after an edit as much of it as it did before.
func (c *change) see(after string) {
	if c.before == nil || c.tool == "write" || c.w.Seen.SHA256(c.p.shown()) == c.before.sha256 {
		c.w.Seen.Note(c.p.shown(), after)
	} else {
		c.w.Seen.NoteLines(c.p.shown(), after, 0, 0, 1)
	}
}

func countLines(data []byte) int {
	n := bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}
