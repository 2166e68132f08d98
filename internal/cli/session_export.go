package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/durable"
)

func newSessionExport(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export SESSION FILE | -",
		Short: "Write a session with its attachments to a .tar.gz",
		Long: `Write a session, with every attachment that it refers to, to one .tar.gz; "-" writes
to stdout. An existing file is not overwritten.`,
		Example: "  belay session export sess_2f4c8e0a talk.tar.gz\n  belay session export sess_2f4c8e0a - | ssh host 'cat > talk.tar.gz'",
		Args:    cobra.ExactArgs(2),
		RunE: sessionCommand(c, func(ctx context.Context, a *app.App, id string, args []string) error {
			write := func(w io.Writer) error {
				leftOut, err := a.Store.Archive.Export(ctx, id, w)
				for _, sha := range leftOut {
					c.warn("the attachment " + sha + " is gone or damaged on disk, and left out")
				}
				return err
			}
			switch args[1] {
			case "":
				return usageHint("name a file, or - for stdout", "the name of the file is empty")
			case "-":
				if c.json {
					return usageHint("name a file", "stdout cannot have both the archive and --json")
				}
				if c.outTerminal {
					return usage("an archive is not for a terminal; name a file or redirect stdout")
				}
				return write(c.out)
			}
			if err := writeNew(args[1], write); err != nil {
				return err
			}
			return reportDone(c, onSession{SessionID: id, Done: "exported", File: args[1]}, "exported", args[1])
		}),
	}
	jsonFlag(c, cmd)
	return cmd
}

// writeNew makes a file that was not there, whole or not at all.
func writeNew(path string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return exists(path)
	}
	temp, err := durable.TempFile(filepath.Dir(path), ".belay-export-")
	if err != nil {
		return noRoom(filepath.Dir(path), err)
	}
	defer func() { err = errors.Join(err, temp.Close()) }()
	f, err := os.OpenFile(temp.Path, os.O_WRONLY, 0)
	if err != nil {
		return noRoom(filepath.Dir(path), err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, never replaces a file that came to be meanwhile.
	err = os.Link(temp.Path, path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return exists(path)
	case err != nil: // a file system without links
		err = os.Rename(temp.Path, path)
	}
	if err != nil {
		return noRoom(filepath.Dir(path), err)
	}
	return nil
}

func exists(path string) error {
	return failed(ExitUsage, "choose another name or remove it", fmt.Errorf("%s exists", path))
}

// noRoom says why no file can be made in a folder.
func noRoom(dir string, err error) error {
	_, gone := os.Stat(dir) // /proc and its like take no file either
	switch {
	case errors.Is(err, fs.ErrNotExist) && gone != nil:
		return failed(ExitNotFound, "make the folder first, or choose another", fmt.Errorf("there is no folder %s", dir))
	case errors.Is(err, fs.ErrPermission):
		return failed(ExitUsage, "choose a folder that you may write to", fmt.Errorf("no file can be made in %s: permission denied", dir))
	}
	return failed(ExitFailed, "choose another folder", fmt.Errorf("no file can be made in %s: %w", dir, err))
}
