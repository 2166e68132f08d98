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

// OpenJournal opens the journal of a project that the caller has entered.
func OpenJournal(ctx context.Context, store *journal.Store, project string, root *os.Root) (*journal.Project, error) {
	j, err := store.Open(ctx, project, root)
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
		change := session.Change{Path: string(c.Path), Folders: folders}
		change.Before, change.BeforeMode, change.BeforeBytes = recorded(c.Before)
		change.After, change.AfterMode, change.AfterBytes = recorded(c.After)
		all, folders = append(all, change), 0
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
