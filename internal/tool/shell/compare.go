package shell

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/permit/review"
	"belay/internal/tool"
)

// The bounds of one look at a project. Past any of them it cannot be compared.
const (
	maxComparedEntries = 500_000
	maxComparedBytes   = 256 << 20
	maxComparedDepth   = 200
	compareTime        = 20 * time.Second
	comparedAtOnce     = 1000
	maxGitConfig       = 256 << 10
)

// table has a line for each file of a project that no command may change: those that
// only their own tool may write, and the settings and hooks of git. A git
// configuration that names no program has none.
type table map[string]string

// changed are the files in which two tables differ.
func (t table) changed(after table) []string {
	all := maps.Clone(t)
	maps.Copy(all, after)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return t[name] == after[name] })
}

// comparer makes a table.
type comparer struct {
	ctx     context.Context //nolint:containedctx // of one call
	root    *os.Root
	scope   tool.Scope
	table   table
	entries int
	bytes   int64
}

// look makes the table of a project. An error says why that cannot be done.
func look(ctx context.Context, w *tool.Environment) (table, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, compareTime, fmt.Errorf("it takes longer than %v", compareTime))
	defer cancel()
	c := &comparer{ctx: ctx, root: w.Root, scope: w.Scope, table: table{}}
	if err := c.folder(".", "", 0); err != nil {
		return nil, err
	}
	return c.table, nil
}

// folder looks at a folder; git is the git directory that it is in, "" for none.
func (c *comparer) folder(dir, git string, depth int) error {
	if depth > maxComparedDepth {
		return fmt.Errorf("folders lie deeper than %d in each other", maxComparedDepth)
	}
	entries, err := c.list(dir)
	if err != nil {
		return err
	}
	if git == "" && gitFolder(entries) {
		git = dir
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		isGit := strings.EqualFold(e.Name(), nameGit)
		switch {
		case c.scope.Hidden(name):
		case e.IsDir() && git != "" && gitData(dir, e.Name()):
		case e.IsDir() && git == "" && isGit:
			err = c.folder(name, name, depth+1)
		case e.IsDir():
			err = c.folder(name, git, depth+1)
		case git == "" && (isGit || protects(c.scope, name)):
			err = c.file(name, false)
		case git != "" && (gitSetting(strings.TrimPrefix(name, git+"/")) || !e.Type().IsRegular()):
			err = c.file(name, true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// list reads a folder, a part at a time.
func (c *comparer) list(dir string) (all []fs.DirEntry, err error) {
	f, err := c.root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for {
		part, err := f.ReadDir(comparedAtOnce)
		all = append(all, part...)
		c.entries += len(part)
		switch {
		case c.ctx.Err() != nil:
			return nil, context.Cause(c.ctx)
		case c.entries > maxComparedEntries:
			return nil, fmt.Errorf("it has more than %d files", maxComparedEntries)
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
	}
}

// file adds the line of a file.
func (c *comparer) file(name string, git bool) error {
	local := filepath.FromSlash(name)
	info, err := c.root.Lstat(local)
	if err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := c.root.Readlink(local)
		c.table[name] = "link " + target
		return err
	case !info.Mode().IsRegular():
		c.table[name] = info.Mode().Type().String()
		return nil
	}
	line := ""
	if git {
		line = info.Mode().Perm().String() + " " // what makes a hook a program
		if gitConfig(name) && info.Size() <= maxGitConfig {
			text, _, err := durable.ReadFile(c.root, local, maxGitConfig)
			if err != nil || review.PlainGitConfig(string(text)) {
				return err
			}
		}
	}
	if c.bytes += info.Size(); c.bytes > maxComparedBytes {
		return fmt.Errorf("its protected files have more than %d bytes", maxComparedBytes)
	}
	f, _, err := durable.OpenRegular(c.root, local)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, io.LimitReader(f, maxComparedBytes))
	c.table[name] = line + hex.EncodeToString(sum.Sum(nil))
	return errors.Join(err, f.Close(), context.Cause(c.ctx))
}

// protects reports whether no command may change a file, whatever an agent may write
// otherwise.
func protects(s tool.Scope, name string) bool {
	if all, ok := s.(tool.AllOf); ok {
		return slices.ContainsFunc(all, func(one tool.Scope) bool { return protects(one, name) })
	}
	if s, ok := s.(interface{ Protected(name string) bool }); ok {
		return s.Protected(name)
	}
	return s.Allows(name, true) != nil
}

// gitFolder reports whether git would take a folder for a git directory.
func gitFolder(entries []fs.DirEntry) bool {
	found := 0
	for _, e := range entries {
		if slices.Contains([]string{"head", "objects", "refs"}, strings.ToLower(e.Name())) {
			found++
		}
	}
	return found >= 3
}

// gitData reports whether a folder of a git directory holds only what git stores.
func gitData(dir, name string) bool {
	if path.Base(dir) == "objects" {
		return name == "pack" || len(name) == 2 && strings.Trim(name, "0123456789abcdef") == ""
	}
	return name == "refs" || name == "logs"
}

// gitSetting reports whether a path in a git directory decides which programs git
// runs.
func gitSetting(name string) bool {
	base := strings.ToLower(path.Base(name))
	return gitConfig(name) || base == "commondir" || base == "alternates" ||
		slices.Contains(strings.Split(strings.ToLower(path.Dir(name)), "/"), "hooks") && !strings.HasSuffix(base, ".sample")
}

func gitConfig(name string) bool {
	base := strings.ToLower(path.Base(name))
	return base == "config" || base == "config.worktree"
}
