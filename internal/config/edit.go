package config

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"belay/internal/durable"
)

// Edit changes one setting in the user's file: to a value, written as in the file, or with
// nil back to its default. Comments and the order of the file stay; the file and its folder
// are made where they are missing. A link keeps pointing to the file, which is replaced.
//
// It returns the file's path, and problems instead of a change where the setting does not
// exist, does not take the value, would keep a key of the environment, or the file cannot be
// read. A setting of an earlier version can only be taken out. Edits of one file, by any
// process, follow each other; ctx ends the wait.
func Edit(ctx context.Context, o Options, key string, value *string) (path string, problems []Problem, err error) {
	if _, gone := removedSetting(key); gone && value != nil {
		return UserFile(o), []Problem{UnknownSetting(key)}, nil
	}
	return edit(ctx, o, key, func(root *yaml.Node, path []string) error {
		if value == nil {
			comments, _ := removeKey(root, path)
			root.HeadComment = joined(root.HeadComment, comments)
			return nil
		}
		node, err := valueNode(*value)
		if err != nil {
			return err
		}
		return setKey(root, path, node)
	})
}

// UserFile is the file that [Edit] changes, "" where none is known.
func UserFile(o Options) string {
	l, _ := newLayers(o)
	return l.file
}

// change changes what a path of keys leads to in a mapping.
type change func(root *yaml.Node, path []string) error

func edit(ctx context.Context, o Options, key string, how change) (path string, problems []Problem, err error) {
	l, asked := newLayers(o)
	if l.file == "" {
		return "", []Problem{{Key: key, Message: "there is no file for settings, as the home folder is not known", Hint: "name one with --config"}}, nil
	}
	if _, gone := removedSetting(key); !gone && !isSetting(key) {
		return l.file, []Problem{UnknownSetting(key)}, nil
	}
	// First without the lock: a refused value leaves no trace.
	if _, problems, err := l.edited(asked, key, how); err != nil || len(problems) > 0 {
		return l.file, problems, err
	}
	unlock, err := alone(ctx, l.file)
	if err != nil {
		return l.file, nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	data, problems, err := l.edited(asked, key, how)
	if err != nil || len(problems) > 0 {
		return l.file, problems, err
	}
	return l.file, nil, keep(l.file, data)
}

// Append adds entries to a setting that is a list, in the user's file, as [Edit] changes
// one. Entries that the file has already are not added again.
func Append(ctx context.Context, o Options, key string, entries ...string) (path string, problems []Problem, err error) {
	return edit(ctx, o, key, func(root *yaml.Node, path []string) error { return appendTo(root, path, entries) })
}

// edited is the user's file with the setting changed, or what is wrong with that. A file
// that was asked for must exist.
func (l *layers) edited(asked bool, key string, how change) (data []byte, problems []Problem, err error) {
	data, _, err = durable.ReadFile(nil, l.file, maxFile)
	if errors.Is(err, fs.ErrNotExist) && !asked {
		if _, lerr := os.Lstat(l.file); lerr == nil { // to write a file in its place would undo what the person has set up
			return nil, []Problem{{Where: l.file, Message: "is a link that leads nowhere", Hint: "make the file that it names, or remove the link"}}, nil
		}
		data, err = nil, nil
	}
	// What is wrong with the file itself, and not with one of its settings, is not written over.
	f := parsed(l.file, data, err)
	if whole := slices.DeleteFunc(f.problems, func(p Problem) bool { return p.Key != "" }); len(whole) > 0 {
		return nil, whole, nil
	}
	old := data
	data, err = withSetting(data, strings.Split(key, "."), how)
	if err != nil {
		return nil, []Problem{{Where: l.file, Key: key, Message: err.Error()}}, nil
	}
	l.user = f
	c, before := l.build(nil)
	switch {
	case c.Keys.added(data, old):
		return nil, []Problem{{Key: key, Message: "holds an API key, which no file keeps", Hint: hintKeys}}, nil
	case len(data) > maxFile:
		return nil, []Problem{{Where: l.file, Message: tooLarge + " with it", Hint: hintSmaller}}, nil
	}
	l.user = parsed(l.file, data, nil)
	_, found := l.build(nil)
	for _, p := range found {
		own := p.Key == key
		if !strings.HasPrefix(p.Where, l.file) || !own && slices.ContainsFunc(before, p.repeats) {
			continue
		}
		if own {
			p.Where = ""
		}
		problems = append(problems, p) // also where another setting would no longer be valid
	}
	return data, problems, nil
}

// repeats reports whether two problems are the same, wherever in the file they are.
func (p Problem) repeats(other Problem) bool { return p.Key == other.Key && p.Message == other.Message }

// UnknownSetting is the problem of a key that no setting has.
func UnknownSetting(key string) Problem {
	if r, gone := removedSetting(key); gone {
		return Problem{Key: key, Message: "is not a setting any more; the value is always " + r.now, Hint: cmp.Or(r.instead, "belay config set "+key+" --default takes it out of your file")}
	}
	if isKeyMaterial(key) {
		return Problem{Key: clean(key), Message: keysInFiles, Hint: hintKeys}
	}
	return Problem{Key: clean(key), Message: "is not a setting", Hint: suggest(key)}
}

// alone waits until no other edit of the file is under way. The lock is a file beside it
// for as long as the edit takes: the folder of locks may lie where the setting to be edited
// says.
func alone(ctx context.Context, file string) (unlock func() error, err error) {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	root, err := openFolder(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	if err := root.Close(); err != nil {
		return nil, err
	}
	l, err := durable.WaitLock(ctx, file+".lock")
	if err != nil {
		return nil, err
	}
	return l.Remove, nil
}

// keep replaces the file, also through a link.
func keep(file string, data []byte) error {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	root, err := openFolder(filepath.Dir(file))
	if err != nil {
		return err
	}
	perm := fs.FileMode(0o600)
	if info, err := root.Stat(filepath.Base(file)); err == nil {
		perm = info.Mode().Perm()
	}
	return errors.Join(durable.WriteFile(root, filepath.Base(file), data, perm, durable.Settings), root.Close())
}

// openFolder opens a folder. It makes it, and the missing ones above it, so that they
// survive a power cut.
func openFolder(dir string) (_ *os.Root, err error) {
	above := dir
	for above != filepath.Dir(above) {
		if _, err := os.Stat(above); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		above = filepath.Dir(above)
	}
	root, err := os.OpenRoot(above)
	if err != nil || above == dir {
		return root, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	rel, err := filepath.Rel(above, dir)
	if err != nil {
		return nil, err
	}
	rel = filepath.ToSlash(rel)
	if err := durable.MkdirAll(root, rel, 0o700); err != nil {
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			at.Path = filepath.Join(above, at.Path)
		}
		return nil, err
	}
	for at := slashpath.Dir(rel); ; at = slashpath.Dir(at) {
		if err := durable.FlushDir(root, at, durable.Settings); err != nil {
			return nil, err
		}
		if at == "." {
			return os.OpenRoot(dir)
		}
	}
}
