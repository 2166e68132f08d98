package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Source is what a snapshot is copied from: all of a folder but .git, .belay and
// unfinished files.
type Source struct {
	// Root is the folder; it stays the caller's.
	Root *os.Root
	// Loose leaves out snapshots and what begins with an underline or a dot: then
	// the folder may be the tool root itself.
	Loose bool
	// Skip leaves out a file or folder by its path in Root; nil leaves out none.
	Skip func(path string, folder bool) bool
}

// Copy returns a build function for [Publish] that copies folder from, an absolute
// path; "" is what is loose in the tool root itself. What no snapshot can hold is
// an INVALID_REQUEST that names all of it.
func Copy(ctx context.Context, t Target, o Options, from string) func(dir *os.Root) error {
	loose := from == ""
	if loose {
		from = filepath.Join(t.Root, filepath.FromSlash(t.ToolRoot))
	}
	return func(dir *os.Root) error {
		src, err := os.OpenRoot(from)
		if err != nil {
			return fault.New(fault.InvalidRequest, "from %s", openReason(err)).With("field", "from").Because(err)
		}
		defer src.Close()
		return CopySource(ctx, o, Source{Root: src, Loose: loose})(dir)
	}
}

// CopySource is [Copy] from a folder that is open.
func CopySource(ctx context.Context, o Options, s Source) func(dir *os.Root) error {
	return func(dir *os.Root) error {
		c := copier{ctx: ctx, s: s, dst: dir, left: o.MaxBytes, o: o}
		if err := c.list(); err != nil {
			return err
		}
		return c.run()
	}
}

// List returns what [CopySource] would copy, without checksums.
func List(ctx context.Context, o Options, s Source) ([]File, error) {
	c := copier{ctx: ctx, s: s, o: o}
	if err := c.list(); err != nil {
		return nil, err
	}
	return c.files, nil
}

func openReason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "cannot be opened: permission denied"
	}
	return "is no folder that can be opened"
}

type copier struct {
	ctx     context.Context //nolint:containedctx // it lives for one call
	s       Source
	dst     *os.Root
	o       Options
	folders []string
	files   []File
	left    int64
}

// list finds what is to be copied before anything is: what is copied may be in
// the same folder.
func (c *copier) list() error {
	var wrong problems
	err := fs.WalkDir(c.s.Root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			wrong.add(finding.Shown(name), "cannot be read")
			return fs.SkipDir
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		top := c.s.Loose && !strings.Contains(name, "/")
		switch base := e.Name(); {
		case name == ".":
		case base == ".git" || base == ".belay" || strings.HasPrefix(base, durable.TempPrefix),
			top && (base[0] == '_' || base[0] == '.' || layout.IsSnapshot(base)), c.s.Skip != nil && c.s.Skip(name, e.IsDir()):
			if e.IsDir() {
				return fs.SkipDir
			}
		case !e.IsDir() && !e.Type().IsRegular():
			wrong.add(finding.Shown(name), "is no regular file; a snapshot holds nothing else")
		case name == ManifestFile:
			wrong.add(name, "is the name of the manifest")
		case len(c.files)+len(c.folders) == c.o.MaxFiles:
			wrong.add(finding.Shown(name), tooMany(c.o))
			return fs.SkipAll
		case e.IsDir():
			c.folders = append(c.folders, name)
		default:
			info, err := e.Info()
			if err != nil {
				wrong.add(finding.Shown(name), "cannot be looked at")
				return nil
			}
			c.files = append(c.files, File{Path: name, Bytes: info.Size()})
		}
		return nil
	})
	if err == nil && len(c.files)+len(wrong) == 0 {
		why := "has no file that a snapshot could hold"
		if c.s.Loose {
			why = "is required: nothing is loose in the tool root"
		}
		return fault.New(fault.InvalidRequest, "from %s", why).With("field", "from").WithHint("name the folder that is to be published")
	}
	return errors.Join(err, wrong.err())
}

func (c *copier) run() error {
	for _, name := range c.folders {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := durable.Mkdir(c.dst, name, 0o777); err != nil {
			return storage("the snapshot cannot be made", err)
		}
	}
	for _, f := range c.files {
		if err := c.file(f.Path); err != nil {
			return err
		}
	}
	return nil
}

// file copies one file, and no more of it than the limit leaves.
func (c *copier) file(name string) error {
	in, info, err := durable.OpenRegular(c.s.Root, name)
	if err != nil {
		return fault.New(fault.InvalidRequest, "%s %s", finding.Shown(name), openReason(err)).With("field", "from").Because(err)
	}
	defer in.Close()
	out, err := durable.Create(c.dst, name, info.Mode().Perm()|0o200, durable.Draft)
	if err != nil {
		return storage("the snapshot cannot be made", err)
	}
	n, err := io.Copy(out, io.LimitReader(reader{c.ctx, in}, c.left+1))
	if e := out.Close(); err == nil {
		err = e
	}
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case err != nil:
		return storage("the snapshot cannot be made", err)
	}
	if c.left -= n; c.left < 0 {
		return problems{{Field: finding.Shown(name), Message: fmt.Sprintf("goes beyond the %d bytes that a snapshot holds (snapshot.bytes)", c.o.MaxBytes)}}.err()
	}
	return nil
}
