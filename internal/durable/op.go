package durable

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Verb says what an [Op] does.
type Verb string

// The verbs.
const (
	OpCreate    Verb = "create"   // a new empty file
	OpWrite     Verb = "write"    // Data at Off
	OpTruncate  Verb = "truncate" // to Off bytes
	OpFlush     Verb = "flush"    // a file's content
	OpFlushDir  Verb = "flush folder"
	OpRename    Verb = "rename"   // to To
	OpExchange  Verb = "exchange" // Path and To change places
	OpLink      Verb = "link"     // To is a second name of Path
	OpSymlink   Verb = "symlink"  // Path leads to To
	OpMkdir     Verb = "mkdir"
	OpRemove    Verb = "remove"
	OpRemoveAll Verb = "remove all"
	OpMode      Verb = "mode"
	OpOwner     Verb = "owner" // UID and GID
)

// Op is one change of files.
type Op struct {
	Verb Verb
	// Path is absolute; To is, too, except as the target of a symlink.
	Path, To string
	Data     []byte
	Off      int64
	Mode     fs.FileMode
	UID, GID int
	// File is the kind of file that is written, nil for a plain operation.
	File *File
	// Point names a flush, "" for other verbs.
	Point string
}

// at is the absolute path of a name under root.
func at(root *os.Root, name string) string {
	return filepath.Join(root.Name(), filepath.FromSlash(name))
}

// Mkdir makes one folder.
func Mkdir(root *os.Root, name string, perm fs.FileMode) error {
	return do(Op{Verb: OpMkdir, Path: at(root, name), Mode: perm}, func() error { return root.Mkdir(name, perm) })
}

// MkdirAll makes a folder and the missing ones above it.
func MkdirAll(root *os.Root, name string, perm fs.FileMode) error {
	if info, err := root.Stat(name); err == nil && info.IsDir() {
		return nil
	}
	return do(Op{Verb: OpMkdir, Path: at(root, name), Mode: perm}, func() error { return root.MkdirAll(name, perm) })
}

// Rename gives a file or folder another name, replacing a file that has it.
func Rename(root *os.Root, from, to string) error {
	return do(Op{Verb: OpRename, Path: at(root, from), To: at(root, to)}, func() error { return root.Rename(from, to) })
}

// Link gives a file a second name.
func Link(root *os.Root, from, to string) error {
	return do(Op{Verb: OpLink, Path: at(root, from), To: at(root, to)}, func() error { return root.Link(from, to) })
}

// Symlink makes a symbolic link at name that leads to target.
func Symlink(root *os.Root, target, name string) error {
	return do(Op{Verb: OpSymlink, Path: at(root, name), To: target}, func() error { return root.Symlink(target, name) })
}

// Remove removes a file or an empty folder.
func Remove(root *os.Root, name string) error {
	return do(Op{Verb: OpRemove, Path: at(root, name)}, func() error { return root.Remove(name) })
}

// RemoveAll removes a folder with everything in it, however deep that is and whatever its
// permissions; it need not be there.
func RemoveAll(root *os.Root, name string) error {
	return do(Op{Verb: OpRemoveAll, Path: at(root, name)}, func() error { return removeAll(root, name) })
}

// Chmod changes the permissions of a file or folder.
func Chmod(root *os.Root, name string, mode fs.FileMode) error {
	return do(Op{Verb: OpMode, Path: at(root, name), Mode: mode}, func() error { return root.Chmod(name, mode) })
}

// Chown gives a file, folder or link, not what a link leads to, to an owner.
func Chown(root *os.Root, name string, uid, gid int) error {
	return do(Op{Verb: OpOwner, Path: at(root, name), UID: uid, GID: gid}, func() error { return root.Lchown(name, uid, gid) })
}

// Open opens a file for reading and writing, making it where it is not there.
func Open(root *os.Root, name string, perm fs.FileMode, kind *File) (f *os.File, err error) {
	err = do(Op{Verb: OpCreate, Path: at(root, name), Mode: perm, File: kind}, func() (err error) {
		f, err = root.OpenFile(name, os.O_RDWR|os.O_CREATE|nonblock, perm)
		return err
	})
	return f, err
}

// WriteAt writes into an open file that lies at path, such as a lock's note.
func WriteAt(f *os.File, data []byte, off int64, kind *File) error {
	return do(Op{Verb: OpWrite, Path: f.Name(), Data: data, Off: off, File: kind}, func() error {
		_, err := f.WriteAt(data, off)
		return err
	})
}

// FlushDir makes the entries of a folder durable: files of that kind that were
// created in, renamed into or removed from it. Systems that cannot flush a folder
// do nothing.
func FlushDir(root *os.Root, dir string, kind *File) error {
	return do(Op{Verb: OpFlushDir, Path: at(root, dir), File: kind, Point: kind.FolderPoint()}, func() error { return syncDir(root, dir) })
}
