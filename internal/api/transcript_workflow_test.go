package api_test

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"belay/internal/api/apitest"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/workflow/run"
)

func TestWorkflowTranscripts(t *testing.T) { transcripts(t, "workflow") }

// sampleRuns are the runs of a project: run_1, which succeeded, run_2, which a
// process works on, run_3, whose process died, and run_4, whose events lack their end.
type sampleRuns struct {
	project             string
	mu                  sync.Mutex
	cancelled, answered bool
}

func (s *sampleRuns) summary(project, id string) (run.Summary, error) {
	sum := run.Summary{ID: id, Workflow: "compare", Version: "1", File: filepath.Join(project, "flow.yaml"), Project: project,
		Status: run.Success, StartedAt: apitest.Start}
	ended := apitest.Start.Add(3 * time.Second)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch id {
	case "run_1":
		sum.EndedAt, sum.Usage, sum.Snapshot = &ended, &event.Tokens{InputTokens: 120, OutputTokens: 30}, "_Aggregation/compare_2026-01-02_0304"
	case "run_2":
		sum.Status, sum.Live = run.Running, true
		if s.cancelled {
			sum.Status, sum.Live, sum.EndedAt = run.Cancelled, false, &ended
			sum.Error = &run.Failure{Type: fault.RunCancelled, Message: "the run was cancelled"}
		}
	case "run_3":
		sum.Status = run.Interrupted
	case "run_4":
		sum.EndedAt = &ended
	default:
		return sum, fault.New(fault.RunNotFound, "the project has no run %q", id).With("runId", id)
	}
	return sum, nil
}

func (s *sampleRuns) Plan(_ context.Context, r run.Request) (*run.Plan, error) {
	if filepath.Base(r.File) == "broken.yaml" {
		return nil, fault.New(fault.InvalidWorkflow, "the workflow broken.yaml is not valid:\nbroken.yaml:3:5: tasks[0].agent: no agent has the id \"nobody\"").
			With("problems", []map[string]any{{"file": "broken.yaml", "line": 3, "column": 5, "path": "tasks[0].agent", "message": "no agent has the id \"nobody\""}})
	}
	return &run.Plan{Workflow: "compare", File: r.File, SHA256: "00", Project: r.Project, Folder: filepath.Dir(r.File), Input: r.Input,
		Tasks: []run.PlannedTask{{Key: "look", ID: "look", Kind: "basic", Agent: "reader", Prompt: "Compare.", Tokens: 12}}, Tokens: 12}, nil
}

func (s *sampleRuns) Start(ctx context.Context, r run.Request) (run.Summary, error) {
	if _, err := s.Plan(ctx, r); err != nil {
		return run.Summary{}, err
	}
	if r.Key != "" { // it began a run before
		return s.summary(r.Project, "run_1")
	}
	return s.summary(r.Project, "run_2")
}

func (s *sampleRuns) Resume(_ context.Context, project, id, _ string) (run.Summary, error) {
	if id == "run_2" {
		return run.Summary{}, fault.New(fault.RunInProgress, "the run %s is under way", id).With("runId", id)
	}
	sum, err := s.summary(project, id)
	sum.Status, sum.Live = run.Running, true
	return sum, err
}

func (s *sampleRuns) Correct(ctx context.Context, c run.Corrected) (run.Summary, error) {
	return s.Resume(ctx, c.Project, c.ID, c.OnQuestion)
}

func (s *sampleRuns) PlanCorrect(context.Context, run.Corrected) ([]run.Kept, error) {
	return []run.Kept{{Task: "look"}, {Task: "advise", Again: "its definition changed"}}, nil
}

func (s *sampleRuns) Questions(context.Context) ([]run.Waiting, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answered {
		return nil, nil
	}
	return []run.Waiting{
		{DecisionID: "dec_run2", RunID: "run_2", Project: s.project, Workflow: "compare", Task: "look", Message: "Go on?", Since: apitest.Start},
		{DecisionID: "dec_run9", RunID: "run_9", Project: "/proc", Workflow: "compare", Task: "look", Message: "Not here.", Since: apitest.Start},
	}, nil
}

func (s *sampleRuns) Closed(_ context.Context, id string) (w run.Waiting, found bool, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return run.Waiting{DecisionID: id, RunID: "run_2", Project: s.project, Task: "look"}, s.answered && id == "dec_run2", nil
}

func (s *sampleRuns) Answer(_ context.Context, a run.AnswerRequest) (run.Waiting, error) {
	if a.ID != "run_2" {
		return run.Waiting{}, fault.New(fault.NotFound, "the run %s waits for nobody", a.ID).With("runId", a.ID)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answered {
		return run.Waiting{}, fault.New(fault.DecisionClosed, "the task look of the run run_2 was answered already").With("decisionId", "dec_run2")
	}
	s.answered = true
	return run.Waiting{DecisionID: "dec_run2", RunID: a.ID, Task: "look", Answer: &run.Answer{Answer: a.Answer, Note: a.Note, By: a.By, At: apitest.Start}}, nil
}

func (s *sampleRuns) Cancel(_ context.Context, project, id string) error {
	sum, err := s.summary(project, id)
	if err == nil && !sum.Live {
		err = fault.New(fault.RunNotRunning, "nobody works on the run %s", id).With("runId", id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancelled = s.cancelled || err == nil
	return err
}

func (s *sampleRuns) List(_ context.Context, project string, most int) (shown []run.Summary, more int, err error) {
	all := []string{"run_3", "run_2", "run_1"}
	for _, id := range all[:min(most, len(all))] {
		sum, err := s.summary(project, id)
		if err != nil {
			return nil, 0, err
		}
		shown = append(shown, sum)
	}
	return shown, len(all) - len(shown), nil
}

func (s *sampleRuns) Show(_ context.Context, project, id string) (run.Record, error) {
	sum, err := s.summary(project, id)
	ended := apitest.Start.Add(2 * time.Second)
	r := run.Record{Summary: sum, SHA256: "00", Folder: project, Input: map[string]any{"n": 1}, Outputs: map[string]any{"same": true},
		Tasks: []run.Task{{Key: "look", ID: "look", Kind: "basic", Order: 1, Status: run.Success, StartedAt: apitest.Start, EndedAt: &ended,
			Agent: "reader", Prompt: "Compare.", Output: map[string]any{"response": "They are the same <&>."},
			Attempts: []run.Attempt{{Session: "s1", Turns: []string{"t1"}, StartedAt: apitest.Start, EndedAt: &ended}}}}}
	if id == "run_4" {
		r.Tasks[0].Prompt, r.Tasks[0].Output = strings.Repeat("Compare. ", 2000), map[string]any{"gaps": make([]int, 9000)}
	}
	return r, err
}

func (s *sampleRuns) Task(ctx context.Context, project, id, key string) (run.Task, error) {
	r, err := s.Show(ctx, project, id)
	if err != nil || key != r.Tasks[0].Key {
		return run.Task{}, cmp.Or(err, error(fault.New(fault.NotFound, "the run %s has begun no task %q", id, key).With("runId", id)))
	}
	return r.Tasks[0], nil
}

func (s *sampleRuns) Allowed(_ context.Context, project, id string) ([]string, error) {
	_, err := s.summary(project, id)
	if id == "run_3" {
		return []string{"bash(go test *)"}, err
	}
	return nil, err
}

func (s *sampleRuns) Follow(_ context.Context, project, id string, _ int64) (run.Stream, error) {
	if _, err := s.summary(project, id); err != nil {
		return nil, err
	}
	events := []run.Event{
		{Seq: 1, Type: run.RunStart, Data: encoded(run.Begun{ID: id, Workflow: "compare", Tasks: 1})},
		{Seq: 2, Type: run.TaskStart, Task: "look", Data: encoded(run.TaskBegun{ID: "look", Kind: "basic", Agent: "reader"})},
		{Seq: 3, Type: run.TaskEnd, Task: "look", Data: encoded(run.TaskEnded{Status: run.Success, Tokens: 150})},
		{Seq: 4, Type: run.RunEnd, Data: encoded(run.Ended{Status: run.Success})},
	}
	if id == "run_3" || id == "run_4" {
		events = events[:2]
	}
	for i := range events {
		events[i].Time = apitest.Start.Add(time.Duration(i) * time.Second)
	}
	return &sampleStream{events}, nil
}

func encoded(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

type sampleStream struct{ left []run.Event }

func (s *sampleStream) Next(context.Context) ([]run.Event, error) {
	if len(s.left) == 0 {
		return nil, io.EOF
	}
	events := s.left
	s.left = nil
	return events, nil
}

func (*sampleStream) Close() error { return nil }
