package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/plainjson"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
	"belay/internal/workflow/run"
)

// byOperator is who decided where the caller gives no name: the holder of the
// operator's token.
const byOperator = "operator"

type steerBody struct {
	SessionID   string            `json:"sessionId" doc:"the session whose running turn is to hear it"`
	Message     string            `json:"message" is:"any" doc:"what the person says; may be empty when attachments are given"`
	Attachments []string          `json:"attachments,omitempty" doc:"absolute paths of files on the server's machine"`
	Mode        session.InputMode `json:"mode,omitempty" is:"steer|followUp" doc:"steer, the default: at the turn's next tool boundary; followUp: when the model has answered"`
}

type decisionBody struct {
	SessionID  string         `json:"sessionId,omitempty" doc:"the session whose turn asks; left out for the question of a run"`
	DecisionID string         `json:"decisionId" doc:"the question, as permission:request and the list of decisions name it"`
	Verdict    permit.Verdict `json:"verdict" is:"allow|allow_session|deny" doc:"allow, deny, or allow_session: also later calls of the same classes, by the same agent in this session; a run continues with allow, and its task fails with deny"`
	By         string         `json:"by,omitempty" doc:"who says so, for the record"`
	Note       string         `json:"note,omitempty" doc:"goes to the model with the answer, and to the tasks that follow in a run"`

	Only []string `json:"only,omitempty" is:"some" doc:"with allow, of the files that a command changed, those that count; folders stand for all that is in them; without it all count"`
}

type undoBody struct {
	SessionID string `json:"sessionId" doc:"the session of the turn"`
	TurnID    string `json:"turnId" doc:"the turn whose file changes are to be taken back"`
	// RunsByItself is the person's second yes.
	RunsByItself bool   `json:"runsByItself,omitempty" doc:"also put back files that other programs run by themselves; without it an undo that would make any is refused"`
	By           string `json:"by,omitempty" doc:"who says so, for the record"`
}

type forkBody struct {
	SessionID string `json:"sessionId" doc:"the session to go on from"`
	TurnID    string `json:"turnId,omitempty" doc:"the last turn that the new session has; the last that has ended without it"`
}

type decisionsAnswer struct {
	Decisions []openDecision `json:"decisions"`
	// Waits are the wait tasks of runs that ask a person; absent where one session was asked for.
	Waits []run.Waiting `json:"waits,omitzero"`
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

func steerTurn(c *call, b *steerBody) (okAnswer, error) {
	key, err := idempotencyKeyOf(c)
	if err != nil {
		return okAnswer{}, err
	}
	r := turn.SteerRequest{SessionID: b.SessionID, Message: b.Message, Attachments: b.Attachments, Mode: cmp.Or(b.Mode, session.Steer), Key: key}
	if key != "" {
		sum := sha256.Sum256(plainjson.MustMarshal(r)) // how the body was written down does not count
		r.BodyDigest = hex.EncodeToString(sum[:])
	}
	return done(c.o.Engine.Steer(c.ctx(), r))
}

func listDecisions(c *call) (answer decisionsAnswer, err error) {
	q, err := query(c.r)
	if err != nil {
		return answer, err
	}
	sessionID := trim(q["sessionId"])
	open, err := c.o.Engine.Decisions(c.ctx(), sessionID)
	if err != nil {
		return answer, err
	}
	answer.Decisions = make([]openDecision, len(open))
	for i, request := range open {
		answer.Decisions[i] = openDecision{request.ID, request}
	}
	if sessionID == "" {
		if answer.Waits, err = c.questionsOfRuns(c.ctx()); answer.Waits == nil {
			answer.Waits = []run.Waiting{}
		}
	}
	return answer, err
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

func serveDecision(c *call) error {
	f, err := c.fields(c.w, c.r)
	if err != nil {
		return err
	}
	ofRun, found, err := c.questionOfRun(c.ctx(), f)
	if err != nil {
		return err
	}
	if k := f.kind("sessionId"); !found && (k == 0 || k == '"') {
		f.text("sessionId", "", true) // what a turn asks is answered by its session
	}
	var b decisionBody
	f.read(&b)
	if err := f.err(); err != nil {
		return err
	}
	b.By = cmp.Or(b.By, byOperator)
	var d permit.Decision
	if found {
		d, err = decideWait(c, ofRun, b)
	} else {
		d, err = c.o.Engine.Decide(c.ctx(), turn.DecisionRequest(b))
	}
	if err != nil {
		return err
	}
	return reply(c.w, http.StatusOK, decisionAnswer{d})
}

// questionOfRun is the wait task that a decision is for, if it names no session.
func (h *Handler) questionOfRun(ctx context.Context, f fields) (w run.Waiting, found bool, err error) {
	id := trim(textOf(f.members["decisionId"]))
	if f.kind("sessionId") != 0 || id == "" {
		return w, false, nil
	}
	return h.waitOf(ctx, id)
}

// waitOf is the wait task of a question, open or answered.
func (h *Handler) waitOf(ctx context.Context, id string) (w run.Waiting, found bool, err error) {
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

// decideWait answers a wait task as a decision does: allow lets the run go on.
func decideWait(c *call, w run.Waiting, req decisionBody) (permit.Decision, error) {
	if req.Verdict == permit.VerdictAllowSession || len(req.Only) > 0 {
		return permit.Decision{}, fault.New(fault.InvalidRequest, "the question of a run is answered with allow or deny, and without only").With("field", "verdict")
	}
	w, err := c.o.Workflows.Runs.Answer(c.ctx(), w.Answered(req.Verdict == permit.VerdictAllow, req.Note, req.By))
	if err != nil {
		return permit.Decision{}, err
	}
	return permit.Decision{DecisionID: w.DecisionID, Verdict: req.Verdict, By: req.By, Note: req.Note, Time: w.Answer.At}, nil
}

func getChanges(c *call) (changesAnswer, error) {
	q, err := query(c.r)
	if err != nil {
		return changesAnswer{}, err
	}
	turns, err := c.o.Engine.Changes(c.ctx(), c.id(), trim(q["turn"]))
	return changesAnswer{c.id(), orEmpty(turns)}, err
}

func undoTurn(c *call, b *undoBody) (undoAnswer, error) {
	b.By = cmp.Or(b.By, byOperator)
	done, err := c.o.Engine.Undo(c.ctx(), changes.UndoRequest(*b))
	return undoAnswer{done}, err
}

func forkSession(c *call, b *forkBody) (sessionAnswer, error) {
	rec, err := c.o.Engine.Fork(c.ctx(), changes.ForkRequest(*b))
	return sessionAnswer{rec}, err
}
