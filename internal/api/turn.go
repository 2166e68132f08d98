package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/turn"
)

// turnBody is the body of a turn, for the reference.
type turnBody struct {
	SessionID   string    `json:"sessionId" doc:"the session to take the turn in"`
	Message     string    `json:"message" is:"any" doc:"what the person says; may be empty when attachments are given"`
	Attachments []string  `json:"attachments,omitempty" doc:"absolute paths of files on the server's machine"`
	Opts        turn.Opts `json:"opts,omitzero" doc:"options of this turn; unknown keys are ignored with a warning, but for those that are a limit written in another way"`
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

// idempotencyRule says so.
const idempotencyRule = "must be one value of 1 to 200 visible ASCII characters"

// serveTurn keeps the compatible contract's order (section 1.7): steps 1 to 4
// here, the rest in Engine.Start, all before the stream.
func serveTurn(c *call) error {
	if c.draining.Load() {
		return fault.New(fault.Overloaded, "the server is shutting down and takes no new turns")
	}
	req, err := readTurn(c)
	if err != nil {
		return err
	}
	release, err := c.admit()
	if err != nil {
		return err
	}
	defer release()
	s, err := startTurn(c, req)
	if err != nil {
		return err
	}
	defer s.Close()
	if c.copyStream(c.ended, c.w, c.r, s) == left && req.Opts.InterruptOnDisconnect() {
		c.interruptAfter(c.r, req.SessionID, s.Turn())
	}
	return nil
}

// startTurn starts the turn of a request. It is not inlined: its frame holds a copy of
// the request, and would keep the stack of a stream that waits at 16 KiB in place of 8.
//
//go:noinline
func startTurn(c *call, req *turn.Request) (turn.Stream, error) {
	req.KeepsPlace = req.IdempotencyKey != "" && req.Opts.Queues() && !req.Opts.InterruptOnDisconnect()
	return c.o.Engine.Start(c.ctx(), *req)
}

func readTurn(c *call) (*turn.Request, error) {
	f, err := c.fields(c.w, c.r)
	if err != nil {
		return nil, err
	}
	var b turnBody
	f.read(&b)
	req := &turn.Request{SessionID: b.SessionID, Message: b.Message, Attachments: b.Attachments, Opts: b.Opts}
	if keys := c.r.Header["Idempotency-Key"]; len(keys) > 0 {
		if len(keys) > 1 || !idempotencyKey.MatchString(keys[0]) {
			f.bad("Idempotency-Key", idempotencyRule)
		}
		req.IdempotencyKey, req.BodyDigest = keys[0], digest(f.object)
	}
	return req, f.err()
}

// digest identifies what a turn request asks for, however it was written down:
// the same message, attachments and options give the same digest.
func digest(body object) string {
	sum := sha256.New()
	for _, name := range []string{"message", "attachments", "opts"} {
		v := body.members[name].Clone()
		_ = v.Canonicalize() // what is not there has no form
		sum.Write([]byte(name))
		sum.Write(v)
	}
	return hex.EncodeToString(sum.Sum(nil))
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

func interruptTurn(c *call, b *interruptBody) (okAnswer, error) {
	return done(c.o.Engine.Interrupt(c.ctx(), b.SessionID, b.TurnID))
}

func bootSession(c *call, b *bootBody) (turn.BootResult, error) {
	return c.o.Engine.Boot(c.ctx(), turn.BootRequest(*b))
}

// serveEvents streams a session's log, from anywhere in it and for as long as
// the client likes.
func serveEvents(c *call) error {
	q, err := query(c.r)
	if err != nil {
		return err
	}
	end := c.followed
	if q["turn"] != "" {
		end = c.ended
	}
	return c.follow(end, q["after"], func(after int64) (turn.Stream, error) {
		return c.o.Engine.Events(c.ctx(), c.id(), after, q["turn"])
	})
}
