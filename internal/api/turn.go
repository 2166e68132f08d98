package api

import (
	"context"
	"net/http"
	"time"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/turn"
)

// turnBody is the body of a turn, for the reference.
type turnBody struct {
	SessionID   string    `json:"sessionId" doc:"the session to take the turn in"`
	Message     string    `json:"message" doc:"what the person says; may be empty when attachments are given"`
	Attachments []string  `json:"attachments,omitempty" doc:"absolute paths of files on the server's machine"`
	Opts        turn.Opts `json:"opts,omitzero" doc:"options of this turn; unknown keys are ignored with a warning"`
}

// bootBody is the body of a boot, for the reference.
type bootBody struct {
	SessionID string    `json:"sessionId" doc:"the session to boot"`
	Opts      turn.Opts `json:"opts,omitzero" doc:"options of this boot; they are not saved"`
	Probe     bool      `json:"probe,omitempty" doc:"ask a network provider for one real call"`
}

type interruptBody struct {
	SessionID string `json:"sessionId" doc:"the session whose running turn is to stop"`
	TurnID    string `json:"turnId,omitempty" doc:"stop only this turn, as session:init names it; whichever runs without it"`
}

// idempotencyKey is what the header may hold.
var idempotencyKey = lazyregexp.New(`^[\x21-\x7e]{1,200}$`)

// serveTurn keeps the compatible contract's order (section 1.7): steps 1 to 4
// here, the rest in Engine.Start, all before the stream.
func serveTurn(h *Handler, w *response, r *http.Request) error {
	if h.draining.Load() {
		return fault.New(fault.Overloaded, "the server is shutting down and takes no new turns")
	}
	req, err := h.readTurn(w, r)
	if err != nil {
		return err
	}
	release, err := h.admit()
	if err != nil {
		return err
	}
	defer release()
	s, err := h.o.Engine.Start(r.Context(), *req)
	if err != nil {
		return err
	}
	defer s.Close()
	if h.copyStream(h.ended, w, r, s) == left && req.Opts.InterruptOnDisconnect() {
		h.interruptAfter(r, req.SessionID, s.Turn())
	}
	return nil
}

func (h *Handler) readTurn(w *response, r *http.Request) (*turn.Request, error) {
	f, err := h.fields(w, r)
	if err != nil {
		return nil, err
	}
	req := &turn.Request{
		SessionID:   f.required("sessionId"),
		Message:     f.anyString("message"),
		Attachments: f.strings("attachments"),
		Opts:        readOpts(f.nested("opts")),
	}
	if keys := r.Header["Idempotency-Key"]; len(keys) > 0 {
		if len(keys) > 1 || !idempotencyKey.MatchString(keys[0]) {
			f.bad("Idempotency-Key", "must be one value of 1 to 200 visible ASCII characters")
		}
		req.IdempotencyKey, req.BodyDigest = keys[0], digest(f.object)
	}
	return req, f.err()
}

// interruptAfter stops the turn of a client that left and had asked for that; a
// turn that begins meanwhile is somebody else's.
func (h *Handler) interruptAfter(r *http.Request, sessionID, turnID string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 10*time.Second)
	defer cancel()
	if err := h.o.Engine.Interrupt(ctx, sessionID, turnID); err != nil && !fault.Is(err, fault.SessionNotFound) {
		h.o.Logger.Error("a turn could not be interrupted after its client left", "session", sessionID, "error", err)
	}
}

func serveInterrupt(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	id, turnID := f.required("sessionId"), f.optional("turnId")
	if err := f.err(); err != nil {
		return err
	}
	if err := h.o.Engine.Interrupt(r.Context(), id, turnID); err != nil {
		return err
	}
	return reply(w, http.StatusOK, okAnswer{true})
}

func serveBoot(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	req := turn.BootRequest{
		SessionID: f.required("sessionId"),
		Opts:      readOpts(f.nested("opts")),
		Probe:     f.flag("probe"),
	}
	if err := f.err(); err != nil {
		return err
	}
	result, err := h.o.Engine.Boot(r.Context(), req)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, result)
}

// serveEvents streams a session's log, from anywhere in it and for as long as
// the client likes.
func serveEvents(h *Handler, w *response, r *http.Request) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	after, err := position(r, q["after"])
	if err != nil {
		return err
	}
	release, err := h.admit()
	if err != nil {
		return err
	}
	defer release()
	s, err := h.o.Engine.Events(r.Context(), r.PathValue("id"), after, q["turn"])
	if err != nil {
		return err
	}
	defer s.Close()
	end := h.followed
	if q["turn"] != "" {
		end = h.ended
	}
	h.copyStream(end, w, r, s)
	return nil
}
