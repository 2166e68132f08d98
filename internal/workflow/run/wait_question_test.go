package run_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// An answer counts for the question that the person saw. After the file or an answer before it
// was changed, the task asks something else, and nobody has answered that.
func TestAnswerIsToItsQuestion(t *testing.T) {
	t.Parallel()
	const draft = "tasks:\n  - {id: draft, agent: a, prompt: 'tidy up the drafts', on_success: {next: ok}}\n"
	for name, c := range map[string]struct{ workflow, old, new, asks string }{
		"message changed":       {"id: flow\ntasks:\n  - {id: ok, type: wait, message: 'Tidy up the drafts?'}\n", "Tidy up the drafts", "Delete the whole archive", "Delete the whole archive?"},
		"what it shows changed": {agents + draft + "  - {id: ok, type: wait, message: 'Shall I {{ .tasks.draft.output.response }}?'}\n", "tidy up the drafts", "delete all", "Shall I delete all?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, c.workflow+"outputs: {by: '{{ .tasks.ok.output.by }}'}\n", echo)
			id := b.start(nil)
			first := b.waits(id)
			b.restart()
			answer := run.AnswerRequest{Project: b.project, ID: id, Answer: run.AnswerContinue, By: "ann"}
			if _, err := b.r.Answer(t.Context(), answer); err != nil {
				t.Fatal(err)
			}
			b.file("flow.yaml", strings.Replace(c.workflow, c.old, c.new, 1)+"outputs: {by: '{{ .tasks.ok.output.by }}'}\n")
			again := b.corrected(id)
			again.OnQuestion = turn.OnQuestionRefuse
			if _, err := b.r.PlanCorrect(t.Context(), again); name == "message changed" && !fault.Is(err, fault.InvalidWorkflow) {
				t.Errorf("nobody attends it, and the plan says %v", err)
			}
			if _, err := b.r.Correct(t.Context(), b.corrected(id)); err != nil {
				t.Fatal(err)
			}
			second := b.waits(id)
			if second.Message != c.asks || second.DecisionID == first.DecisionID {
				t.Fatalf("it asks %q as %s, after %q as %s", second.Message, second.DecisionID, first.Message, first.DecisionID)
			}
			answer.DecisionID, answer.By = first.DecisionID, "ann"
			if _, err := b.r.Answer(t.Context(), answer); !fault.Is(err, fault.DecisionClosed) || !strings.Contains(err.Error(), "asks something else now") {
				t.Errorf("an answer to the question before: %v", err)
			}
			answer.DecisionID, answer.By = second.DecisionID, "bob"
			if _, err := b.r.Answer(t.Context(), answer); err != nil {
				t.Fatal(err)
			}
			if r := b.ended(id); r.Outputs["by"] != "bob" {
				t.Errorf("%s %+v by %v", r.Status, r.Error, r.Outputs)
			}
		})
	}
}

// An answer that does not say which question it is for, as earlier versions wrote it, is none.
func TestAnswerWithoutItsQuestion(t *testing.T) {
	t.Parallel()
	b := newBench(t, "id: flow\ntasks: [{id: ok, type: wait, message: Well?}]\noutputs: {by: '{{ .tasks.ok.output.by }}'}\n", echo)
	id := b.start(nil)
	b.waits(id)
	b.restart()
	answer := run.AnswerRequest{Project: b.project, ID: id, Answer: run.AnswerContinue, By: "ann"}
	if _, err := b.r.Answer(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(filepath.Join(b.state, "runs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range names {
		if name := filepath.Join(b.state, "runs", e.Name()); filepath.Ext(name) == ".answer" {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			old := regexp.MustCompile(`,"decisionId":"\w+"`).ReplaceAll(data, nil)
			if err := os.WriteFile(name, old, 0o600); err != nil || len(old) == len(data) {
				t.Fatalf("%s has %s: %v", name, data, err)
			}
		}
	}
	if n, err := b.r.TakeUpWaiting(t.Context()); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	b.waits(id)
	answer.By = "bob"
	if _, err := b.r.Answer(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	if r := b.ended(id); r.Outputs["by"] != "bob" {
		t.Errorf("%s %+v by %v", r.Status, r.Error, r.Outputs)
	}
}

// restart ends the process that works on the runs, and begins another one.
func (b *bench) restart() {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	cancel()
	_ = b.r.Close(ctx) // it says that it had to stop them
	b.r = b.runner()
}
