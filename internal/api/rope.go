package api

import (
	"cmp"
	"net/http"

	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn"
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
	SessionID  string `json:"sessionId" doc:"the session whose turn asks"`
	DecisionID string `json:"decisionId" doc:"the question, as permission:request names it"`
	Verdict    string `json:"verdict" doc:"allow, deny, or allow_session: also later calls of the same classes, by the same agent in this session"`
	By         string `json:"by,omitempty" doc:"who says so, for the record"`
	Note       string `json:"note,omitempty" doc:"what the model is told with it"`

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
	SessionID string           `json:"sessionId"`
	Turns     []turn.ChangeSet `json:"turns"`
}

type undoAnswer struct {
	Undo turn.UndoResult `json:"undo"`
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
	open, err := h.o.Engine.Decisions(r.Context(), trim(q["sessionId"]))
	if err != nil {
		return err
	}
	list := make([]openDecision, len(open))
	for i, request := range open {
		list[i] = openDecision{request.ID, request}
	}
	return reply(w, http.StatusOK, decisionsAnswer{list})
}

func serveDecision(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	req := turn.DecisionRequest{
		SessionID:  f.required("sessionId"),
		DecisionID: f.required("decisionId"),
		Verdict:    permit.Verdict(f.requiredChoice("verdict", string(permit.VerdictAllow), string(permit.VerdictAllowSession), string(permit.VerdictDeny))),
		By:         cmp.Or(f.optional("by"), byOperator),
		Note:       f.optional("note"),
		Only:       f.strings("only"),
	}
	if err := f.err(); err != nil {
		return err
	}
	d, err := h.o.Engine.Decide(r.Context(), req)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, decisionAnswer{d})
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
	req := turn.UndoRequest{
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
	req := turn.ForkRequest{SessionID: f.required("sessionId"), TurnID: f.optional("turnId")}
	if err := f.err(); err != nil {
		return err
	}
	rec, err := h.o.Engine.Fork(r.Context(), req)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, sessionAnswer{rec})
}
