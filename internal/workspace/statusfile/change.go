package statusfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/repository"
)

// Writer makes transitions in the files of projects. It is safe for concurrent
// use, by any number of processes with the same Locks.
type Writer struct {
	// Locks is a folder of the operator's, for the locks of deliverables.
	Locks string
	// Bytes caps the file, [DefaultBytes] when 0.
	Bytes int64
	// Clock gives the time, time.Now when nil.
	Clock  func() time.Time
	Record changeset.Recorder[Record]
	Gate   workspace.Gate
}

// Record is a transition for the audit log.
type Record struct {
	Project string
	// Path is the file, relative to the project, with slashes.
	Path     string
	From, To lifecycle.State
	Actor    string
	By       Asker
	Note     string
	// Approval is the commit as it was given; Commit its full id, "" where the
	// project is in no repository.
	Approval, Commit string
	// Before and After are the SHA-256 of the file's content.
	Before, After string
}

// Asker is who asks for a transition, by what the surface knows of them, for the
// record.
type Asker struct {
	// Name is a person's, "" where an agent asks.
	Name string
	// Agent, Session and Turn are where an agent asks.
	Agent, Session, Turn string
}

// Change asks for a transition of a deliverable's file.
type Change struct {
	lifecycle.Request
	By Asker
	// Match refuses the change with CONTENT_CHANGED unless it accepts the hash of the file's
	// content; nil accepts any.
	Match func(hash string) bool
}

// Limits of waiting.
const (
	lockTime   = 30 * time.Second
	commitTime = 10 * time.Second
)

// Change makes a transition of a deliverable, and returns the file as it is then.
// The file is replaced as a whole: a reader, or a crash at any moment, finds the
// old one or the new one, and the new one is on disk when Change returns. It is
// refused as [Read] and [lifecycle.Transition] refuse, and with
//
//   - TRANSITION_NOT_ALLOWED for a copy ([workspace.Deliverable.NotWorkedOn]);
//   - CONTENT_CHANGED where the content is not what the caller decided by, or
//     where somebody changed it while the transition was made;
//   - INVALID_APPROVAL_SHA where the project is in a git repository that has no
//     such commit;
//   - OVERLOADED where another change of the deliverable takes too long.
func (w *Writer) Change(ctx context.Context, d workspace.Deliverable, c Change) (*Snapshot, lifecycle.Result, error) {
	if err := isWorked(d); err != nil {
		return nil, lifecycle.Result{}, err
	}
	if c.Now.IsZero() {
		c.Now = w.now()
	}
	unlock, err := changeset.Lock(ctx, w.Locks, changeset.Deliverable, d.Path, lockTime)
	if err != nil {
		return nil, lifecycle.Result{}, err
	}
	defer unlock()
	folder, err := d.Open()
	if err != nil {
		return nil, lifecycle.Result{}, err
	}
	defer folder.Close()
	return w.change(ctx, folder, d, c)
}

// isWorked refuses a folder that is a copy.
func isWorked(d workspace.Deliverable) error {
	why := d.NotWorkedOn()
	if why == "" {
		return nil
	}
	return fault.New(fault.TransitionNotAllowed, "the deliverable %s", why).
		With("deliverablePath", d.Path).WithHint("make the transition in the deliverable's folder in %s", layout.Working)
}

func (w *Writer) now() time.Time {
	if w.Clock == nil {
		return time.Now()
	}
	return w.Clock()
}

// change does the work; the lock is held.
func (w *Writer) change(ctx context.Context, folder *os.Root, d workspace.Deliverable, c Change) (*Snapshot, lifecycle.Result, error) {
	s, err := read(folder, d, w.Bytes)
	if err != nil {
		return nil, lifecycle.Result{}, err
	}
	if c.Match != nil && !c.Match(s.Hash) {
		return nil, lifecycle.Result{}, s.changed("_STATUS.md is not the file that the transition is for")
	}
	done, err := lifecycle.Transition(s.data, c.Request)
	if err != nil {
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Type == fault.InvalidStatusFormat {
			err = s.about(f)
		}
		return nil, lifecycle.Result{}, err
	}
	commit, err := approved(ctx, d, done)
	if err != nil {
		return nil, lifecycle.Result{}, err
	}
	record := Record{
		Project: d.Project, Path: path.Join(d.Rel, layout.StatusFile), From: done.From, To: done.To, Actor: done.Actor, By: c.By,
		Note: strings.TrimSpace(c.Request.Note), Approval: done.Approval, Commit: commit, Before: s.Hash, After: changeset.Hash(done.Data),
	}
	err = w.Record.Make(ctx, "transition", record, func() error { return w.write(ctx, folder, s, done.Data) })
	if err != nil {
		return nil, lifecycle.Result{}, err
	}
	s.set(done.Data)
	return s, done, nil
}

func (s *Snapshot) changed(why string) error {
	return s.about(fault.New(fault.ContentChanged, "%s", why).
		With("paths", []string{path.Join(s.Deliverable.Rel, layout.StatusFile)}).With("sha256", s.Hash))
}

// approved returns the commit that an approval names, "" where the project is in no
// repository or the transition needs no approval.
func approved(ctx context.Context, d workspace.Deliverable, done lifecycle.Result) (string, error) {
	if done.Approval == "" {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, commitTime)
	defer cancel()
	r, err := repository.Find(d.Project)
	if r == nil && err == nil {
		return "", nil
	}
	commit := ""
	if err == nil {
		commit, err = r.Commit(ctx, done.Approval)
	}
	var why string
	switch {
	case err == nil:
		return commit, nil
	case errors.Is(err, repository.ErrNoCommit):
		why = "the project's repository has no commit " + done.Approval
	case errors.Is(err, repository.ErrAmbiguous):
		why = "more than one commit's id begins with " + done.Approval
	case errors.Is(err, repository.ErrNotCommit):
		why = fmt.Sprintf("%s is no commit", done.Approval)
	default:
		return "", fault.New(fault.WorkspaceFailure, "belay cannot tell whether the approved commit exists: the project's repository cannot be read").
			WithHint("check the repository with git fsck").Because(err)
	}
	return "", fault.New(fault.InvalidApprovalSHA, "%s", why).With("from", done.From).With("to", done.To).Because(err)
}
