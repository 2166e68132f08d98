package files

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
)

// OpenJournal opens the journal of a project that the caller has entered with
// pass. Commands that run in the project are told of the changes that this settles.
func OpenJournal(ctx context.Context, store *journal.Store, project string, root *os.Root, pass tool.Pass) (*journal.Project, error) {
	j, err := store.Open(ctx, project, root, func(changes []journal.Change, back bool) error {
		var all []session.Change
		for _, c := range changes {
			all = append(all, told(c, back)...)
		}
		return pass.Tell(all...)
	})
	newer := (*journal.NewerError)(nil)
	switch {
	case err == nil, ctx.Err() != nil:
		return j, err
	case errors.Is(err, journal.ErrBusy):
		return nil, tool.Refuse("another session changes files of the project, which takes too long").WithHint("try it again").Because(err)
	case errors.As(err, &newer):
		return nil, fault.New(fault.StorageFailure, "a newer belay began to change files of this project and did not finish: %s", newer.File).
			WithHint("run that belay once in the project").Because(err)
	}
	return nil, fault.New(fault.StorageFailure, "an earlier change of the project's files could not be finished").
		WithHint("see belay doctor; free disk space, check the permissions of the project and of the state folder, and try again").Because(err)
}

// told is a change of the journal as the watch over a command is told of it: what
// stands at its paths afterwards.
func told(c journal.Change, back bool) []session.Change {
	before, after := c.Before, c.After
	if back {
		before, after = after, before
	}
	change := session.Change{Path: string(c.Path)}
	change.Before, change.BeforeMode, change.BeforeBytes = recorded(before)
	change.After, change.AfterMode, change.AfterBytes = recorded(after)
	if c.Op != journal.Rename {
		return []session.Change{change}
	}
	there := session.Change{Path: string(c.To), After: change.After, AfterMode: change.AfterMode, AfterBytes: change.AfterBytes}
	gone := session.Change{Path: string(c.Path), Before: change.Before, BeforeMode: change.BeforeMode, BeforeBytes: change.BeforeBytes}
	if back {
		there.Path, gone.Path = gone.Path, there.Path
	}
	return []session.Change{gone, there}
}

// Recorded are the changes of files of a transaction, as a session has them on
// record.
func Recorded(changes []journal.Change) (all []session.Change) {
	folders := 0
	for _, c := range changes {
		if c.Op == journal.Mkdir {
			folders++
			continue
		}
		if c.Before.Type == journal.Folder || c.After.Type == journal.Folder {
			continue
		}
		change := told(c, false)[0]
		change.Folders, folders = folders, 0
		all = append(all, change)
	}
	return all
}

// recorded is a state as a session's record has it.
func recorded(s journal.State) (sha string, mode fs.FileMode, size int64) {
	switch s.Type {
	case journal.File:
		return s.SHA256, s.Mode.Perm(), s.Size
	case journal.Link:
		return digest([]byte(s.Target)), fs.ModeSymlink | 0o777, int64(len(s.Target))
	case journal.Folder:
		return "", fs.ModeDir | s.Mode.Perm(), 0
	}
	return "", 0, 0
}
