package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
)

// Waiting is a wait task that waits: for a person, where it has a message, or for a time.
type Waiting struct {
	// DecisionID names the question among all that wait for a person, those of tool calls
	// included. It follows from the run, the task and the message: a task that asks something
	// else asks another question.
	DecisionID string `json:"decisionId"`

	RunID    string     `json:"runId"`
	Project  string     `json:"projectRoot"`
	Workflow string     `json:"workflow"`
	Task     string     `json:"task"`
	Message  string     `json:"message,omitempty"`
	Since    time.Time  `json:"since"`
	Until    *time.Time `json:"until,omitempty"`
	// Answer is set where [Runner.Answer] returns it.
	Answer *Answer `json:"-"`
}

// maxWaitFile caps a file about a wait, in bytes.
const maxWaitFile = 2 << 20

// maxWaitMessage caps what a person is asked, in bytes. Each may take six in a record.
const maxWaitMessage = 256 << 10

const (
	waitSuffix      = ".wait"
	answerSuffix    = ".answer"
	answeringSuffix = ".answering"
)

// waitName is the name of the files about a wait task, without their suffix.
func waitName(id, key string) string {
	sum := sha256.Sum256([]byte(key))
	return id + "." + hex.EncodeToString(sum[:8])
}

func decisionOf(id, key, message string) string {
	sum := sha256.Sum256([]byte(id + "\n" + key + "\n" + message))
	return "dec_" + hex.EncodeToString(sum[:12])
}

// beginWait records that a task waits, so that a server takes its run up after a restart.
func (s state) beginWait(w Waiting) error {
	return s.writeState(waitName(w.RunID, w.Task)+waitSuffix, w, durable.RunWait)
}

func (s state) writeState(name string, v any, kind *durable.File) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	state, err := os.OpenRoot(s.dir)
	if err != nil {
		return storage("the state folder cannot be opened", err)
	}
	defer state.Close()
	if err := durable.WriteFile(state, name, data, 0o600, kind); err != nil {
		return storage("what the run waits for cannot be recorded", err)
	}
	return nil
}

// endWait removes what was written about a wait.
func (s state) endWait(id, key string) error {
	for _, suffix := range []string{waitSuffix, answerSuffix} {
		if err := os.Remove(filepath.Join(s.dir, waitName(id, key)+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return storage("the state folder cannot be written", err)
		}
	}
	return nil
}

// forgetOver removes what was written about the waits of a run that is over and whose
// process died before it had done that, and all about one that its project has no more.
// Somebody may be taking the run up.
func (s state) forgetOver(project, id string) error {
	l, err := s.lock(id)
	if fault.Is(err, fault.RunInProgress) {
		return nil
	}
	if err != nil {
		return err
	}
	record, err := readRecord(project, id)
	switch {
	case isGone(project, err):
		return errors.Join(s.forgetAll(id), l.Remove())
	case err == nil && record.isOver():
		err = s.forget(id)
	}
	return errors.Join(err, l.Unlock())
}

// isGone reports whether a project has a run no more, by the error of reading it. Where the
// project has no folder of runs at all, its disk may not be mounted.
func isGone(project string, err error) bool {
	if !fault.Is(err, fault.RunNotFound) {
		return false
	}
	_, err = os.Lstat(filepath.Join(project, filepath.FromSlash(dirRuns)))
	return err == nil
}

// forget removes what was written about all waits of a run.
func (s state) forget(id string) (err error) {
	for _, name := range s.stateFiles(id + ".*") {
		if ext := filepath.Ext(name); ext == waitSuffix || ext == answerSuffix {
			if e := os.Remove(name); e != nil && !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}

// waitPath is the path of the files about a wait task, without their suffix.
func waitPath(s state, w Waiting) string { return filepath.Join(s.dir, waitName(w.RunID, w.Task)) }

// waiting reads a file about a task that waits. The error is [fs.ErrNotExist] where it does
// no more, or where the file says nothing.
func (s state) waiting(path string) (w Waiting, err error) {
	data, _, err := durable.ReadFile(nil, path, maxWaitFile)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, durable.ErrTooLarge): // it has ended, or belay did not write it
		return w, fs.ErrNotExist
	case err != nil:
		return w, storage("what a run waits for cannot be read", err)
	case json.Unmarshal(data, &w) != nil: // a power cut took it: it is made again when the run is taken up
		return w, fs.ErrNotExist
	}
	w.DecisionID = decisionOf(w.RunID, w.Task, w.Message)
	return w, nil
}

// answerTo is the answer to the question of a wait task, nil where there is none. An answer
// that does not say to which question it was given is none.
func (s state) answerTo(w Waiting) (*Answer, error) {
	var a Answer
	path := waitPath(s, w) + answerSuffix
	data, _, err := durable.ReadFile(nil, path, maxWaitFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, storage("the answer cannot be read", err)
	}
	if json.Unmarshal(data, &a) != nil { // it is none, and is not to hide the question
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, storage("the state folder cannot be written", err)
		}
		return nil, nil
	}
	if a.DecisionID != w.DecisionID {
		return nil, nil
	}
	return &a, nil
}

// Waits are the tasks that wait, of one run or, for "", of all on this machine, oldest
// first.
func (r *Runner) Waits(ctx context.Context, id string) ([]Waiting, error) {
	pattern := "run_*" + waitSuffix
	if id != "" {
		if !idPattern.MatchString(id) {
			return nil, nil
		}
		pattern = id + ".*" + waitSuffix
	}
	var all []Waiting
	for _, name := range r.state.stateFiles(pattern) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w, err := r.state.waiting(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if a, err := r.state.answerTo(w); err != nil {
			return nil, err
		} else if a == nil {
			all = append(all, w)
		}
	}
	slices.SortFunc(all, func(a, b Waiting) int { return a.Since.Compare(b.Since) })
	return all, nil
}

// Questions are the wait tasks of all runs on this machine that ask a person, oldest
// first. Runs that are gone, or are not where they were, are left out.
func (r *Runner) Questions(ctx context.Context) ([]Waiting, error) {
	all, err := r.Waits(ctx, "")
	return slices.DeleteFunc(all, func(w Waiting) bool {
		if w.Message == "" {
			return true
		}
		f, err := openFolder(w.Project, w.RunID)
		if err != nil {
			return true
		}
		f.close()
		return false
	}), err
}

// TakeUpWaiting takes up the runs of dead processes that wait, and returns how many. What
// cannot be taken up is in the error.
func (r *Runner) TakeUpWaiting(ctx context.Context) (n int, _ error) {
	seen := map[string]bool{}
	var errs []error
	for _, name := range r.state.stateFiles("run_*" + waitSuffix) {
		w, err := r.state.waiting(name)
		if err != nil || seen[w.RunID] || r.live(w.RunID) {
			continue
		}
		seen[w.RunID] = true
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if record, err := readRecord(w.Project, w.RunID); isGone(w.Project, err) || err == nil && record.isOver() {
			errs = append(errs, r.state.forgetOver(w.Project, w.RunID))
			continue
		}
		switch _, err := r.Resume(ctx, w.Project, w.RunID, ""); {
		case fault.Is(err, fault.RunInProgress):
		case err != nil:
			if record, e := readRecord(w.Project, w.RunID); e == nil && record.isOver() {
				continue // another process was faster
			}
			errs = append(errs, fmt.Errorf("the run %s in %s: %w", w.RunID, w.Project, err))
		default:
			n++
		}
	}
	return n, errors.Join(errs...)
}
