package workspace

import (
	"errors"
	"io/fs"
	"os"

	"belay/internal/durable"
)

// MakeBelay makes belay's own folder in a project, where it is not there yet. Git
// ignores it by its own rule.
func MakeBelay(project *os.Root) error {
	if err := durable.MkdirAll(project, nameBelay, 0o700); err != nil {
		return err
	}
	const ignore = nameBelay + "/.gitignore"
	if _, err := project.Lstat(ignore); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.WriteFile(project, ignore, []byte("*\n"), 0o600, durable.Ignore)
}
