package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Copy returns a build function for [Publish] that copies folder from, an absolute
// path: all of it but .git, .belay and unfinished files. With "" it copies what
// lies loose in the tool root itself: neither snapshots nor what begins with an
// underline. What no snapshot can hold is an INVALID_REQUEST that names all of it.
func Copy(ctx context.Context, t Target, o Options, from string) func(dir *os.Root) error {
	loose := from == ""
	if loose {
		from = path.Join(t.Root, t.ToolRoot)
	}
	return func(dir *os.Root) error {
		src, err := os.OpenRoot(from)
		if err != nil {
			return fault.New(fault.InvalidRequest, "from %s", openReason(err)).With("field", "from").Because(err)
		}
		defer src.Close()
		c := copier{ctx: ctx, src: src, dst: dir, left: o.MaxBytes, o: o}
		if err := c.list(loose); err != nil {
			return err
		}
		if loose && len(c.files) == 0 {
			return fault.New(fault.InvalidRequest, "nothing lies loose in %s", t.ToolRoot).With("field", "from").
				WithHint("name the folder that is to be published with --from")
		}
		return c.run()
	}
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
	ctx            context.Context //nolint:containedctx // it lives for one call
	src, dst       *os.Root
	o              Options
	folders, files []string
	left           int64
}

// list finds what is to be copied before anything is: what is copied may lie in
// the same folder.
func (c *copier) list(loose bool) error {
	var wrong problems
	err := fs.WalkDir(c.src.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			wrong.add(finding.Shown(name), "cannot be read")
			return fs.SkipDir
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		top := loose && !strings.Contains(name, "/")
		switch base := e.Name(); {
		case name == ".":
		case base == ".git" || base == ".belay" || strings.HasPrefix(base, durable.TempPrefix),
			top && (base[0] == '_' || base[0] == '.' || layout.IsSnapshot(base)):
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.IsDir():
			c.folders = append(c.folders, name)
		case !e.Type().IsRegular():
			wrong.add(finding.Shown(name), "is no regular file; a snapshot holds nothing else")
		case name == ManifestFile:
			wrong.add(name, "is the name of the manifest")
		case len(c.files) == c.o.MaxFiles:
			wrong.add(finding.Shown(name), fmt.Sprintf("is one too many; a snapshot holds at most %d files (snapshot.files)", c.o.MaxFiles))
			return fs.SkipAll
		default:
			c.files = append(c.files, name)
		}
		return nil
	})
	return errors.Join(err, wrong.err())
}

func (c *copier) run() error {
	for _, name := range c.folders {
		if err := c.dst.Mkdir(name, 0o777); err != nil {
			return storage("the snapshot cannot be made", err)
		}
	}
	for _, name := range c.files {
		if err := c.file(name); err != nil {
			return err
		}
	}
	return nil
}

// file copies one file, and no more of it than the limit leaves.
func (c *copier) file(name string) error {
	in, info, err := durable.OpenRegular(c.src, name)
	if err != nil {
		return fault.New(fault.InvalidRequest, "%s %s", finding.Shown(name), openReason(err)).With("field", "from").Because(err)
	}
	defer in.Close()
	out, err := c.dst.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
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
