package cli

import (
	"context"
	"errors"

	"belay/internal/client"
	"belay/internal/fault"
	"belay/internal/turn"
)

// unstarted deals with a fresh session whose first message failed with an error, which it
// returns. Where the engine refused the message, the session is empty, and it is
// deleted. Otherwise the message may have been taken, and its answer stays.
func unstarted(ctx context.Context, c *console, e turn.Engine, sessionID string, why error) (deleted bool, err error) {
	_, here := e.(*turn.Local) // which begins a turn, or returns an error
	if here || refusal(why) {
		return true, errors.Join(why, e.Delete(context.WithoutCancel(ctx), sessionID))
	}
	c.note("session", sessionID+" is kept: the message may have been taken. See it with belay session show "+sessionID)
	return false, why
}

// refusal reports whether an error is the engine's own word that it did not take a message.
// An answer that did not come, or that no belay server gave, says nothing about the message.
func refusal(err error) bool {
	if errors.As(err, new(*client.Unreached)) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var f *fault.Error
	return errors.As(err, &f) && f.Type != fault.SDKFailure
}
