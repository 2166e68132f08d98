package shell

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
)

// maxKeptNew is how many new files may have their contents kept. Of more, such as
// installed packages, nobody reads a diff, and to take them back needs no content.
const maxKeptNew = 200

// Contents of many small files are kept together: a file for each takes longer than all
// else that is done for it.
const (
	packedFrom  = 16       // changes
	packedBytes = 32 << 10 // of a content, at most
	packBytes   = 4 << 20  // of a pack, about
)

// toKeep is a change whose content before is kept, and the one after if that is set.
type toKeep struct {
	noted  *session.Change
	change *journal.Change
	after  bool
}

// keepContents stores the contents before and after, for diffs and undo, before the
// changes are made. What is too large to keep is lost, and the record says so. With
// intent set, the changes get on record before they are made: otherwise, after a crash,
// their contents are only known by their hashes, and each is stored for itself.
func keepContents(ctx context.Context, w *tool.Environment, changes []journal.Change, noted []session.Change, intent bool) error {
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
	var small []toKeep
	for i := range noted {
		n := &noted[i]
		c := content[n.Path]
		if c == nil || c.Op == journal.Mode && c.Before.Size > most {
			continue
		}
		k := toKeep{n, c, n.AfterBytes <= most && (created <= maxKeptNew || c.Op != journal.Create) && (c.Content != nil || c.After.Type != journal.File)}
		if n.BeforeBytes > most {
			n.Lost = fmt.Sprintf("it had more than %d bytes (tools.keep_bytes)", most)
		} else if intent && max(n.BeforeBytes, n.AfterBytes) <= packedBytes {
			small = append(small, k)
			continue
		}
		if err := k.put(ctx, w); err != nil {
			return err
		}
	}
	if len(small) >= packedFrom {
		p := packer{w: w, last: durable.LastFolder{Root: w.Root}}
		defer p.last.Close()
		return p.pack(ctx, small)
	}
	for _, k := range small {
		if err := k.put(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// put stores each content for itself.
func (k toKeep) put(ctx context.Context, w *tool.Environment) error {
	if k.noted.Lost == "" {
		before := func() (io.ReadCloser, error) { return original(durable.OpenInside(w.Root, k.noted.Path)) }
		err := putContent(ctx, w, k.change.Before, before)
		if errors.Is(err, errReplaced) || errors.Is(err, session.ErrTooLarge) { // it grew
			k.noted.Lost = lostReplaced
		} else if err != nil {
			return err
		}
	}
	if !k.after {
		return nil
	}
	err := putContent(ctx, w, k.change.After, k.change.Content)
	if errors.Is(err, fs.ErrNotExist) {
		return &journal.ContentError{Path: k.change.Path}
	}
	return err
}

// errReplaced says that something else has replaced a file that is about to be changed. It
// ends nothing: the journal looks at the file next, and reports the conflict.
var errReplaced = errors.New("something else has replaced the file")

// lostReplaced is on record where the file is gone that a command removed as well, which is no
// conflict.
const lostReplaced = "something else had replaced or removed it first"

// original is a file of the project that was opened because it is about to be changed.
func original(f *os.File, err error) (io.ReadCloser, error) {
	for _, replaced := range []error{fs.ErrNotExist, durable.ErrMoved, durable.ErrNotFolder, durable.ErrNotRegular} {
		if errors.Is(err, replaced) {
			return nil, errReplaced
		}
	}
	return f, err
}

func putContent(ctx context.Context, w *tool.Environment, s journal.State, open func() (io.ReadCloser, error)) error {
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

// packer stores the contents of small files one after the other, in blobs of some size.
type packer struct {
	w    *tool.Environment
	last durable.LastFolder // of the project
	data []byte
}

func (p *packer) pack(ctx context.Context, small []toKeep) error {
	first := 0
	for i, k := range small {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := p.add(k); err != nil {
			return err
		}
		if len(p.data) < packBytes && i < len(small)-1 {
			continue
		}
		sha, _, err := p.w.Blobs.Put(ctx, bytes.NewReader(p.data), int64(len(p.data)))
		if err != nil {
			return err
		}
		for _, k := range small[first : i+1] {
			k.noted.Pack = sha
		}
		p.data, first = p.data[:0], i+1
	}
	return nil
}

// notKept stands for where a content is that is not in the pack.
const notKept = -1

// add adds the contents of a change, and notes where they are.
func (p *packer) add(k toKeep) error {
	n, c := k.noted, k.change
	n.BeforeAt = int64(len(p.data))
	before, err := contentOf(c.Before, func() (io.ReadCloser, error) {
		return original(p.open(n.Path))
	})
	if errors.Is(err, errReplaced) {
		n.Lost = lostReplaced
	} else if err != nil {
		return err
	}
	p.data = append(p.data, before...)
	switch {
	case n.After == n.Before:
		n.AfterAt = n.BeforeAt
		return nil
	case !k.after:
		n.AfterAt = notKept
		return nil
	}
	n.AfterAt = int64(len(p.data))
	after, err := contentOf(c.After, c.Content)
	if err == nil && int64(len(after)) != n.AfterBytes || errors.Is(err, fs.ErrNotExist) {
		err = &journal.ContentError{Path: c.Path}
	}
	p.data = append(p.data, after...)
	return err
}

// open opens a file of the project.
func (p *packer) open(name string) (*os.File, error) {
	e, err := p.last.Entry(name)
	if err != nil {
		return nil, err
	}
	f, _, err := durable.OpenEntry(e)
	return f, err
}

// contentOf is the content of a small file, or where a link leads, nothing where there
// is neither. That of a file which has changed meanwhile is left out: the change is not
// made then.
func contentOf(s journal.State, open func() (io.ReadCloser, error)) ([]byte, error) {
	switch s.Type {
	case journal.Link:
		return []byte(s.Target), nil
	case journal.File:
		f, err := open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(io.LimitReader(f, packedBytes+1))
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) == s.SHA256 {
			return data, nil
		}
	}
	return nil, nil
}
