package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"belay/internal/durable"
)

// Look is what is at a path of a project, nothing if there is none or a folder on
// the way to it is missing or a link; the hash of a file's content only if it is asked
// for.
func Look(root *os.Root, name Name, hash bool) (State, error) {
	folder, err := durable.OpenFolder(root, path.Dir(string(name)))
	if gone(err) {
		return State{}, nil
	} else if err != nil {
		return State{}, err
	}
	defer folder.Close()
	return look(durable.Entry{Folder: folder, Name: path.Base(string(name))}, hash)
}

// look is what is at an entry, nothing if there is none; the hash of a file's
// content only if it is asked for.
func look(e durable.Entry, hash bool) (State, error) {
	info, err := e.Folder.Lstat(e.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, nil
	} else if err != nil {
		return State{}, err
	}
	s := State{Mode: info.Mode() & modeBits, Size: info.Size()}
	s.identify(info)
	switch info.Mode().Type() {
	case 0:
		s.Type = File
	case fs.ModeDir:
		s.Type, s.Size = Folder, 0
	case fs.ModeSymlink:
		s.Type, s.Mode = Link, 0 // they mean nothing
		target, err := e.Folder.Readlink(e.Name)
		if err != nil {
			return State{}, err
		}
		s.Target = Name(target)
	default:
		s.Type = other
	}
	if s.Type != File || !hash {
		return s, nil
	}
	f, info, err := durable.OpenSeen(e, info)
	if err != nil {
		return State{}, err
	}
	defer f.Close()
	s.Mode = info.Mode() & modeBits
	s.identify(info)
	h := sha256.New()
	if s.Size, err = io.Copy(h, f); err != nil {
		return State{}, err
	}
	s.SHA256 = hex.EncodeToString(h.Sum(nil))
	return s, nil
}

// sameContent reports whether a state has the content, or leads to the target, of another
// one.
func (s *State) sameContent(want *State) bool {
	return s.Type == want.Type && s.SHA256 == want.SHA256 && s.Target == want.Target
}

// missing reports whether an error says that a folder on the way is not there, so
// that nothing is where the way leads, gone whether it is that or a link.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrNotFolder)
}

func gone(err error) bool { return missing(err) || errors.Is(err, durable.ErrMoved) }
