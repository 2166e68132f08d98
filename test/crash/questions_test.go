//go:build crashtest

package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/app"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn"
)

// oneWrite makes one call that is asked about.
const oneWrite = `turns:
  - when: write
    steps:
      - call: {name: write, input: {path: docs/notes.txt, content: "as asked\n"}}
      - say: Written.
  - when: again
    steps:
      - call: {name: write, input: {path: more.txt, content: "not asked\n"}}
      - say: Written again.
`

// questionScenarios are about what a person allows.
var questionScenarios = []scenario{
	{
		name:   "decision",
		script: oneWrite,
		setup:  withFolder,
		work:   func(w *world, a *app.App) { w.ask(a, permit.VerdictAllow) },
		always: auditIsWhole,
	},
	{
		name:   "decision for the session",
		script: oneWrite,
		setup:  withFolder,
		work: func(w *world, a *app.App) {
			w.ask(a, permit.VerdictAllowSession)
			w.acknowledged("the grant", isGranted)
		},
		always: auditIsWhole,
	},
	{
		name:   "question",
		script: oneWrite,
		setup:  withFolder,
		work: func(w *world, a *app.App) {
			k := w.begin(a, turn.Request{SessionID: w.known, Message: "write"})
			w.end(k, func(e event.Event) {
				if e.Type != event.PermissionAsked {
					return
				}
				var asked struct{ DecisionID string }
				must(w.t, json.Unmarshal(e.Data, &asked))
				w.survivesKill("the question", func(w *world, a *app.App) error { return w.isAskedAgain(a, k.Turn(), asked.DecisionID, true) })
				w.acknowledged("the question", func(w *world, a *app.App) error { return w.isAskedAgain(a, k.Turn(), asked.DecisionID, false) })
				w.try(a.Engine.Interrupt(context.Background(), w.known, ""))
			})
		},
		always: auditIsWhole,
	},
	{
		name: "token",
		work: func(w *world, _ *app.App) {
			token, err := app.OperatorToken(w.state)
			w.try(err)
			w.acknowledged("the token", func(w *world, _ *app.App) error {
				now, err := app.OperatorToken(w.state)
				if err == nil && now != token {
					err = errors.New("it is another one")
				}
				return err
			})
		},
	},
}

// withFolder is first in a project with a folder.
func withFolder(w *world, a *app.App) {
	must(w.t, os.Mkdir(filepath.Join(w.project, "docs"), 0o700))
	first(w, a)
}

// ask runs a turn whose call is asked about, and answers.
func (w *world) ask(a *app.App, v permit.Verdict) {
	w.t.Helper()
	written := false
	w.end(w.begin(a, turn.Request{SessionID: w.known, Message: "write"}), func(e event.Event) {
		if e.Type == event.ToolResult {
			written = bytes.Contains(e.Data, []byte(`"ok":true`))
		}
		if e.Type != event.PermissionAsked {
			return
		}
		id, err := decide(a, w.known, e, v)
		w.try(err)
		w.acknowledged("the decision", func(w *world, a *app.App) error { return w.isDecided(a, id, v) })
	})
	if w.failed != nil && !written {
		return // the model was told why
	}
	w.unchanged("the file of the call", filepath.Join(w.project, "docs", "notes.txt"))
}

// isDecided checks that a question stays answered, on record.
func (w *world) isDecided(a *app.App, id string, v permit.Verdict) error {
	_, err := a.Engine.Decide(context.Background(), turn.DecisionRequest{SessionID: w.known, DecisionID: id, Verdict: permit.VerdictDeny})
	if f := fault.From(err); !fault.Is(err, fault.DecisionClosed) || f.Details["verdict"] != v {
		return fmt.Errorf("the question can be answered again: %w", err)
	}
	open, err := a.Engine.Decisions(context.Background(), "")
	if err != nil || len(open) > 0 {
		return fmt.Errorf("%d questions are open: %w", len(open), err)
	}
	log, err := os.ReadFile(app.AuditPath(w.state))
	if err == nil && !strings.Contains(string(log), `"decisionId":"`+id+`"`) {
		err = errors.New("the audit log does not have the decision")
	}
	return err
}

// isAskedAgain checks what became of a question when a server starts. It is open,
// and then an answer lets the turn go on to its end, or it was closed on record.
// After a power cut its turn may have ended instead, or never have been.
func (w *world) isAskedAgain(a *app.App, turnID, id string, killed bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := a.Engine.Recovery.Resume(ctx, w.known); err != nil {
		return err
	}
	open, err := a.Engine.Decisions(ctx, w.known)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		r := turn.DecisionRequest{SessionID: w.known, DecisionID: id, Verdict: permit.VerdictAllow, By: "the person"}
		if _, err := a.Engine.Decide(ctx, r); err != nil {
			return fmt.Errorf("it is open, and cannot be answered: %w", err)
		}
		return w.endsWithTheFile(ctx, a, turnID)
	}
	log, err := os.ReadFile(app.AuditPath(w.state))
	if strings.Contains(string(log), `"decisionId":"`+id+`"`) {
		return nil
	}
	if killed {
		return errors.Join(errors.New("it is neither open nor on record"), err)
	}
	return hasEnded(a, w.known, turnID)
}

// endsWithTheFile waits for the end of a turn that was allowed its call, unless it
// was interrupted before.
func (w *world) endsWithTheFile(ctx context.Context, a *app.App, turnID string) error {
	s, err := a.Engine.Events(ctx, w.known, 0, turnID)
	if err != nil {
		return err
	}
	var exit event.Exit
	err = drain(ctx, s, func(e event.Event) {
		if e.Ends() {
			must(w.t, json.Unmarshal(e.Data, &exit))
		}
	})
	if err := errors.Join(err, s.Close()); err != nil {
		return fmt.Errorf("the answered turn does not end: %w", err)
	}
	if exit.ExitCode == 130 {
		return nil // a full disk did not take that its question was closed
	}
	data, err := os.ReadFile(filepath.Join(w.project, "docs", "notes.txt"))
	if err == nil && string(data) != "as asked\n" {
		err = fmt.Errorf("the file has %q", data)
	}
	return err
}

// isGranted checks that another call of that kind is not asked about.
func isGranted(w *world, a *app.App) error {
	events, err := say(a, turn.Request{SessionID: w.known, Message: "again"})
	if err != nil {
		return err
	}
	for _, e := range events {
		if e.Type == event.PermissionAsked {
			return errors.New("the call is asked about again")
		}
	}
	data, err := os.ReadFile(filepath.Join(w.project, "more.txt"))
	if err == nil && string(data) != "not asked\n" {
		err = fmt.Errorf("the file has %q", data)
	}
	return err
}

// auditIsWhole checks that the audit log counts as unchanged: it has
// all that the transcripts say of it.
func auditIsWhole(w *world, a *app.App) error {
	var seen []permit.Seen
	audit, err := permit.OpenAudit(app.AuditPath(w.state), time.Now)
	if err == nil {
		err = a.Store.Upkeep.AuditPositions(context.Background(), func(id string, p session.AuditPosition) {
			seen = append(seen, permit.Seen{Where: id, Position: permit.Position(p)})
		})
	}
	if err == nil {
		_, err = audit.Verify(context.Background(), seen...)
	}
	return err
}
