package cli

import (
	"context"
	"fmt"
	"strings"

	"belay/internal/app"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/turn"
)

// carryOut carries out an answer that a person gave after the process of a turn had
// ended: that turn goes on here, before the next turn of its session. Watch shows it.
// A server does so by itself. An earlier turn that fails does not keep the next one
// from being sent.
func carryOut(ctx context.Context, c *console, e turn.Engine, sessionID string, watch func(turn.Stream) error) error {
	local, ok := e.(*turn.Local)
	if !ok {
		return nil
	}
	earlier, err := local.Recovery.TakeUp(ctx, sessionID)
	if err != nil || earlier == nil {
		return err
	}
	c.note("earlier", fmt.Sprintf("%s waited for %s when its process ended; the answer (%s) is carried out first", earlier.Turn(), earlier.Answer.DecisionID, answeredBy(earlier.Answer)))
	if err := watch(earlier); ctx.Err() != nil {
		return err
	} else if err != nil {
		c.warn(fmt.Sprintf("the earlier turn %s: %v", earlier.Turn(), err))
	}
	c.note("earlier", "the turn has ended; the new one begins")
	return nil
}

// answeredBy is an answer and whose it is.
func answeredBy(d permit.Decision) string {
	if d.By == "" {
		return verdictWord(d.Verdict)
	}
	return verdictWord(d.Verdict) + " by " + line(d.By)
}

// noteWaiting says who carries an answer out where no process runs the turn that asked.
func noteWaiting(c *console, a *app.App, r permit.Request) {
	if turnID, _, running := a.Store.Signals.Running(r.SessionID); running && turnID == r.TurnID {
		return
	}
	if strings.HasPrefix(r.Agent, persona.InlinePrefix) {
		c.note("waits", "nobody now: the process of the workflow has ended; its task begins anew with belay run --resume, and asks again")
		return
	}
	c.note("waits", "nobody now: the process of the turn has ended. A running or the next belay serve carries the answer out, "+
		"or the next message of the session: belay turn --session "+r.SessionID+` "go on"`)
}
