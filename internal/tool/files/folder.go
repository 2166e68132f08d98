package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"belay/internal/durable"
	"belay/internal/tool"
)

// partsOf takes a clean name apart; "." has no parts.
func partsOf(name string) []string {
	if name == "." || name == "" {
		return nil
	}
	return strings.Split(name, "/")
}

// makeFolder is [durable.OpenFolder] that makes what is missing. It returns how many
// folders it made; on an error those are gone again.
func makeFolder(root *os.Root, name string) (folder *os.Root, made int, err error) {
	parts := partsOf(name)
	for i := range parts {
		parent, err := durable.OpenFolder(root, path.Join(append([]string{"."}, parts[:i]...)...))
		if err == nil {
			if err = parent.Mkdir(parts[i], 0o777); err == nil {
				made++
			} else if errors.Is(err, fs.ErrExist) {
				err = nil
			}
			_ = parent.Close() // it was only a step on the way
		}
		if err != nil {
			removeFolders(root, path.Join(parts[:i]...), made)
			return nil, 0, err
		}
	}
	if folder, err = durable.OpenFolder(root, name); err != nil {
		removeFolders(root, name, made)
		return nil, 0, err
	}
	return folder, made, nil
}

// missingFolders is how many of the folders of name are not there.
func missingFolders(root *os.Root, name string) (n int) {
	for ; name != "."; name = path.Dir(name) {
		if _, err := root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		n++
	}
	return n
}

// removeFolders removes the innermost n folders of name that are empty. Some of them may never
// have been made. A file or a link that is in the place of one stays.
func removeFolders(root *os.Root, name string, n int) {
	for ; n > 0; n, name = n-1, path.Dir(name) {
		info, err := root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !info.IsDir() || root.Remove(name) != nil {
			return // something is in it: it stays, and so do those around it
		}
	}
}

// openFile opens a regular file in an opened folder: no link, no pipe, no device,
// whatever takes the name's place meanwhile. The caller closes it.
func openFile(folder *os.Root, base string) (*os.File, fs.FileInfo, error) {
	f, info, err := durable.OpenEntry(durable.Entry{Folder: folder, Name: base})
	if errors.Is(err, durable.ErrNotRegular) {
		if is, e := folder.Lstat(base); e == nil {
			err = notRegular(is.Mode())
		}
	}
	return f, info, err
}

// open opens a place's file.
func (p place) open() (*os.File, fs.FileInfo, error) {
	folder, err := durable.OpenFolder(p.root, path.Dir(p.name))
	if err != nil {
		return nil, nil, err
	}
	defer folder.Close()
	return openFile(folder, path.Base(p.name))
}

// alias is the path of the link that led to the place, none where there was no link.
func (p place) alias() []string {
	if p.linked == "" {
		return nil
	}
	return []string{p.linked}
}

// regular refuses a place that is there and not a regular file.
func (p place) regular() error {
	if p.info == nil || p.info.Mode().IsRegular() {
		return nil
	}
	return kindError(p.shown(), p.info.Mode())
}

func notRegular(mode fs.FileMode) error {
	return fmt.Errorf("%w: %s", durable.ErrNotRegular, kindOf(mode))
}

func kindError(path string, mode fs.FileMode) error {
	r := tool.Refuse("%s is %s, not a file", tool.Clip(path, 200), kindOf(mode))
	if mode.IsDir() {
		r.Hint = "look into it with list"
	}
	return r
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}
