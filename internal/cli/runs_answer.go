package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/permit"
	"belay/internal/workflow/run"
)

// newRunsAnswer is belay runs continue and belay runs refuse: the answers to a wait task.
func newRunsAnswer(c *console, use, answer, short string) *cobra.Command {
	var task, note string
	cmd := &cobra.Command{
		Use:   use + " RUN",
		Short: short,
		Long: short + `. Use belay runs show RUN to see what the
run waits for, and --task if several tasks wait. The note is on record, and the tasks
that follow see it. If no process works on the run, the answer counts when you resume
it.`,
		Example: "  belay runs " + use + " run_0199c2\n  belay runs " + use + " run_0199c2 --task each/3/approve --note 'see line 4'",
		Args:    needsRun,
	}
	setting(cmd, "project", "project", "the run is of the project in `DIR`")
	cmd.Flags().StringVar(&task, "task", "", "answer the task `KEY`, such as approve or each/3/approve")
	cmd.Flags().StringVar(&note, "note", "", "say `TEXT` with the answer")
	jsonFlag(c, cmd)
	cmd.RunE = runCommand(c, func(ctx context.Context, a *app.App, project, id string) error {
		w, err := a.Runs.Answer(ctx, run.AnswerRequest{Project: project, ID: id, Task: task, Answer: answer, Note: note, By: c.person()})
		if err != nil {
			return err
		}
		w.Project = project
		if w.Message != "" { // else it waits for a time alone
			c.note("asked", line(w.Message))
		}
		return noteAnswered(ctx, c, a, w, answer == run.AnswerContinue)
	})
	return cmd
}

// answerWait answers a wait task as a decision.
func answerWait(ctx context.Context, c *console, a *app.App, w run.Waiting, v permit.Verdict, note string, only ...string) error {
	if v == permit.VerdictAllowSession || len(only) > 0 {
		return failed(ExitUsage, "leave --session and --only out", errors.New("the question of a run is not about a tool call"))
	}
	c.note("asked", w.Message)
	if _, err := a.Runs.Answer(ctx, w.Answered(v == permit.VerdictAllow, note, c.person())); err != nil {
		return err
	}
	return noteAnswered(ctx, c, a, w, v == permit.VerdictAllow)
}

// noteAnswered says the outcome of a wait task, and how its run goes on.
func noteAnswered(ctx context.Context, c *console, a *app.App, w run.Waiting, continues bool) error {
	word := "refused"
	if continues {
		word = "continues"
	}
	if c.json {
		return c.writeJSON(onQuestion{RunID: w.RunID, Task: w.Task, Verdict: word})
	}
	c.note(word, w.Task+", "+w.RunID)
	s, err := a.Runs.Show(ctx, w.Project, w.RunID)
	if err == nil && !s.Live {
		c.note("go on", c.resumption(s, a.Config, ""))
	}
	return err
}

// pendingJSON is a list of questions as JSON has it.
func pendingJSON(open []pending, left rest) any {
	calls, waits := []permit.Request{}, []run.Waiting{}
	for _, q := range open {
		if q.wait != nil {
			waits = append(waits, *q.wait)
		} else {
			calls = append(calls, q.call)
		}
	}
	return struct {
		Decisions []permit.Request `json:"decisions"`
		Waits     []run.Waiting    `json:"waits"`
		rest
	}{calls, waits, left}
}
