package cli

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/permit"
	"belay/internal/turn"
)

func newDecision(c *console) *cobra.Command {
	g := group("decision", "Answer what a tool call waits for, from any terminal",
		"  belay decision list\n  belay decision allow dec_4f2a8c\n  belay decision deny dec_4f2a8c --note \"not on the main branch\"",
		newDecisionList(c), newDecisionShow(c), newDecisionAllow(c), newDecisionDeny(c),
	)
	g.Long = `Answer what a tool call waits for. The questions of every turn of this user lie in the
state folder, whichever process runs the turn, so no server is needed. The first
answer counts. A question is named by its id, or by the beginning of it as far as no
other open question's begins like it.`
	return g
}

func newDecisionList(c *console) *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what waits for an answer, oldest first",
		Long: `List the tool calls that wait for an answer, oldest first, each with what it would do:
the command and its folder, the files, what they would become, and what it would
reach over the network.`,
		Example: "  belay decision list\n  belay decision list --session sess_2f4c8e0a\n  belay decision list --json | jq -r '.decisions[].id'",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&session, "session", "", "only those of the session `ID`")
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.rooms(cmd, func(ctx context.Context, a *app.App) error {
			id, err := named(ctx, a.Engine, session)
			if err != nil {
				return err
			}
			open, err := a.Engine.Decisions(ctx, id)
			if err != nil {
				return err
			}
			if asJSON {
				return c.writeJSON(map[string]any{"decisions": orEmpty(open)})
			}
			for i, r := range open {
				if i > 0 {
					c.write("\n")
				}
				c.printQuestion(r, shortDiff)
			}
			if len(open) == 0 {
				c.tell(c.paint(styleQuiet, "nothing"), "waits for an answer")
			}
			return nil
		})
	}
	return cmd
}

func newDecisionShow(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show one open question with all that it would change",
		Example: "  belay decision show dec_4f2a8c",
		Args:    needsQuestion,
	}
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.rooms(cmd, func(ctx context.Context, a *app.App) error {
			r, ok, err := openQuestion(ctx, a.Engine, args[0])
			if err != nil {
				return err
			}
			if !ok {
				return failed(ExitNotFound, "list the open ones with belay decision list", fmt.Errorf("no open question has the id %s", args[0]))
			}
			if asJSON {
				return c.writeJSON(map[string]any{"decision": r})
			}
			c.printQuestion(r, 0)
			return nil
		})
	}
	return cmd
}

func newDecisionAllow(c *console) *cobra.Command {
	var note string
	var only []string
	var session bool
	cmd := &cobra.Command{
		Use:   "allow ID",
		Short: "Let a tool call run",
		Long: `Let a tool call run. With --session later calls of the same kind by the same agent in
that session need no answer either: of that command, that host, or that tool.`,
		Example: "  belay decision allow dec_4f2a8c\n  belay decision allow dec_4f2a8c --session",
		Args:    needsQuestion,
	}
	cmd.Flags().BoolVar(&session, "session", false, "allow calls of this kind for the rest of the session")
	cmd.Flags().StringVar(&note, "note", "", "tell the agent this `TEXT` with it")
	cmd.Flags().StringArrayVar(&only, "only", nil, "of what a command changed, apply this `PATH` and drop the rest; may be repeated")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		verdict := permit.VerdictAllow
		if session {
			verdict = permit.VerdictAllowSession
		}
		return c.answerQuestion(cmd, args[0], verdict, note, only...)
	}
	return cmd
}

func newDecisionDeny(c *console) *cobra.Command {
	var note string
	cmd := &cobra.Command{
		Use:     "deny ID",
		Short:   "Refuse a tool call; the agent goes on without it",
		Example: "  belay decision deny dec_4f2a8c --note \"use the staging host\"",
		Args:    needsQuestion,
	}
	cmd.Flags().StringVar(&note, "note", "", "tell the agent this `TEXT` with it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.answerQuestion(cmd, args[0], permit.VerdictDeny, note)
	}
	return cmd
}

// needsQuestion is the argument rule of commands about one question.
func needsQuestion(_ *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return failed(ExitUsage, "list the open ones with belay decision list", errors.New("name one question by its id"))
}

// answerQuestion says what the call would do, and gives the answer.
func (c *console) answerQuestion(cmd *cobra.Command, id string, v permit.Verdict, note string, only ...string) error {
	return c.rooms(cmd, func(ctx context.Context, a *app.App) error {
		r, ok, err := openQuestion(ctx, a.Engine, id)
		if err != nil {
			return err
		}
		answer := turn.DecisionRequest{DecisionID: id, Verdict: v, By: c.person(), Note: note, Only: only}
		if ok {
			answer.SessionID, answer.DecisionID = r.SessionID, r.ID
			c.note("asked", r.Effect.Summary)
		}
		d, err := a.Engine.Decide(ctx, answer)
		if err != nil {
			return err
		}
		said := d.DecisionID
		if d.Verdict == permit.VerdictAllowSession {
			said += ", and calls of this kind by the same agent for the rest of the session"
		}
		c.note(verdictWord(d.Verdict), said)
		return nil
	})
}

// minQuestion is how much of a question's id is enough to name it: what all begin
// with, and a little of what is its own.
const minQuestion = len("dec_") + 2

// openQuestion finds the open one that a person named, by its whole id or by a
// beginning that no other open one has.
func openQuestion(ctx context.Context, e turn.Engine, named string) (permit.Request, bool, error) {
	open, err := e.Decisions(ctx, "")
	if err != nil {
		return permit.Request{}, false, err
	}
	found := slices.DeleteFunc(open, func(r permit.Request) bool {
		return r.ID != named && (len(named) < minQuestion || !strings.HasPrefix(r.ID, named))
	})
	if i := slices.IndexFunc(found, func(r permit.Request) bool { return r.ID == named }); i >= 0 {
		return found[i], true, nil
	}
	switch len(found) {
	case 0:
		return permit.Request{}, false, nil
	case 1:
		return found[0], true, nil
	}
	ids := make([]string, 0, shownMatches)
	for _, r := range found[:min(len(found), shownMatches)] {
		ids = append(ids, r.ID)
	}
	return permit.Request{}, false, failed(ExitUsage, "write more of the id of the one you mean: "+strings.Join(ids, ", "),
		fmt.Errorf("more than one open question has an id that begins with %s", named))
}

// verdictWord is what became of a question, for people.
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
	left := r.Expires.Sub(now).Round(time.Second)
	if left <= 0 {
		return "its time is over"
	}
	return fmt.Sprintf("%s (in %v)", when(r.Expires), left)
}
