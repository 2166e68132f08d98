// Package gitdir finds the git directory of a work tree, as git itself does. That of a linked
// work tree or a submodule is elsewhere, and a file named .git says where. Such a file may come
// from anybody: it is read up to a limit, and what it names may be anywhere.
package gitdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"belay/internal/durable"
)

const (
	name   = ".git"
	prefix = "gitdir: " // of a file with this name
)

// MaxPointer is how many bytes a file that names a folder may have.
const MaxPointer = 64 << 10

// Find returns the top of the work tree that a folder is in, and its git directory. It looks
// in the folder and in those above it, by what their names lead to. [fs.ErrNotExist] says that
// there is none.
func Find(folder string) (top, dir string, err error) {
	top, err = filepath.EvalSymlinks(folder)
	if err != nil {
		return "", "", fmt.Errorf("find the repository of %s: %v", folder, err)
	}
	for {
		dir, err = Of(top)
		if err == nil && dir == filepath.Join(top, name) {
			// As for git, a folder that only has the name is none.
			_, err = os.Lstat(filepath.Join(dir, "HEAD"))
		}
		if err == nil || !Missing(err) {
			return top, dir, err
		}
		parent := filepath.Dir(top)
		if parent == top {
			return "", "", fs.ErrNotExist
		}
		top = parent
	}
}

// Of returns what .git in a folder is or names: a git directory, which may be incomplete or
// not there. The error is one of [Missing] where the folder has no .git.
func Of(top string) (string, error) {
	at := filepath.Join(top, name)
	info, err := os.Stat(at)
	if err != nil || info.IsDir() {
		return at, err
	}
	text, err := pointer(at)
	if err != nil {
		return "", fmt.Errorf("read the file .git: %v", err) // not that there is none
	}
	to, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return "", fmt.Errorf("%s is not what git writes", at)
	}
	return From(top, to), nil
}

// Common returns the folder that the linked work trees of a repository share, for the git
// directory of one of them. It is the git directory itself where there is one work tree.
func Common(dir string) (string, error) {
	text, err := pointer(filepath.Join(dir, "commondir"))
	switch {
	case err == nil && text != "":
		return From(dir, text), nil
	case err == nil || Missing(err):
		return dir, nil
	}
	return dir, fmt.Errorf("read the file commondir: %w", err)
}

// pointer is the text of a file that names a folder, without the end of the line. Programs
// disagree on other lines and on blanks around a name, so a file with those is an error.
func pointer(file string) (string, error) {
	data, _, err := durable.ReadFile(nil, file, MaxPointer)
	if err != nil {
		return "", err
	}
	line := strings.TrimRight(string(data), "\r\n")
	if to := strings.TrimPrefix(line, prefix); to != strings.TrimSpace(to) || strings.Contains(to, "\n") {
		return "", fmt.Errorf("%s is not what git writes", file)
	}
	return line, nil
}

// From is a path that a file of git has, as seen from a folder.
func From(folder, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// Missing reports whether an error says that there is no file.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
