package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"belay/internal/app"
)

func newSessionExport(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "export SESSION FILE | -",
		Short: "Write a session with its attachments to a .tar.gz",
		Long: `Write a session, with every attachment that it refers to, to one .tar.gz; "-" writes
to stdout. An existing file is not overwritten.`,
		Example: "  belay session export sess_2f4c8e0a talk.tar.gz\n  belay session export sess_2f4c8e0a - | ssh host 'cat > talk.tar.gz'",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.inSession(cmd, args[0], func(ctx context.Context, a *app.App, id string) error {
				write := func(w io.Writer) error { return a.Store.Export(ctx, id, w) }
				if args[1] == "-" {
					if c.outTerminal {
						return usage("an archive is not for a terminal; name a file or redirect stdout")
					}
					return write(c.out)
				}
				if err := writeNew(args[1], write); err != nil {
					return err
				}
				c.note("exported", args[1])
				return nil
			})
		},
	}
}

// writeNew makes a file that was not there, whole or not at all.
func writeNew(path string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return failed(ExitUsage, "choose another name or remove it", fmt.Errorf("%s exists", path))
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".belay-export-*")
	if err != nil {
		return failed(ExitUsage, "choose a folder that exists and is writable", err)
	}
	defer func() {
		if rerr := os.Remove(f.Name()); rerr != nil && !errors.Is(rerr, os.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}()
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, never replaces a file that came to be meanwhile.
	if err := os.Link(f.Name(), path); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}
