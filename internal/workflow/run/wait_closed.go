package run

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/lazyregexp"
)

// closedSuffix is that of the files about wait tasks that have gone on.
const closedSuffix = ".closed"

var decisionPattern = lazyregexp.New(`^dec_[0-9a-f]{8,24}$`)

// closedWait is what stays of a wait task when its run goes on, so that whoever answers
// late learns that the answer came too late.
type closedWait struct {
	Waiting
	Answer Answer `json:"answer"`
}

// closeWait records what became of a wait task. A time that has passed without a question
// is nobody's decision.
func (s state) closeWait(w Waiting, a Answer) error {
	if w.Message == "" && a.Answer == AnswerTime {
		return nil
	}
	return s.writeState(w.RunID+"."+w.DecisionID+closedSuffix, closedWait{w, a}, durable.RunClosed)
}

// Closed is the wait task of a decision that was made before, which its id names or a
// unique beginning of that. Runs that are gone have none. The run need not have gone on yet.
func (r *Runner) Closed(ctx context.Context, decisionID string) (w Waiting, found bool, _ error) {
	if err := ctx.Err(); err != nil || !decisionPattern.MatchString(decisionID) {
		return w, false, err
	}
	all := r.state.closedOf("run_*." + decisionID + "*")
	for _, c := range r.state.answered("run_*") {
		if strings.HasPrefix(c.DecisionID, decisionID) {
			all = append(all, c)
		}
	}
	for _, c := range all {
		f, err := openFolder(c.Project, c.RunID)
		if err != nil {
			continue
		}
		f.close()
		if found && w.DecisionID != c.DecisionID {
			return Waiting{}, false, nil // it could be either
		}
		w, found = c.Waiting, true
	}
	return w, found, nil
}

// answered are the wait tasks that have an answer which their runs have not taken up yet,
// of the runs whose ids match a pattern.
func (s state) answered(pattern string) (all []closedWait) {
	for _, name := range s.stateFiles(pattern + ".*" + answerSuffix) {
		w, err := s.waiting(strings.TrimSuffix(name, answerSuffix) + waitSuffix)
		if err != nil {
			continue // it was taken up meanwhile, or a power cut took it
		}
		if a, err := s.answerTo(w); err == nil && a != nil {
			all = append(all, closedWait{w, *a})
		}
	}
	return all
}

// closedOf are the closed waits whose files have names of a pattern, the latest first.
func (s state) closedOf(pattern string) (all []closedWait) {
	for _, name := range s.stateFiles(pattern + closedSuffix) {
		var c closedWait
		data, _, err := durable.ReadFile(nil, name, maxWaitFile)
		if err != nil || json.Unmarshal(data, &c) != nil {
			continue // a power cut took it
		}
		c.Waiting.Answer = &c.Answer
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b closedWait) int { return b.Answer.At.Compare(a.Answer.At) })
	return all
}

// stateFiles are the paths of the files about runs whose names match a pattern. The name
// of the folder itself may hold the pattern's special characters.
func (s state) stateFiles(pattern string) []string {
	names, _ := fs.Glob(os.DirFS(s.dir), pattern) // the pattern is well-formed
	for i, name := range names {
		names[i] = filepath.Join(s.dir, name)
	}
	return names
}

// tooLate is DECISION_CLOSED where an answer is for a task that has one, else why. An answer
// that names no task is for the one that was answered last.
func (s state) tooLate(a AnswerRequest, why error) error {
	if !fault.Is(why, fault.NotFound) || !idPattern.MatchString(a.ID) {
		return why
	}
	all := append(s.answered(a.ID), s.closedOf(a.ID+".dec_*")...)
	for _, c := range all {
		if c.Task == cmp.Or(a.Task, c.Task) {
			return closed(c.Waiting, c.Answer)
		}
	}
	return why
}

// closed says how a wait task was answered before, and by whom.
func closed(w Waiting, a Answer) error {
	text := fmt.Sprintf("the task %s of the run %s was answered already", w.Task, w.RunID)
	switch {
	case a.Answer == AnswerTime:
		text = fmt.Sprintf("the time for the task %s of the run %s is over", w.Task, w.RunID)
	case a.By != "":
		text += fmt.Sprintf(": %s, by %s", a.Answer, a.By)
	}
	return fault.New(fault.DecisionClosed, "%s", text).With("runId", w.RunID).With("decisionId", w.DecisionID).
		With("answer", a.Answer).With("by", a.By).With("time", a.At.Format(time.RFC3339Nano))
}

// forgetClosed removes what is known of the closed waits of a run that is removed.
func (s state) forgetClosed(id string) error {
	for _, name := range s.stateFiles(id + ".dec_*" + closedSuffix) {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
