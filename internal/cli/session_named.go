package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// inSession is withApp for a command about one session: it gets the session's whole
// id.
func (c *console) inSession(cmd *cobra.Command, named string, run func(ctx context.Context, a *app.App, id string) error) error {
	return c.withApp(cmd, func(ctx context.Context, a *app.App) error {
		id, err := sessionID(ctx, a.Engine, named)
		if err != nil {
			return err
		}
		return run(ctx, a, id)
	})
}

// sessionID returns the id of the session that a person named: by the whole id,
// or by a beginning of it that no other session has.
func sessionID(ctx context.Context, e turn.Engine, named string) (string, error) {
	_, unknown := e.Get(ctx, named)
	if !fault.Is(unknown, fault.SessionNotFound) || len(named) < session.MinPrefix {
		return named, nil // there is one, or the command itself will say what is wrong
	}
	found, err := e.Find(ctx, named)
	switch {
	case fault.Is(err, fault.InvalidRequest), fault.Is(err, fault.SessionNotFound), fault.Is(err, fault.NotFound):
		return "", unknown // not the beginning of any id, or an older server
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", unknown
	}
	return resolveID(found, func(r session.Record) string { return r.SessionID }, named, session.MinPrefix, "session")
}

// named is sessionID for --session, which may be left out.
func named(ctx context.Context, e turn.Engine, asked string) (string, error) {
	if asked == "" {
		return "", nil
	}
	return sessionID(ctx, e, asked)
}

// turnNamed returns the id of the turn of a session that a person named, "" for none.
func turnNamed(ctx context.Context, e turn.Engine, sessionID, named string) (string, error) {
	if named == "" {
		return "", nil
	}
	entries, err := e.Transcript(ctx, sessionID)
	if err != nil {
		return "", err
	}
	return resolveID(entries, func(e session.Entry) string { return e.Turn }, named, 0, "turn")
}

// needsSession is the argument rule of commands about one session.
func needsSession(_ *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return failed(ExitUsage, "list the sessions with belay session list", usageCount(args))
}

func usageCount(args []string) error {
	if len(args) == 0 {
		return errors.New("name a session")
	}
	return fmt.Errorf("name one session, not %d", len(args))
}
