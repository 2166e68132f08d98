package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

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

// shownMatches is how many sessions an ambiguous beginning lists.
const shownMatches = 5

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
	case len(found) == 1:
		return found[0].SessionID, nil
	}
	var ids []string
	for _, rec := range found[:min(len(found), shownMatches)] {
		ids = append(ids, rec.SessionID)
	}
	if len(found) > shownMatches {
		ids = append(ids, "…")
	}
	return "", failed(ExitUsage, "write more of the id of the one you mean: "+strings.Join(ids, ", "),
		fmt.Errorf("more than one session has an id that begins with %s", named))
}

// named is sessionID for --session, which may be left out.
func named(ctx context.Context, e turn.Engine, asked string) (string, error) {
	if asked == "" {
		return "", nil
	}
	return sessionID(ctx, e, asked)
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
