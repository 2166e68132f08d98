package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"belay/internal/workspace/layout"
)

// Gate keeps what is published apart from what commands do in the project at the same
// time: what they have no right to is taken back, and a snapshot is nothing that a
// command may make.
type Gate func(ctx context.Context, project string) (Pass, error)

// Pass is the right to publish in a project. While it is held nobody takes stock of
// what a command did there.
type Pass interface {
	// Tell says, just before it is there, what no command has made.
	Tell(ctx context.Context, made []Made) error
	Leave() error
}

// Made is a file or a folder that publishing makes.
type Made struct {
	// Path is relative to the project, with slashes.
	Path string
	// Mode tells a folder.
	Mode   fs.FileMode
	SHA256 string
	Bytes  int64
	// Open opens a file's content, as long as the file is not there yet.
	Open func() (io.ReadCloser, error)
}

// enter goes through the gate, where there is one.
func (g Gate) enter(ctx context.Context, project string) (Pass, error) {
	if g == nil {
		return free{}, nil
	}
	return g(ctx, project)
}

// free is the pass where nobody looks after commands.
type free struct{}

func (free) Tell(context.Context, []Made) error { return nil }
func (free) Leave() error                       { return nil }

// tellSnapshot tells of the folder temp and all that is in it, as what it will be
// called.
func (p *publisher) tellSnapshot(ctx context.Context, temp, name string) error {
	var all []Made
	err := fs.WalkDir(p.tools.FS(), temp, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		m := Made{Path: path.Join(p.ToolRoot, name, strings.TrimPrefix(at, temp)), Mode: info.Mode()}
		if !e.IsDir() {
			m.Bytes, m.SHA256 = info.Size(), p.sums[strings.TrimPrefix(at, temp+"/")]
			m.Open = func() (io.ReadCloser, error) { return p.tools.Open(at) }
		}
		all = append(all, m)
		return nil
	})
	if err != nil {
		return err
	}
	return p.pass.Tell(ctx, all)
}

// tellPointer tells of what _LATEST.md is to hold.
func (p *publisher) tellPointer(ctx context.Context, text string) error {
	return p.pass.Tell(ctx, []Made{{
		Path: path.Join(p.ToolRoot, layout.LatestFile), Mode: pointerMode, SHA256: hexSum(text), Bytes: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
	}})
}

// tellFolders tells of the folders on the way to a tool root that are not there yet.
func (p *publisher) tellFolders(ctx context.Context, root interface {
	Lstat(name string) (fs.FileInfo, error)
}) error {
	var all []Made
	for dir := p.ToolRoot; dir != "."; dir = path.Dir(dir) {
		if _, err := root.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			all = append(all, Made{Path: dir, Mode: fs.ModeDir})
		}
	}
	return p.pass.Tell(ctx, all)
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
