package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"belay/internal/durable"
	"belay/internal/journal"
)

// stands is a file as it is: the hash of its content, or of where it leads if it
// is a link, "" for no file.
type stands struct {
	sha    string
	mode   fs.FileMode
	leads  string // of a link
	folder bool   // a folder is no file
}

// is reports whether that is what a record says. Permissions that it does not know
// do not count, and those of a link mean nothing.
func (s stands) is(sha string, mode fs.FileMode) bool {
	switch {
	case s.sha != sha:
		return false
	case sha == "" || mode == 0:
		return true
	}
	return s.mode.Type() == mode.Type() && (s.mode.Perm() == mode.Perm() || mode&fs.ModeSymlink != 0)
}

// standing looks at a file. There is none where there is nothing of that name, or
// a folder, or a file where its folder was.
func standing(root *os.Root, name string) (stands, error) {
	folder, err := durable.OpenFolder(root, path.Dir(name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errFile) {
		return stands{}, nil
	} else if err != nil {
		return stands{}, err
	}
	defer folder.Close()
	base := path.Base(name)
	switch info, err := folder.Lstat(base); {
	case err == nil && info.IsDir():
		return stands{folder: true, mode: info.Mode()}, nil
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		leads, err := folder.Readlink(base)
		return stands{sha: digest([]byte(leads)), mode: info.Mode(), leads: leads}, err
	}
	f, info, err := openFile(folder, base)
	if errors.Is(err, fs.ErrNotExist) {
		return stands{}, nil
	} else if err != nil {
		return stands{}, err
	}
	defer f.Close()
	sha, err := hashOf(f)
	return stands{sha: sha, mode: info.Mode()}, err
}

// state is what is there as the journal has it.
func (s stands) state() journal.State {
	if s.mode&fs.ModeSymlink != 0 {
		return journal.State{Type: journal.Link, Target: journal.Name(s.leads)}
	}
	if s.sha == "" {
		return journal.State{}
	}
	return journal.State{Type: journal.File, SHA256: s.sha, Mode: s.mode.Perm()}
}

// hashOf is the hash of a file's content, in hex.
func hashOf(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
