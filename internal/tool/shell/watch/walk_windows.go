package watch

import (
	"io/fs"
	"os"
	"path"
)

// readDir tells the entries of a folder, by name.
func readDir(root *os.Root, _ *os.File, dir string, tell func(name string, e entry)) error {
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	names, err := f.Readdirnames(-1)
	for _, name := range names {
		p := path.Join(dir, name)
		info, err := root.Lstat(p)
		if err != nil {
			continue // gone meanwhile
		}
		e := fromInfo(info)
		if e.mode.Type() == fs.ModeSymlink {
			e.target, _ = root.Readlink(p) // one that is gone shows at the next look
		}
		tell(name, e)
	}
	return err
}

// statEntry is the entry of an open file.
func statEntry(f *os.File) (entry, error) {
	info, err := f.Stat()
	if err != nil {
		return entry{}, err
	}
	return fromInfo(info), nil
}

// fromInfo has no number and no time of the inode: this system tells neither by
// a stat.
func fromInfo(info fs.FileInfo) entry {
	return entry{mode: info.Mode(), size: info.Size(), mtime: info.ModTime().UnixNano(), ctime: info.ModTime().UnixNano()}
}
