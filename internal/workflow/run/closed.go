package run

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
)

// closedSuffix is that of the files about wait tasks that have gone on.
const closedSuffix = ".closed"

var decisionPattern = regexp.MustCompile(`^dec_[0-9a-f]{8,24}$`)

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
	w.DecisionID = decisionOf(w.RunID, w.Task)
	return s.writeState(w.RunID+"."+w.DecisionID+closedSuffix, closedWait{w, a}, durable.RunClosed)
}

// Closed is the wait task of a decision that was made before, which its id names or a
// unique beginning of that. Runs that are gone have none.
func (r *Runner) Closed(ctx context.Context, decisionID string) (w Waiting, found bool, _ error) {
	if err := ctx.Err(); err != nil || !decisionPattern.MatchString(decisionID) {
		return w, false, err
	}
	for _, c := range r.state.closedOf("run_*." + decisionID + "*") {
		f, err := openFolder(c.Project, c.RunID)
		if err != nil {
			continue
		}
		f.close()
		if found {
			return Waiting{}, false, nil // it could be either
		}
		w, found = c.Waiting, true
	}
	return w, found, nil
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
	for _, name := range s.stateFiles(a.ID + ".*" + answerSuffix) { // it is there before the run has taken it up
		var w Waiting
		var by Answer
		asked, _, err := durable.ReadFile(nil, name[:len(name)-len(answerSuffix)]+waitSuffix, maxWaitFile)
		given, _, e := durable.ReadFile(nil, name, maxWaitFile)
		if err == nil && e == nil && json.Unmarshal(asked, &w) == nil && json.Unmarshal(given, &by) == nil && w.Task == cmp.Or(a.Task, w.Task) {
			return closed(w, by)
		}
	}
	for _, c := range s.closedOf(a.ID + ".dec_*") {
		if c.Task == cmp.Or(a.Task, c.Task) {
			return closed(c.Waiting, c.Answer)
		}
	}
	return why
}

// closed says how a wait task was answered before.
func closed(w Waiting, a Answer) error {
	text := "the task %s of the run %s was answered already"
	if a.Answer == AnswerTime {
		text = "the time for the task %s of the run %s is over"
	}
	return fault.New(fault.DecisionClosed, text, w.Task, w.RunID).With("runId", w.RunID).With("decisionId", decisionOf(w.RunID, w.Task)).
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
