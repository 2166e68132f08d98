package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/sync/errgroup"

	"belay/internal/app"
	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/blank"
	"belay/internal/turn"
)

// sources are the places that arguments stand for, in their order: files and addresses. Of
// an argument that stands for none it has the reason.
type sources struct {
	places []string
	// wrong are the arguments among the places that stand for nothing.
	wrong map[int]error
}

// sourcesOf reads the arguments. It fails where none of them stands for anything.
func sourcesOf(ctx context.Context, args []string, limit int) (sources, error) {
	n := sources{wrong: map[int]error{}}
	var errs []error
	for _, arg := range args {
		if blank.Is(arg) {
			return n, usageHint("leave it out, or name a file", "an argument is empty")
		}
		found := []string{arg}
		if !isAddress(arg) {
			var err error
			if found, err = matches(ctx, arg, limit); err != nil {
				n.wrong[len(n.places)] = err
				errs, found = append(errs, err), []string{arg}
			}
		}
		n.places = append(n.places, found...)
	}
	if len(errs) == len(args) {
		return n, errors.Join(errs...)
	}
	return n, nil
}

// files are the places that are paths of files.
func (n sources) files() (paths []string) {
	for i, p := range n.places {
		if n.wrong[i] == nil && !isAddress(p) {
			paths = append(paths, p)
		}
	}
	return paths
}

// inspectAll judges what the arguments name, in their order: the files together, as
// a turn would, and each address by itself.
func inspectAll(ctx context.Context, a *app.App, args []string, model string) ([]turn.Inspection, error) {
	n, err := sourcesOf(ctx, args, a.MatchLimit())
	if err != nil {
		return nil, err
	}
	places, paths := n.places, n.files()
	all := make([]turn.Inspection, len(places))
	group, ctx := errgroup.WithContext(ctx)
	for i, p := range places {
		if isAddress(p) {
			group.Go(func() (err error) {
				all[i], err = a.InspectAddress(ctx, p, model)
				return err
			})
		}
	}
	var files []turn.Inspection
	if len(paths) > 0 {
		group.Go(func() (err error) {
			files, err = a.Engine.Inspect(ctx, turn.InspectRequest{Attachments: paths, Model: model})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, p := range places {
		switch why := n.wrong[i]; {
		case why != nil:
			reason, _ := systemWords(why.Error(), why)
			all[i] = turn.Inspection{Path: p, Code: attachment.NotFound, Reason: reason}
		case !isAddress(p):
			all[i], files = files[0], files[1:]
			notThere(&all[i])
		}
	}
	return all, nil
}

// notThere corrects what was said of a file of this machine that does not exist. The
// engine judges names before files, as its contract says; a person needs to know that
// the file is missing before anything about its extension.
func notThere(i *turn.Inspection) {
	if i.Code != attachment.ExtensionNotAllowed {
		return
	}
	if _, err := os.Lstat(i.Path); errors.Is(err, fs.ErrNotExist) {
		i.Code, i.Reason = attachment.NotFound, "file not found: "+i.Path
	}
}

// isAddress reports whether an argument is an address and no path.
func isAddress(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && !strings.ContainsAny(scheme, `/\.`)
}

// matches are the files that an argument stands for, as absolute paths: itself, or,
// where no file has that name, those that it matches as a pattern, sorted.
func matches(ctx context.Context, arg string, limit int) ([]string, error) {
	paths, err := absolute([]string{arg})
	if err != nil || !strings.ContainsAny(arg, "*?[{") {
		return paths, err
	}
	if _, err := os.Lstat(arg); err == nil {
		return paths, nil
	}
	base, pattern := doublestar.SplitPattern(filepath.ToSlash(paths[0]))
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, failed(ExitNotFound, "look at the folder before the pattern", fmt.Errorf("%s: %w", arg, err))
	}
	defer root.Close()
	found, err := declared.NewFolder(root, limit).Match(ctx, pattern)
	switch {
	case errors.Is(err, declared.ErrTooMany):
		return nil, failed(ExitUsage, "write a narrower pattern, or raise attachments.max_matches with --attachments-max-matches", fmt.Errorf("%s: %w", arg, err))
	case err != nil:
		return nil, failed(ExitUsage, "write another pattern, or name the files one by one", fmt.Errorf("%s: %w", arg, err))
	case len(found) == 0:
		return nil, failed(ExitNotFound, "* matches a part of one name, ** any number of folders", fmt.Errorf("no file matches %s", arg))
	}
	for i, name := range found {
		found[i] = filepath.Join(base, filepath.FromSlash(name))
	}
	return found, nil
}
