package apitest

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// Ask lays a question before the people, with the fields that its asker would
// fill in. It has no limit unless r has one.
func (e *Engine) Ask(r permit.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r.Created = Start
	e.open = append(e.open, r)
}

// Steers returns what was said into turns, in order.
func Steers(e *Engine) []turn.SteerRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.steers)
}

// Answers returns the answers that counted, in order.
func Answers(e *Engine) []turn.DecisionRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.answers)
}

// Steer implements turn.Engine.
func (e *Engine) Steer(_ context.Context, r turn.SteerRequest) error {
	l, err := logOf(e, r.SessionID)
	if err != nil {
		return err
	}
	e.mu.Lock()
	said := r.Key != "" && slices.ContainsFunc(e.steers, func(s turn.SteerRequest) bool { return s.SessionID == r.SessionID && s.Key == r.Key })
	e.mu.Unlock()
	if said {
		return nil
	}
	if !l.busy() {
		return session.NoTurn(r.SessionID)
	}
	e.mu.Lock()
	e.steers = append(e.steers, r)
	e.mu.Unlock()
	l.append(event.TurnInput, event.Input{Message: r.Message, Mode: string(r.Mode), Attachments: len(r.Attachments)})
	return e.Fail["Steer"]
}

// Decisions implements turn.Engine.
func (e *Engine) Decisions(_ context.Context, sessionID string) ([]permit.Request, error) {
	if sessionID != "" {
		if _, err := logOf(e, sessionID); err != nil {
			return nil, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	open := slices.DeleteFunc(slices.Clone(e.open), func(r permit.Request) bool { return sessionID != "" && r.SessionID != sessionID })
	return open, e.Fail["Decisions"]
}

// Question implements turn.Engine.
func (e *Engine) Question(_ context.Context, id string) (permit.Question, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.IndexFunc(e.open, func(q permit.Request) bool { return q.ID == id }); i >= 0 {
		return permit.Question{Open: &e.open[i]}, e.Fail["Question"]
	}
	if i := slices.IndexFunc(e.verdicts, func(c permit.Closed) bool { return c.DecisionID == id }); i >= 0 {
		return permit.Question{Closed: &e.verdicts[i]}, e.Fail["Question"]
	}
	return permit.Question{}, fault.New(fault.NotFound, "there is no question %q", id).With("decisionId", id)
}

// Closed implements turn.Engine.
func (e *Engine) Closed(_ context.Context, sessionID string, most int) (all []permit.Closed, _ error) {
	if sessionID != "" {
		if _, err := logOf(e, sessionID); err != nil {
			return nil, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range slices.Backward(e.verdicts) {
		if (sessionID == "" || c.SessionID == sessionID) && len(all) < most {
			all = append(all, c)
		}
	}
	return all, e.Fail["Closed"]
}

// Inputs implements turn.Engine: what was said into a held turn waits until it is dropped.
func (e *Engine) Inputs(_ context.Context, id string) (inputs []session.Input, _ error) {
	if _, err := logOf(e, id); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, s := range e.steers {
		if inputID := fmt.Sprintf("%020d-in", i+1); s.SessionID == id && !slices.Contains(e.dropped, inputID) {
			in := session.Input{ID: inputID, Turn: "t1", Message: s.Message, Mode: s.Mode, Time: session.Time{Time: Start}}
			for _, origin := range s.Attachments {
				in.Items = append(in.Items, attachment.Item{SHA256: "aa11", Kind: attachment.KindText, MIMEType: "text/plain", Bytes: 8, Name: path.Base(origin), Origin: origin})
			}
			inputs = append(inputs, in)
		}
	}
	return inputs, e.Fail["Inputs"]
}

// DropInput implements turn.Engine.
func (e *Engine) DropInput(ctx context.Context, id, inputID string) error {
	inputs, err := e.Inputs(ctx, id)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(inputs, func(in session.Input) bool { return in.ID == inputID }) {
		return fault.New(fault.NotFound, "no input %q waits in session %s", inputID, id).With("input", inputID)
	}
	if err := e.Fail["DropInput"]; err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dropped = append(e.dropped, inputID)
	return nil
}

// Decide implements turn.Engine.
func (e *Engine) Decide(_ context.Context, r turn.DecisionRequest) (permit.Decision, error) {
	if _, err := logOf(e, r.SessionID); err != nil {
		return permit.Decision{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if slices.Contains(e.answered, r.DecisionID) {
		return permit.Decision{}, fault.New(fault.DecisionClosed, "the question %s was answered already", r.DecisionID).With("decisionId", r.DecisionID)
	}
	i := slices.IndexFunc(e.open, func(q permit.Request) bool { return q.ID == r.DecisionID && q.SessionID == r.SessionID })
	if i < 0 {
		return permit.Decision{}, fault.New(fault.NotFound, "there is no question %q", r.DecisionID).With("decisionId", r.DecisionID)
	}
	e.open = slices.Delete(e.open, i, i+1)
	e.answered, e.answers = append(e.answered, r.DecisionID), append(e.answers, r)
	d := permit.Decision{DecisionID: r.DecisionID, Verdict: r.Verdict, By: r.By, Note: r.Note, Time: Start}
	e.verdicts = append(e.verdicts, permit.Closed{Decision: d, Subject: permit.Subject{SessionID: r.SessionID, TurnID: "t1", ToolCallID: "c1", ProjectRoot: "/project", Tool: "bash", Summary: "run npm test"}})
	return d, e.Fail["Decide"]
}

// Changes implements turn.Engine: every turn has changed one file.
func (e *Engine) Changes(_ context.Context, id, of string) ([]changes.ChangeSet, error) {
	if _, err := logOf(e, id); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []changes.ChangeSet
	for i, r := range e.requests {
		one := turnID(i + 1)
		if r.SessionID != id || of != "" && of != one {
			continue
		}
		t := changes.ChangeSet{Turn: one, Changes: []changes.FileChange{{
			Change: session.Change{Call: "c1", Path: "notes.md", Before: strings.Repeat("a", 64), After: strings.Repeat("b", 64),
				BeforeMode: 0o644, AfterMode: 0o644, BeforeBytes: 4, AfterBytes: 6},
			Diff: "--- a/notes.md\n+++ b/notes.md\n@@ -1,1 +1,1 @@\n-old\n+newer\n",
		}}}
		if e.undone[one] {
			t.Undone = &session.Time{Time: Start}
		}
		all = append(all, t)
	}
	if of != "" && all == nil {
		return nil, noTurn(id, of)
	}
	return all, e.Fail["Changes"]
}

// Undo implements turn.Engine.
func (e *Engine) Undo(ctx context.Context, r changes.UndoRequest) (changes.UndoResult, error) {
	l, err := logOf(e, r.SessionID)
	if err != nil {
		return changes.UndoResult{}, err
	}
	if l.busy() {
		return changes.UndoResult{}, fault.New(fault.TurnInProgress, "a turn runs in session %s", r.SessionID).With("sessionId", r.SessionID)
	}
	if _, err := e.Changes(ctx, r.SessionID, r.TurnID); err != nil {
		return changes.UndoResult{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	done := changes.UndoResult{TurnID: r.TurnID, Paths: []string{"notes.md"}, Time: session.Time{Time: Start}, Already: e.undone[r.TurnID]}
	if e.undone == nil {
		e.undone = map[string]bool{}
	}
	if e.Fail["Undo"] == nil && !done.Already {
		e.undone[r.TurnID] = true
		l.append(event.ChangesUndone, event.Undone{TurnID: r.TurnID, Paths: done.Paths, By: r.By})
	}
	return done, e.Fail["Undo"]
}

// Fork implements turn.Engine.
func (e *Engine) Fork(ctx context.Context, r changes.ForkRequest) (session.Record, error) {
	l, err := logOf(e, r.SessionID)
	if err != nil {
		return session.Record{}, err
	}
	if r.TurnID == "" {
		r.TurnID = turnID(len(e.Requests()))
	}
	if _, err := e.Changes(ctx, r.SessionID, r.TurnID); err != nil {
		return session.Record{}, err
	}
	rec, err := e.Create(ctx, turn.CreateRequest{ProjectRoot: l.record.ProjectRoot, Persona: l.record.Persona, Mode: l.record.Mode})
	rec.ForkedFrom = &session.Origin{SessionID: r.SessionID, TurnID: r.TurnID}
	return rec, err
}

func noTurn(id, turnID string) error {
	return fault.New(fault.NotFound, "session %s has no turn %q", id, turnID).With("turn", turnID)
}
