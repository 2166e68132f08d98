package overlay

import (
	"fmt"

	"belay/internal/journal"
)

// TooManyError says that a command changed more than can be reviewed.
type TooManyError struct{}

// Error implements error.
func (*TooManyError) Error() string {
	return fmt.Sprintf("the command changed more than %d files and folders that git does not ignore, or ones with too long names", MaxChanges)
}

// TooLargeError says that the files of a command hold more bytes than may be applied. The
// room that they take does not tell: a file with holes takes next to none.
type TooLargeError struct {
	// Most is how many bytes the files may hold together.
	Most int64
}

// Error implements error.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the files that the command wrote hold more than %d bytes", e.Most)
}

// TooManyIgnoredError says that a new folder which git ignores has more than can be applied.
type TooManyIgnoredError struct{ Path string }

// Error implements error.
func (e *TooManyIgnoredError) Error() string {
	return fmt.Sprintf("%s has more than %d files and folders, or folders nested too deeply", e.Path, journal.MaxTree)
}
