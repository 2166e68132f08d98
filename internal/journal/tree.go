package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"belay/internal/durable"
)

// This file is about new folders of so many files that no change says anything of each:
// build output, which can be made again.

// MaxTree is how many files and folders may be in such a folder, maxTreeDepth how deep.
const (
	MaxTree      = 1_000_000
	maxTreeDepth = 500
)

// Tree describes the content of a new folder that is moved as a whole.
type Tree struct {
	// Entries is how many files, links and folders there are, Files how many of them are no
	// folders, Bytes how much they hold.
	Entries int   `json:"entries"`
	Files   int   `json:"files"`
	Bytes   int64 `json:"bytes"`
	// Digest is a hash of their paths, types, permissions, sizes and times, in hex. It says
	// nothing of contents.
	Digest string `json:"digest"`
}

func (t *Tree) check() error {
	if t.Files < 0 || t.Files > t.Entries || t.Entries > MaxTree || t.Bytes < 0 || !isHash(t.Digest) {
		return errors.New("the content of the folder is not described")
	}
	return nil
}

// TreeError says that a folder which is moved as a whole cannot be moved.
type TreeError struct {
	Path Name
	// Reason is a clause.
	Reason string
}

// Error implements error.
func (e *TreeError) Error() string {
	return fmt.Sprintf("%s, with more files than can be listed, cannot be moved to its place: %s", e.Path, e.Reason)
}

// notAlone is why a folder cannot be moved where its contents are not moved at all.
const notAlone = "that takes all of the other changes, on the same file system"

// errTreeTooLarge says that a folder has more than may be moved as a whole.
var errTreeTooLarge = fmt.Errorf("it has more than %d files, or folders nested deeper than %d levels", MaxTree, maxTreeDepth)

// LookTree describes the content of a folder. What is neither a file nor a link nor a folder
// is an error.
func LookTree(root *os.Root, name Name) (Tree, error) {
	folder, err := durable.OpenFolder(root, string(name))
	if err != nil {
		return Tree{}, err
	}
	defer folder.Close()
	return lookTree(folder, func(*os.Root, fs.FileInfo) error { return nil })
}

// lookTree is LookTree of an open folder that shows each entry with the folder it is in.
func lookTree(folder *os.Root, see func(in *os.Root, info fs.FileInfo) error) (t Tree, err error) {
	h := sha256.New()
	w := treeWalk{tree: &t, hash: h, see: see}
	err = w.folder(folder, "", 0)
	t.Digest = hex.EncodeToString(h.Sum(nil))
	return t, err
}

type treeWalk struct {
	tree *Tree
	hash hash.Hash
	see  func(in *os.Root, info fs.FileInfo) error
}

func (w *treeWalk) folder(folder *os.Root, at string, depth int) error {
	if depth > maxTreeDepth {
		return errTreeTooLarge
	}
	f, err := folder.Open(".")
	if err != nil {
		return err
	}
	names, err := f.Readdirnames(-1)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	slices.SortFunc(names, strings.Compare)
	for _, base := range names {
		if w.tree.Entries++; w.tree.Entries > MaxTree {
			return errTreeTooLarge
		}
		info, err := folder.Lstat(base)
		if err != nil {
			return err
		}
		name := path.Join(at, base)
		size, target := int64(0), ""
		switch info.Mode().Type() {
		case 0:
			size = info.Size()
		case fs.ModeSymlink:
			if target, err = folder.Readlink(base); err != nil {
				return err
			}
		case fs.ModeDir:
		default:
			return fmt.Errorf("%s: %w", name, durable.ErrNotRegular)
		}
		if err := w.see(folder, info); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		w.tree.Bytes += size
		fmt.Fprintf(w.hash, "%q %q %v %d", name, target, info.Mode().Type(), size)
		if info.Mode().IsRegular() {
			fmt.Fprintf(w.hash, " %v %d", info.Mode().Perm(), info.ModTime().UnixNano())
		}
		fmt.Fprintln(w.hash)
		if !info.IsDir() {
			w.tree.Files++
			continue
		}
		in, err := durable.EnterFolder(folder, base)
		if err != nil {
			return err
		}
		err = w.folder(in, name, depth+1)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// takeTree takes a folder among the contents with all the content of it, which is as the
// change says and which nothing else can change any more.
func (prep *preparation) takeTree(i int) error {
	c := &prep.tx.rec.Changes[i]
	folder, err := durable.OpenFolder(prep.tx.tree, string(c.Path))
	if gone(err) {
		return &ContentError{c.Path}
	} else if err != nil {
		return err
	}
	defer folder.Close()
	elsewhere := map[uint64]uint64{} // names of files with several that were not seen
	is, err := lookTree(folder, func(in *os.Root, info fs.FileInfo) error {
		if info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 && !info.IsDir() {
			return errors.New("it would give its rights to any user who runs it")
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil
		}
		var s State
		s.identify(info)
		if info.Mode().IsRegular() && s.Links > 1 {
			if _, seen := elsewhere[s.Inode]; !seen {
				elsewhere[s.Inode] = s.Links
			}
			elsewhere[s.Inode]--
		}
		return claim(in, info)
	})
	for _, names := range elsewhere {
		if err == nil && names > 0 {
			err = errors.New("a file in it has another name outside")
		}
	}
	switch {
	case err != nil:
		return &TreeError{c.Path, err.Error()}
	case is != *c.Tree:
		return &ContentError{c.Path}
	}
	f, err := folder.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	now := State{Type: Folder}
	now.identify(info)
	if !strip(f) {
		return &TreeError{c.Path, hasAttributes}
	}
	if err := prep.own(f, c, &now, prep.around(i), info.Mode()); err != nil {
		return err
	}
	now, err = look(durable.Entry{Folder: prep.tx.tree, Name: string(c.Path)}, false)
	c.After, c.Taken = now, err == nil
	return err
}

// intactTree reports whether the folder at an entry has what a tree says. What is loose may
// have been damaged on the way where it counts for little.
func intactTree(t *Tree, e durable.Entry, loose bool) (bool, error) {
	if loose {
		return true, nil
	}
	now, err := LookTree(e.Folder, Name(e.Name))
	switch {
	case gone(err), errors.Is(err, errTreeTooLarge), errors.Is(err, durable.ErrNotRegular):
		return false, nil // somebody has put something else there
	case err != nil:
		return false, err
	}
	return now == *t, nil
}

const hasAttributes = "it has attributes that cannot be removed"

// claim makes sure that nothing else can change a file or folder by what it was called in
// the sandbox.
func claim(in *os.Root, info fs.FileInfo) error {
	var f *os.File
	var err error
	if info.IsDir() {
		f, err = in.Open(info.Name())
	} else {
		f, _, err = durable.OpenEntry(durable.Entry{Folder: in, Name: info.Name()})
	}
	if err != nil {
		return err
	}
	defer f.Close()
	switch {
	case !strip(f):
		return errors.New(hasAttributes)
	case !info.IsDir() && !alone(f):
		return errors.New("a process can still write to it")
	}
	return nil
}
