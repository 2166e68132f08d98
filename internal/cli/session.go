package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

func newSession(c *console) *cobra.Command {
	g := group("session", "Show, copy, steer and stop sessions",
		"  belay session list\n  belay session transcript sess_2f4c8e0a",
		newSessionList(c), newSessionShow(c), newSessionTranscript(c), newSessionManifest(c),
		newSessionChanges(c), newSessionUndo(c), newSessionFork(c), newSessionSteer(c), newSessionSearch(c),
		newSessionInterrupt(c), newSessionImport(c), newSessionExport(c), newSessionRename(c), newSessionDelete(c),
	)
	g.Long = `Show, copy, steer and stop sessions. Name a session by its id, or by any
unique prefix of at least four characters.`
	return g
}

// when is a moment for people, in their own time zone.
func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

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

// sessionCommand is [console.inSession] as what a command runs whose first argument names
// the session.
func sessionCommand(c *console, run func(ctx context.Context, a *app.App, id string, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return c.inSession(cmd, args[0], func(ctx context.Context, a *app.App, id string) error { return run(ctx, a, id, args) })
	}
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

// reportDone reports what a command did: for programs v as JSON, for people a note.
func reportDone(c *console, v any, label, text string) error {
	return answer(c, v, func() { c.note(label, text) })
}

// onSession is what was done with a session, as JSON.
type onSession struct {
	SessionID string `json:"sessionId"`
	Done      string `json:"done"`
	// File is where it was written, for an export.
	File string `json:"file,omitempty"`
}

// onQuestion is the answer to a question, as JSON: of a call, or of a task of a run.
type onQuestion struct {
	DecisionID string `json:"decisionId,omitempty"`
	RunID      string `json:"runId,omitempty"`
	Task       string `json:"task,omitempty"`
	Verdict    string `json:"verdict"`
}
