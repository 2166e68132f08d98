package fault

import (
	"errors"
	"syscall"
)

// shortage is an error of the system that a person can do something about, whichever
// file it was about.
type shortage struct {
	err           error
	message, hint string
}

var shortages = []shortage{
	{syscall.ENOSPC, "there is no space left on the disk", "free disk space and try again"},
	{syscall.EDQUOT, "there is no space left on the disk for this user", "free disk space and try again"},
	{syscall.EROFS, "the disk cannot be written", "make it writable and try again"},
	{syscall.EMFILE, "too many files are open", "try again; if that does not help, raise the limit of open files"},
	{syscall.ENFILE, "too many files are open on this machine", "try again when fewer are"},
}

func shortageIn(err error) *shortage {
	for i := range shortages {
		if errors.Is(err, shortages[i].err) {
			return &shortages[i]
		}
	}
	return nil
}

// IsShortage reports whether the machine lacks what err needs, such as space: the
// same may work later, and nothing is wrong with the file.
func IsShortage(err error) bool { return shortageIn(err) != nil }
