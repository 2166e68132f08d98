package cli

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
)

// systemWords replaces the system's own words in a message ("open x: no such file
// or directory") by a sentence, and returns the next step where there is one.
func systemWords(message string, err error) (text, hint string) {
	for _, s := range systemErrors(err) {
		said, step := s.sentence()
		if said == "" || !strings.Contains(message, s.raw) {
			continue
		}
		if message = strings.ReplaceAll(message, s.raw, said); hint == "" {
			hint = step
		}
	}
	return message, hint
}

// systemError is an error of the operating system: how it is written, what it is
// about, and what it says.
type systemError struct {
	raw, about string
	err        error
}

// systemErrors finds all of them in err, the outermost first.
func systemErrors(err error) (all []systemError) {
	switch e := any(err).(type) { // this very error: the walk comes to those within
	case nil:
		return nil
	case *fs.PathError:
		return []systemError{{e.Error(), e.Path, e.Err}}
	case *os.LinkError:
		return []systemError{{e.Error(), e.New, e.Err}}
	case *net.OpError:
		if e.Op == "listen" && e.Addr != nil {
			return []systemError{{e.Error(), e.Addr.String(), e.Err}}
		}
	}
	switch e := any(err).(type) {
	case interface{ Unwrap() error }:
		return systemErrors(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			all = append(all, systemErrors(inner)...)
		}
	}
	return all
}

// sentence is what happened and the next step, "" for what has better words of its
// own.
func (s systemError) sentence() (said, step string) {
	for _, known := range []struct {
		errs []error
		said string
		step string
	}{
		{[]error{fs.ErrNotExist}, "%s does not exist", "check the path"},
		{[]error{fs.ErrExist}, "%s exists already", "choose another name"},
		{[]error{fs.ErrPermission}, "permission is denied for %s", "check who may read and write it: ls -l"},
		{[]error{syscall.ENOSPC, syscall.EDQUOT}, "there is no space left for %s", "free disk space"},
		{[]error{syscall.EROFS}, "the disk of %s cannot be written", "choose a folder on another disk"},
		{[]error{syscall.EISDIR}, "%s is a folder", "name a file"},
		{[]error{syscall.ENOTDIR}, "%s is below something that is not a folder", "check the path"},
		{[]error{syscall.ELOOP}, "the links of %s lead in a circle", "check the path"},
		{[]error{syscall.ENAMETOOLONG}, "the name of %s is too long", "choose a shorter one"},
		{[]error{syscall.EMFILE, syscall.ENFILE}, "too many files are open to open %s", "raise the limit of open files with ulimit -n"},
		{[]error{syscall.EADDRINUSE}, "another program listens on %s", "choose another address"},
		{[]error{syscall.EADDRNOTAVAIL}, "%s is no address of this machine", "choose another address"},
	} {
		for _, e := range known.errs {
			if errors.Is(s.err, e) {
				return strings.Replace(known.said, "%s", s.about, 1), known.step
			}
		}
	}
	return "", ""
}
