package run

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/workflow/definition"
	"belay/internal/workspace"
)

// List returns the newest runs of a project, the newest first, and how many older
// ones there are beyond most; a most of 0 is all. What is not returned is not read.
func (r *Runner) List(ctx context.Context, project string, most int) (_ []Summary, more int, _ error) {
	p, err := workspace.OpenProject(project)
	if err != nil {
		return nil, 0, err
	}
	defer p.Close()
	ids, err := runIDs(p)
	if err != nil {
		return nil, 0, err
	}
	if most > 0 && len(ids) > most {
		ids, more = ids[:most], len(ids)-most
	}
	waits, err := r.Waits(ctx, "")
	if err != nil {
		return nil, 0, err
	}
	all := []Summary{}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		record, err := readHead(project, id)
		if fault.Is(err, fault.RunNotFound) {
			continue // one that did not begin, or that is being removed
		}
		if fault.Is(err, fault.WorkingRootInaccessible) || fault.IsShortage(err) {
			return nil, 0, err
		}
		if err != nil {
			record.Summary = Summary{ID: id, Project: project, Status: Failed, Error: failureOf(err)}
		}
		s := r.now(record.Summary, project)
		for _, w := range waits {
			if w.RunID == id {
				s.Waits = append(s.Waits, w)
			}
		}
		all = append(all, s)
	}
	return all, more, nil
}

// readHead reads what a list shows of the record of a run.
func readHead(project, id string) (Record, error) {
	f, err := openFolder(project, id)
	if err != nil {
		return Record{}, err
	}
	defer f.close()
	return f.head()
}

// readRecord reads the record of a run, without its tasks.
func readRecord(project, id string) (Record, error) {
	f, err := openFolder(project, id)
	if err != nil {
		return Record{}, err
	}
	defer f.close()
	return f.read()
}

// runIDs are the names of the runs' folders, the newest first.
func runIDs(p *os.Root) ([]string, error) {
	d, err := p.Open(dirRuns)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, storage("the runs cannot be listed", err)
	}
	names, err := d.Readdirnames(-1)
	if err := errors.Join(err, d.Close()); err != nil {
		return nil, storage("the runs cannot be listed", err)
	}
	ids := slices.DeleteFunc(names, func(name string) bool { return !idPattern.MatchString(name) })
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(b, a) })
	return ids, nil
}

// now is a summary as things stand: a run on which nobody works any more was
// interrupted.
func (r *Runner) now(s Summary, project string) Summary {
	s.Project = project
	s.Live = r.live(s.ID)
	lost := r.lostBy(s.ID)
	if s.Status == Running && (!s.Live || lost != nil) {
		s.Status, s.Error, s.Live = Interrupted, lost, false
	}
	if x := r.running(s.ID); x != nil {
		s.Usage = x.records.summary().Usage
	}
	return s
}

// Show returns all of a run.
func (r *Runner) Show(ctx context.Context, project, id string) (Record, error) {
	if err := ctx.Err(); err != nil {
		return Record{}, err
	}
	f, err := openFolder(project, id)
	if err != nil {
		return Record{}, err
	}
	defer f.close()
	record, err := f.read()
	if err != nil {
		return record, err
	}
	if record.Tasks, err = f.tasks(); err != nil {
		return record, err
	}
	if record.Waits, err = r.Waits(ctx, id); err != nil {
		return record, err
	}
	if record.EndedAt == nil { // its record has what it used when it was taken up last
		record.Usage, record.Calls = spent(record.Tasks)
	}
	record.Summary = r.now(record.Summary, project)
	for i := range record.Tasks {
		t := &record.Tasks[i]
		if t.Status == Running && !record.Live {
			t.Status = Interrupted
		}
		if t.Kind == definition.Wait && !t.ended() && t.Decided == nil { // answered, and not taken up
			if t.Decided, err = r.state.answerTo(Waiting{RunID: id, Task: t.Key, DecisionID: decisionOf(id, t.Key, t.Prompt)}); err != nil {
				return record, err
			}
		}
	}
	return record, nil
}

// spent is what the tasks of a run used, and their calls that were not permitted.
func spent(tasks []Task) (usage *event.Tokens, calls *event.Calls) {
	for i := range tasks {
		usage, calls = sum(usage, tasks[i].Usage), calls.Plus(tasks[i].Calls)
	}
	return usage, calls
}

// removeRun removes a run's folder.
func removeRun(project, id string) error {
	p, err := os.OpenRoot(project)
	if err != nil {
		return err
	}
	defer p.Close()
	return durable.RemoveAll(p, dirRuns+"/"+id)
}

// Touched is when a run of a project began or was removed last, the zero time where there
// is none.
func Touched(project string) time.Time {
	info, err := os.Lstat(filepath.Join(project, filepath.FromSlash(dirRuns)))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
