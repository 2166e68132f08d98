package files

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"belay/internal/durable"
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

// changesOf is one change of the journal as a session has it on record: what is at
// its paths afterwards.
func changesOf(c journal.Change) []session.Change {
	change := session.Change{Path: string(c.Path)}
	change.Before, change.BeforeMode, change.BeforeBytes = recorded(c.Before)
	change.After, change.AfterMode, change.AfterBytes = recorded(c.After)
	if c.Op != journal.Rename {
		return []session.Change{change}
	}
	there := session.Change{Path: string(c.To), After: change.After, AfterMode: change.AfterMode, AfterBytes: change.AfterBytes}
	gone := session.Change{Path: string(c.Path), Before: change.Before, BeforeMode: change.BeforeMode, BeforeBytes: change.BeforeBytes}
	return []session.Change{gone, there}
}

// Recorded are changes of a project as a session has them on record: of files, each with
// the number of folders that were made around it; of folders that were made and are
// empty, that were removed, or whose permissions changed. What is in a .git folder is
// Git's to tell and to take back.
func Recorded(changes []journal.Change) (all []session.Change) {
	filled := map[string]bool{} // the folders that are made, and whether anything is in them
	for _, c := range changes {
		if c.After.Type == journal.None {
			continue
		}
		if _, made := filled[path.Dir(string(c.Path))]; made {
			filled[path.Dir(string(c.Path))] = true
		}
		if c.Op == journal.Mkdir {
			filled[string(c.Path)] = false
		}
	}
	for _, c := range changes {
		if inGit(string(c.Path)) || c.Op == journal.Mkdir && filled[string(c.Path)] {
			continue
		}
		for _, change := range changesOf(c) {
			for dir := path.Dir(change.Path); c.After.Type != journal.None; dir = path.Dir(dir) {
				if _, made := filled[dir]; !made {
					break
				}
				change.Folders++
			}
			all = append(all, change)
		}
	}
	return all
}

// inGit reports whether a path is in a folder called .git.
func inGit(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}

// recorded is a state as a session's record has it.
func recorded(s journal.State) (sha string, mode fs.FileMode, size int64) {
	switch s.Type {
	case journal.File:
		return s.SHA256, s.Mode.Perm(), s.Size
	case journal.Link:
		return tool.Digest([]byte(s.Target)), fs.ModeSymlink | 0o777, int64(len(s.Target))
	case journal.Folder:
		return "", fs.ModeDir | s.Mode.Perm(), 0
	}
	return "", 0, 0
}

// Unsettled is the error of a transaction that failed, where some of the files are not as they
// were. It is nil for any other error.
func Unsettled(err error) error {
	if !errors.Is(err, journal.ErrUnsettled) {
		return nil
	}
	return fault.New(fault.StorageFailure, "the files could not be changed, and some of them could not be put back; the next command on the project puts them back or finishes the change").
		WithHint("free disk space, check the permissions of the project and of the state folder, then look with belay project validate").Because(err)
}

// Transact makes the changes of a call in the project of w, all or none. The caller
// has entered the project and opened its journal. Noted are the same changes as the
// session has them on record: they are announced, durably, before anything is done, so
// that a crash leaves a trace, and get the permissions that the files have afterwards. A
// [*journal.ConflictError] says that somebody else was faster.
func Transact(ctx context.Context, w *tool.Environment, j *journal.Project, plan journal.Plan, noted []session.Change) error {
	return TransactThen(ctx, w, j, plan, noted, func() error { return nil })
}

// TransactThen is Transact with something that must follow it. Should that fail, or
// the process die first, the transaction is settled by anyone who opens the journal next.
func TransactThen(ctx context.Context, w *tool.Environment, j *journal.Project, plan journal.Plan, noted []session.Change, then func() error) error {
	tx, err := j.Begin(plan)
	if err != nil {
		return err
	}
	err = durable.Together(tx.Prepare, func() error { return w.Ledger.Intend(ctx, noted...) })
	if err != nil {
		return errors.Join(err, tx.Drop())
	}
	if err := tx.Apply(ctx); err != nil {
		return cmp.Or(Unsettled(err), err)
	}
	modes := map[journal.Name]journal.State{}
	for _, c := range tx.Changes() {
		modes[c.Path] = c.After
	}
	for i := range noted {
		if after := modes[journal.Name(noted[i].Path)]; after.Type == journal.File {
			noted[i].AfterMode = after.Mode.Perm()
		}
	}
	if err := then(); err != nil {
		return errors.Join(err, tx.Leave())
	}
	tx.Done()
	return nil
}
