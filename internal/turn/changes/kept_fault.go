package changes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/tool"
	"belay/internal/tool/shell"
	"belay/internal/tool/shell/kept"
)

func noKept(id string) *fault.Error {
	return fault.New(fault.NotFound, "the project has no kept changes %q", fault.Clip(id)).With("id", fault.Clip(id)).
		WithHint("see those that it has with belay changes list, and what became of others with belay audit list")
}

// notTaken is the fault of a kept change that cannot be taken up.
func notTaken(id string, err error) error {
	var newer *durable.NewerError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noKept(id)
	case errors.Is(err, kept.ErrBusy):
		return fault.New(fault.TurnInProgress, "a turn or somebody else is at work on the changes %s", id).With("id", id).
			WithHint("see whether a turn asks about them with belay decision list, and try it again")
	case errors.As(err, &newer):
		return fault.New(fault.StorageFailure, "%v", newer).With("id", id).WithHint(durable.NewerHint)
	}
	return fault.New(fault.ContentChanged, "the changes %s: %s", id, unreadable(err)).With("id", id).
		WithHint("drop them with belay changes drop %s", id).Because(err)
}

// unreadable says why the record of a kept change cannot be used.
func unreadable(err error) string {
	if newer := (*durable.NewerError)(nil); errors.As(err, &newer) {
		return newer.Error()
	}
	return "their record is damaged, so they can only be dropped"
}

func isDamaged(err *journal.ContentError) string {
	return fmt.Sprintf("what the command made of %s is damaged", err.Path)
}

// notKept is the fault of changes that cannot be looked at.
func notKept(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.New(fault.StorageFailure, "the kept changes cannot be read").WithStatus(500).Because(err)
}

// keptError is the fault of kept changes that could not be applied.
func keptError(id string, err error) error {
	var conflict *journal.ConflictError
	var damaged *journal.ContentError
	var never *shell.NotAdmittedError
	var runs *shell.RunsByItselfError
	switch refusal, refused := tool.AsRefusal(err); {
	case errors.As(err, &conflict):
		var paths []string
		for _, c := range conflict.Conflicts {
			paths = append(paths, string(c.Path))
		}
		return fault.New(fault.ContentChanged, "changed by something else since the command began, so nothing was applied: %s", fault.List(paths)).
			With("id", id).With("paths", paths).
			WithHint("look at them with belay changes show %s; keep other files with --only, or drop the changes", id)
	case errors.As(err, &damaged):
		return fault.New(fault.ContentChanged, "%s", isDamaged(damaged)).With("id", id).With("paths", []string{string(damaged.Path)}).
			WithHint("keep other files with --only, or drop the changes with belay changes drop %s", id)
	case errors.As(err, &never):
		return fault.New(fault.Forbidden, "nothing was applied: %v", never).With("id", id).With("reason", never.Reason).With("paths", []string{string(never.Path)}).
			WithHint("keep other files with --only, or drop the changes with belay changes drop %s", id)
	case errors.As(err, &runs):
		return fault.New(fault.InvalidRequest, "nothing was applied: %v", runs).With("id", id).With("field", "runsByItself").With("files", runs.Files).
			WithHint("look at them with belay changes show %s; if they are meant, keep with --runs-by-itself (runsByItself over HTTP), else keep other files with --only", id)
	case errors.Is(err, shell.ErrUnknownPath):
		return fault.New(fault.InvalidRequest, "only: %v", err).With("field", "only").
			WithHint("name files as belay changes show %s does, or folders of them", id)
	case refused:
		return fault.New(fault.Overloaded, "%s", refusal.Reason).WithHint("try it again").Because(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		return err
	}
	return fault.New(fault.StorageFailure, "the changes could not be applied").Because(err).
		WithHint("free disk space, check the files' permissions, and try it again")
}
