package run

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
)

// graceAge is how old a folder must be that never became a run: what a process left
// that died.
const graceAge = 24 * time.Hour

// GCReport says what went of a project's runs, or would go.
type GCReport struct {
	Runs  int   `json:"runs"`
	Bytes int64 `json:"runBytes"`
}

// GC removes the runs of a project that ended longer than age ago, 0 for none of
// them, and what crashed processes left. A run that was interrupted is not at its
// end: it stays until somebody takes it up, and so does one that somebody works on.
// The sessions of its tasks stay as well.
func (r *Runner) GC(ctx context.Context, project string, age time.Duration, dryRun bool) (report GCReport, err error) {
	if info, err := os.Stat(project); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return report, nil // it is gone, or a file has its name now
	}
	p, err := os.OpenRoot(project)
	if err != nil {
		return report, storage("the project cannot be opened", err)
	}
	defer p.Close()
	ids, err := runIDs(p)
	if err != nil {
		return report, err
	}
	now := r.o.Clock()
	var errs []error
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return report, err
		}
		if !removable(r, project, p, id, now, age) {
			continue
		}
		size, err := sizeOf(p, dirRuns+"/"+id)
		if err == nil && !dryRun {
			err = r.remove(project, id)
		}
		if fault.Is(err, fault.RunInProgress) {
			continue
		}
		if errs = append(errs, err); err == nil {
			report.Runs++
			report.Bytes += size
		}
	}
	if err := errors.Join(errs...); err != nil {
		return report, storage("not every run could be removed", err)
	}
	return report, nil
}

// removable reports whether a run's time is over.
func removable(r *Runner, project string, p *os.Root, id string, now time.Time, age time.Duration) bool {
	f, err := openFolder(project, id)
	if fault.Is(err, fault.RunNotFound) {
		info, err := p.Lstat(dirRuns + "/" + id)
		return err == nil && now.Sub(info.ModTime()) > graceAge && !r.live(id)
	}
	if err != nil || age <= 0 {
		return false
	}
	defer f.close()
	record, err := f.read()
	if err != nil || record.EndedAt == nil || now.Sub(*record.EndedAt) <= age {
		return false
	}
	switch record.Status {
	case Success, Failed, Cancelled:
		return !r.live(id)
	case Running, Interrupted:
	}
	return false
}

// remove removes a run under its lock. Its record goes first and its folder last: what is
// left after a crash is no run, and the next GC finds it.
func (r *Runner) remove(project, id string) error {
	l, err := r.state.lock(id)
	if err != nil {
		return err
	}
	p, err := os.OpenRoot(project)
	if err != nil {
		return errors.Join(err, l.Unlock())
	}
	answers, err := r.state.lockAnswers(id)
	if err != nil {
		if errors.Is(err, durable.ErrLocked) {
			err = fault.New(fault.RunInProgress, "somebody answers the run %s just now", id).With("runId", id).WithHint("try it again")
		}
		return errors.Join(err, l.Unlock(), p.Close())
	}
	err = durable.Remove(p, dirRuns+"/"+id+"/"+fileRun)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = r.state.forgetAll(id)
	}
	if err == nil {
		err = durable.RemoveAll(p, dirRuns+"/"+id)
	}
	if err != nil {
		return errors.Join(err, answers.Unlock(), l.Unlock(), p.Close())
	}
	// A process that has just opened a lock sees that its name is gone, and tries again.
	return errors.Join(answers.Remove(), l.Remove(), p.Close())
}

// forgetAll removes what the operator's folder has about a run, but for its locks.
func (s state) forgetAll(id string) error {
	err := errors.Join(s.forget(id), s.forgetClosed(id))
	if e := os.Remove(s.grantPath(id)); e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return err
}

// sizeOf is what a folder's files hold.
func sizeOf(p *os.Root, dir string) (total int64, err error) {
	err = fs.WalkDir(p.FS(), dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}
