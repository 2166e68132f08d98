package changes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/files"
)

// Files settles the files of projects through the journal. It is safe for concurrent
// use.
type Files struct {
	Store   *session.Store
	Journal *journal.Store
	// Gate keeps undo and recovery apart from commands in the same project.
	Gate tool.Gate
	// Audit may be nil.
	Audit  *permit.Audit
	Logger *slog.Logger
	Clock  func() time.Time
}

// whatUndo names transactions of the journal that undo a turn.
const whatUndo = "undo"

// Finish completes or takes back the changes of a project's files that dead
// processes left half done, of whichever session they are. It is cheap where there
// are none.
func (f *Files) Finish(ctx context.Context, projectRoot string, root *os.Root) error {
	if !f.Journal.Left(projectRoot, "") && !f.Journal.Stray(projectRoot) {
		return nil
	}
	pass, err := f.enter(ctx, projectRoot)
	if err != nil {
		return err
	}
	j, err := f.openJournal(ctx, projectRoot, root)
	if err == nil {
		err = j.Close()
	}
	return errors.Join(err, pass.Leave())
}

// openJournal opens a project's journal. What that settles goes to the log.
func (f *Files) openJournal(ctx context.Context, projectRoot string, root *os.Root) (*journal.Project, error) {
	j, err := files.OpenJournal(ctx, f.Journal, projectRoot, root)
	if refusal, ok := tool.AsRefusal(err); ok {
		return nil, fault.New(fault.Overloaded, "%s", refusal.Reason).WithHint("try it again").Because(err)
	}
	if err != nil {
		return nil, err
	}
	for _, s := range j.Settled {
		f.Logger.Warn("files of a project were left half changed", "project", projectRoot, "session", s.Owner.Session, "turn", s.Owner.Turn, "now", Notice(s))
	}
	return j, nil
}

// Notice is what a person learns of a change that was settled for a dead process.
func Notice(s journal.Settled) string {
	what := "a change"
	switch {
	case s.Owner.What == whatUndo:
		what = "the undo of turn " + s.Owner.Turn
	case s.Owner.What != "":
		what = "a call of " + s.Owner.What
	}
	text := what + " was cut off by a crash. "
	if s.Result == journal.Completed {
		return text + "It is complete now."
	}
	text += "It was taken back, so that no file is changed by it"
	var why []string
	for _, c := range s.Conflicts {
		reason := fmt.Sprintf("%s %s", c.Path, c.Reason)
		if c.Kept != "" {
			reason += fmt.Sprintf(" (the other content is in %s)", c.Kept)
		}
		why = append(why, reason)
	}
	if len(why) > 0 {
		text += ": " + fault.List(why)
	}
	return text + "."
}

// FinishProject is [Files.Finish] of a project that may be gone.
func (f *Files) FinishProject(ctx context.Context, projectRoot string) error {
	root, err := os.OpenRoot(projectRoot)
	if errors.Is(err, fs.ErrNotExist) || projectRoot == "" {
		return nil
	} else if err != nil {
		return err
	}
	return errors.Join(f.Finish(ctx, projectRoot, root), root.Close())
}

// Sweep settles what is half done in a project, and removes what the journal
// kept there because of conflicts longer ago than age; 0 keeps it.
func (f *Files) Sweep(ctx context.Context, projectRoot string, age time.Duration) error {
	root, err := os.OpenRoot(projectRoot)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // it holds nothing but a place
	if _, err := root.Lstat(".belay/journal"); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	pass, err := f.enter(ctx, projectRoot)
	if err != nil {
		return err
	}
	j, err := f.openJournal(ctx, projectRoot, root)
	if err == nil {
		err = errors.Join(j.Sweep(age), j.Close())
	}
	return errors.Join(err, pass.Leave())
}

// Left reports whether something of a session's project is half done, or was
// settled for the session and is not on its record, or whether a call was about to
// change a file and has no result. A power cut may have taken the note by which
// [session.Store.Died] knows a dead process.
func (f *Files) Left(ctx context.Context, id string) bool {
	rec, err := f.Store.Get(ctx, id)
	if err != nil {
		return false
	}
	if rec.ProjectRoot != "" && f.Journal.Left(rec.ProjectRoot, id) {
		return true
	}
	entries, err := f.Store.Entries(ctx, id)
	return err == nil && len(openIntents(entries, session.LastStep(entries).Turn)) > 0
}

// enter enters the project to change files of it.
func (f *Files) enter(ctx context.Context, projectRoot string) (tool.Pass, error) {
	pass, err := f.Gate.Enter(ctx, projectRoot)
	if refusal, ok := tool.AsRefusal(err); ok {
		return nil, fault.New(fault.Overloaded, "%s", refusal.Reason).WithHint("undo again").Because(err)
	}
	return pass, err
}
