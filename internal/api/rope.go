package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
	"belay/internal/workflow/run"
)

// byOperator is who decided where the caller gives no name: whoever holds the
// operator's token.
const byOperator = "operator"

type steerBody struct {
	SessionID   string   `json:"sessionId" doc:"the session whose running turn is to hear it"`
	Message     string   `json:"message" doc:"what the person says; may be empty when attachments are given"`
	Attachments []string `json:"attachments,omitempty" doc:"absolute paths of files on the server's machine"`
	Mode        string   `json:"mode,omitempty" doc:"steer, the default: at the turn's next tool boundary; followUp: when the model has answered"`
}

type decisionBody struct {
	SessionID  string `json:"sessionId,omitempty" doc:"the session whose turn asks; left out for the question of a run"`
	DecisionID string `json:"decisionId" doc:"the question, as permission:request and the list of decisions name it"`
	Verdict    string `json:"verdict" doc:"allow, deny, or allow_session: also later calls of the same classes, by the same agent in this session; a run continues with allow, and its task fails with deny"`
	By         string `json:"by,omitempty" doc:"who says so, for the record"`
	Note       string `json:"note,omitempty" doc:"goes to the model with the answer, and to the tasks that follow in a run"`

	Only []string `json:"only,omitempty" doc:"with allow, of the files that a command changed, those that count; folders stand for all that is in them; without it all count"`
}

type undoBody struct {
	SessionID string `json:"sessionId" doc:"the session of the turn"`
	TurnID    string `json:"turnId" doc:"the turn whose file changes are to be taken back"`
	By        string `json:"by,omitempty" doc:"who says so, for the record"`
}

type forkBody struct {
	SessionID string `json:"sessionId" doc:"the session to go on from"`
	TurnID    string `json:"turnId,omitempty" doc:"the last turn that the new session has; the last that has ended without it"`
}

type decisionsAnswer struct {
	Decisions []openDecision `json:"decisions"`
	// Waits are the wait tasks of runs that ask a person.
	Waits []run.Waiting `json:"waits,omitempty"`
}

// openDecision is a question under the name that its event has for it, too.
type openDecision struct {
	DecisionID string `json:"decisionId"`
	permit.Request
}

type decisionAnswer struct {
	Decision permit.Decision `json:"decision"`
}

type changesAnswer struct {
	SessionID string              `json:"sessionId"`
	Turns     []changes.ChangeSet `json:"turns"`
}

type undoAnswer struct {
	Undo changes.UndoResult `json:"undo"`
}

func serveSteer(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	req := turn.SteerRequest{
		SessionID:   f.required("sessionId"),
		Message:     f.anyString("message"),
		Attachments: f.strings("attachments"),
		Mode:        session.InputMode(cmp.Or(f.choice("mode", string(session.Steer), string(session.FollowUp)), string(session.Steer))),
	}
	if err := f.err(); err != nil {
		return err
	}
	if err := h.o.Engine.Steer(r.Context(), req); err != nil {
		return err
	}
	return reply(w, http.StatusOK, okAnswer{true})
}

func serveDecisions(h *Handler, w *response, r *http.Request) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	sessionID := trim(q["sessionId"])
	open, err := h.o.Engine.Decisions(r.Context(), sessionID)
	if err != nil {
		return err
	}
	answer := decisionsAnswer{Decisions: make([]openDecision, len(open))}
	for i, request := range open {
		answer.Decisions[i] = openDecision{request.ID, request}
	}
	if sessionID == "" {
		if answer.Waits, err = h.questionsOfRuns(r.Context()); err != nil {
			return err
		}
	}
	return reply(w, http.StatusOK, answer)
}

// questionsOfRuns are the wait tasks that ask a person, in projects that this server may
// work on.
func (h *Handler) questionsOfRuns(ctx context.Context) ([]run.Waiting, error) {
	if h.o.Workflows.Runs == nil {
		return nil, nil
	}
	all, err := h.o.Workflows.Runs.Questions(ctx)
	return slices.DeleteFunc(all, func(w run.Waiting) bool {
		_, err := h.checkProject(w.Project)
		return err != nil
	}), err
}

func serveDecision(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	ofRun, found, err := h.questionOfRun(r.Context(), f)
	if err != nil {
		return err
	}
	sessionID := ""
	if !found {
		sessionID = f.required("sessionId")
	}
	req := turn.DecisionRequest{
		SessionID:  sessionID,
		DecisionID: f.required("decisionId"),
		Verdict:    permit.Verdict(f.requiredChoice("verdict", string(permit.VerdictAllow), string(permit.VerdictAllowSession), string(permit.VerdictDeny))),
		By:         cmp.Or(f.optional("by"), byOperator),
		Note:       f.optional("note"),
		Only:       f.strings("only"),
	}
	if err := f.err(); err != nil {
		return err
	}
	var d permit.Decision
	if found {
		d, err = h.answerRun(r.Context(), ofRun, req)
	} else {
		d, err = h.o.Engine.Decide(r.Context(), req)
	}
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, decisionAnswer{d})
}

// questionOfRun is the wait task that a decision is for, if it names no session.
func (h *Handler) questionOfRun(ctx context.Context, f fields) (w run.Waiting, found bool, err error) {
	id := trim(f.object.get("decisionId").text)
	if f.object.get("sessionId").kind != absent || id == "" {
		return w, false, nil
	}
	all, err := h.questionsOfRuns(ctx)
	if err != nil || h.o.Workflows.Runs == nil {
		return w, false, err
	}
	if i := slices.IndexFunc(all, func(w run.Waiting) bool { return w.DecisionID == id }); i >= 0 {
		return all[i], true, nil
	}
	if w, found, err = h.o.Workflows.Runs.Closed(ctx, id); found {
		if _, err := h.checkProject(w.Project); err != nil || w.DecisionID != id {
			return w, false, nil // it is none that this server may work on
		}
	}
	return w, found, err
}

// answerRun answers a wait task as a decision does: allow lets the run go on.
func (h *Handler) answerRun(ctx context.Context, w run.Waiting, req turn.DecisionRequest) (permit.Decision, error) {
	if req.Verdict == permit.VerdictAllowSession || len(req.Only) > 0 {
		return permit.Decision{}, fault.New(fault.InvalidRequest, "the question of a run is answered with allow or deny, and without only").With("field", "verdict")
	}
	w, err := h.o.Workflows.Runs.Answer(ctx, w.Answered(req.Verdict == permit.VerdictAllow, req.Note, req.By))
	if err != nil {
		return permit.Decision{}, err
	}
	return permit.Decision{DecisionID: w.DecisionID, Verdict: req.Verdict, By: req.By, Note: req.Note, Time: w.Answer.At}, nil
}

func serveChanges(h *Handler, w *response, r *http.Request) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	turns, err := h.o.Engine.Changes(r.Context(), id, trim(q["turn"]))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, changesAnswer{id, orEmpty(turns)})
}

func serveUndo(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	req := changes.UndoRequest{
		SessionID: f.required("sessionId"),
		TurnID:    f.required("turnId"),
		By:        cmp.Or(f.optional("by"), byOperator),
	}
	if err := f.err(); err != nil {
		return err
	}
	done, err := h.o.Engine.Undo(r.Context(), req)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, undoAnswer{done})
}

func serveFork(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	req := changes.ForkRequest{SessionID: f.required("sessionId"), TurnID: f.optional("turnId")}
	if err := f.err(); err != nil {
		return err
	}
	rec, err := h.o.Engine.Fork(r.Context(), req)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, sessionAnswer{rec})
}
