package project

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"

	"belay/internal/durable"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/workspace/scaffold"
)

// intend announces the files that are made next, and keeps their contents.
func (c *scaffoldCall) intend(ctx context.Context, p *scaffold.Plan) ([]session.Change, error) {
	var all []session.Change
	folders := map[string]bool{}
	for _, m := range p.Makes() {
		if m.Data == nil {
			folders[m.Path] = true
			continue
		}
		change := session.Change{Path: m.Path, After: tool.Digest(m.Data), AfterBytes: int64(len(m.Data))}
		if dir := path.Dir(m.Path); folders[dir] {
			change.Folders, folders[dir] = 1, false // undo takes the folder away with its first file
		}
		all = append(all, change)
		if err := c.keep(ctx, change, m.Data); err != nil {
			return nil, err
		}
	}
	if name, was := p.Replaces(); name != "" {
		change := session.Change{Path: name, Before: tool.Digest(was), BeforeBytes: int64(len(was)), BeforeMode: c.mode(name),
			After: tool.Digest(p.Text()), AfterBytes: int64(len(p.Text()))}
		all = append(all, change)
		if err := c.keep(ctx, change, was, p.Text()); err != nil {
			return nil, err
		}
	}
	return all, c.w.Ledger.Intend(ctx, all...)
}

func (c *scaffoldCall) keep(ctx context.Context, change session.Change, contents ...[]byte) error {
	for _, data := range contents {
		if int64(len(data)) > c.w.Limits.KeepBytes {
			continue
		}
		if _, _, err := c.w.Blobs.Put(ctx, bytes.NewReader(data), c.w.Limits.KeepBytes); err != nil {
			return fmt.Errorf("keep what %s holds: %w", change.Path, err)
		}
	}
	return nil
}

// note puts on record which of the announced files were made.
func (c *scaffoldCall) note(intended []session.Change) {
	for _, change := range intended {
		data, info, err := durable.ReadFile(c.w.Root, change.Path, max(change.AfterBytes, 1))
		if err != nil || tool.Digest(data) != change.After {
			continue // not made, or changed by somebody else since
		}
		change.AfterMode = info.Mode().Perm()
		c.w.Ledger.Note(change)
	}
}

func (c *scaffoldCall) mode(name string) fs.FileMode {
	info, err := c.w.Root.Stat(name)
	if err != nil {
		return 0
	}
	return info.Mode().Perm()
}
