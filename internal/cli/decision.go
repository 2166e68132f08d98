package cli

import (
	"context"
	"fmt"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/permit"
	"belay/internal/quantity"
	"belay/internal/turn"
)

func newDecision(c *console) *cobra.Command {
	g := group("decision", "Answer the questions of tool calls and runs, from any terminal",
		"  belay decision list\n  belay decision allow dec_4f2a8c\n  belay decision deny dec_4f2a8c --note \"not on the main branch\"",
		newDecisionList(c), newDecisionShow(c), newDecisionAllow(c), newDecisionDeny(c),
	)
	g.Long = `Answer the questions of tool calls and runs. The questions of all turns and runs of this
user are in the state folder, so you need no server. The first answer counts. Name a
question by its id or any unique prefix of at least six characters. If the process of a
turn has ended, a running or later belay serve, or the next turn of the session, carries
out the answer. If the process of a run has ended, the next belay serve or belay run
--resume does.`
	return g
}

func newDecisionList(c *console) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List open questions, oldest first",
		Long: `List the tool calls that wait for an answer, oldest first, each with what it would do:
the command and its folder, the files, what they would become, and what it would
reach over the network. The wait tasks of runs follow, each with its text.`,
		Example: "  belay decision list\n  belay decision list --session sess_2f4c8e0a\n  belay decision list --json | jq -r '.decisions[].id'",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&session, "session", "", "only those of the session `ID`")
	part := listFlags(c, cmd)
	cmd.RunE = appCommand(c, func(ctx context.Context, a *app.App, _ []string) error {
		id, err := named(ctx, a.Engine, session)
		if err != nil {
			return err
		}
		open, err := allPending(ctx, a, id)
		if err != nil {
			return err
		}
		open, left, err := pageOf(part, open, pending.id)
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(pendingJSON(open, left))
		}
		defer left.tell(c)
		for i, q := range open {
			if i > 0 {
				c.write("\n")
			}
			printPending(c, q, shortDiff)
		}
		if len(open) == 0 {
			c.tell(c.paint(styleQuiet, "nothing"), "waits for an answer")
		}
		return nil
	})
	return cmd
}

func newDecisionShow(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show an open question and its whole effect",
		Example: "  belay decision show dec_4f2a8c",
		Args:    needsQuestion,
	}
	jsonFlag(c, cmd)
	cmd.RunE = appCommand(c, func(ctx context.Context, a *app.App, args []string) error {
		q, ok, err := openQuestion(ctx, a, args[0])
		if err != nil {
			return err
		}
		if !ok {
			return failed(ExitNotFound, "list the open ones with belay decision list", fmt.Errorf("no open question has the id %s", args[0]))
		}
		switch {
		case c.json && q.wait != nil:
			return c.writeJSON(map[string]any{"wait": q.wait})
		case c.json:
			return c.writeJSON(map[string]any{"decision": q.call})
		}
		printPending(c, q, 0)
		return nil
	})
	return cmd
}

func newDecisionAllow(c *console) *cobra.Command {
	var note string
	var only []string
	var session bool
	cmd := &cobra.Command{
		Use:   "allow ID",
		Short: "Let a tool call run, or let a run continue",
		Long: `Let a tool call run, or let a run continue that waits for a person. With --session later calls of the same kind by the same agent in
that session need no answer either: of that command, that host, or that tool. The tasks
that follow in a run see the note.`,
		Example: "  belay decision allow dec_4f2a8c\n  belay decision allow dec_4f2a8c --session",
		Args:    needsQuestion,
	}
	cmd.Flags().BoolVar(&session, "session", false, "allow calls of this kind for the rest of the session")
	cmd.Flags().StringVar(&note, "note", "", "add this `TEXT` for the agent")
	cmd.Flags().StringArrayVar(&only, "only", nil, "of what a command changed, apply this `PATH`, or what a pattern such as out/* fits, and drop the rest; may be repeated")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		verdict := permit.VerdictAllow
		if session {
			verdict = permit.VerdictAllowSession
		}
		return answerQuestion(c, cmd, args[0], verdict, note, only...)
	}
	return cmd
}

func newDecisionDeny(c *console) *cobra.Command {
	var note string
	cmd := &cobra.Command{
		Use:     "deny ID",
		Short:   "Refuse a tool call, or fail the wait task of a run",
		Example: "  belay decision deny dec_4f2a8c --note \"use the staging host\"",
		Args:    needsQuestion,
	}
	cmd.Flags().StringVar(&note, "note", "", "add this `TEXT` for the agent")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return answerQuestion(c, cmd, args[0], permit.VerdictDeny, note)
	}
	return cmd
}

// answerQuestion says what the call would do or what the run asks, and gives the answer.
func answerQuestion(c *console, cmd *cobra.Command, id string, v permit.Verdict, note string, only ...string) error {
	return c.withApp(cmd, func(ctx context.Context, a *app.App) error {
		q, ok, err := openQuestion(ctx, a, id)
		if err != nil {
			return err
		}
		if q.wait != nil {
			return answerWait(ctx, c, a, *q.wait, v, note, only...)
		}
		if !ok {
			w, found, err := a.Runs.Closed(ctx, id)
			if err != nil {
				return err
			}
			if found { // the answer says how it was decided
				return answerWait(ctx, c, a, w, v, note, only...)
			}
		}
		answer := turn.DecisionRequest{DecisionID: id, Verdict: v, By: c.person(), Note: note, Only: only}
		if ok {
			answer.SessionID, answer.DecisionID = q.call.SessionID, q.call.ID
			if answer.Only, err = namedFiles(q.call.Effect, only, "belay decision show "+q.call.ID+" lists them"); err != nil {
				return err
			}
			c.note("asked", q.call.Effect.Summary)
		}
		d, err := a.Engine.Decide(ctx, answer)
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(onQuestion{DecisionID: d.DecisionID, Verdict: string(d.Verdict)})
		}
		said := d.DecisionID
		if d.Verdict == permit.VerdictAllowSession {
			said += ", and calls of this kind by the same agent for the rest of the session"
		}
		c.note(verdictWord(d.Verdict), said)
		if ok {
			noteWaiting(c, a, q.call)
		}
		return nil
	})
}

// verdictWord is the outcome of a question, for people.
func verdictWord(v permit.Verdict) string {
	if (permit.Decision{Verdict: v}).Allowed() {
		return "allowed"
	}
	return "denied"
}

// person is the name under which this user's decisions are recorded.
func (c *console) person() string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if v := line(c.env[name]); v != "" {
			return clip(v, 100)
		}
	}
	if u, err := user.Current(); err == nil && line(u.Username) != "" {
		return clip(line(u.Username), 100)
	}
	return "operator"
}

// untilWhen says how long a question waits.
func untilWhen(r permit.Request, now time.Time) string {
	if r.Expires.IsZero() {
		return "it is answered"
	}
	left := r.Expires.Sub(now)
	if left <= 0 {
		return "its time is over"
	}
	return fmt.Sprintf("%s (in %s)", when(r.Expires), quantity.Duration(left))
}
