package turn

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/turn/ending"
)

// pretended is a background job that runs nothing. Its stop waits for those of all
// jobs of its test.
type pretended struct {
	all   *sync.WaitGroup
	alone *atomic.Bool
	ended *atomic.Int32
	over  sync.Once
}

func (*pretended) Line() string  { return "pretended" }
func (*pretended) Running() bool { return true }

func (p *pretended) Stop(ctx context.Context) {
	p.over.Do(func() {
		p.all.Done()
		met := make(chan struct{})
		go func() { p.all.Wait(); close(met) }()
		select {
		case <-met:
		case <-ctx.Done():
			p.alone.Store(true)
		}
	})
}

func (p *pretended) End(ctx context.Context) (tool.Result, error) {
	p.Stop(ctx)
	p.ended.Add(1)
	return tool.Result{Text: "it has ended"}, nil
}

// jobs are pretended jobs, and the tool that starts one.
type jobs struct {
	all   sync.WaitGroup
	alone atomic.Bool
	ended atomic.Int32
}

func (j *jobs) tool() act {
	return act{"starts", permit.Read, func(ctx context.Context, w *tool.Environment, _ json.RawMessage) (tool.Result, error) {
		j.all.Add(1)
		err := w.Jobs.Start(ctx, func(string) (tool.Job, error) {
			return &pretended{all: &j.all, alone: &j.alone, ended: &j.ended}, nil
		})
		return tool.Result{Text: "started"}, err
	}}
}

// The jobs of a turn are stopped at the same time, under one deadline: none waits for
// another to end.
func TestJobsAreStoppedTogether(t *testing.T) {
	t.Parallel()
	j := &jobs{}
	r := newRig(t, withTools(t, j.tool()))
	r.provider.does(asks(call("a", "starts"), call("b", "starts"), call("c", "starts")))
	all := r.say(r.session(), "go")
	if e := exitOf(t, all); e.ExitCode != ending.Done || j.ended.Load() != 3 || j.alone.Load() {
		t.Errorf("the end is %+v; %d jobs ended, one of them alone: %v", e, j.ended.Load(), j.alone.Load())
	}
	if n := strings.Count(names(all), string(event.TurnWarning)); n != 3 {
		t.Errorf("%d warnings about jobs: %s", n, names(all))
	}
}

// The background jobs of a turn that waits for a person end when its server stops, and
// the turn is left to the next server.
func TestJobsOfATurnThatIsLeft(t *testing.T) {
	t.Parallel()
	j := &jobs{}
	r := emptyRig(t)
	r.open(withTools(t, j.tool(), act{"writes", permit.Write, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: "written"}, nil
	}}), r.withRequests)
	r.engine.Recovery.Stay()
	r.provider.does(asks(call("a", "starts"), call("b", "writes")))
	id := r.session()
	_ = r.begin(id, Opts{OnQuestion: OnQuestionWait})
	q := r.asked(id)
	must(t, r.engine.Close(r.ctx()))
	if j.ended.Load() != 1 || r.engine.Counts().Left != 1 {
		t.Errorf("%d jobs ended, %d turns are left", j.ended.Load(), r.engine.Counts().Left)
	}
	if _, open, err := r.options.Requests.Reopen(q.ID); err != nil || !open {
		t.Errorf("the question is open: %v, %v", open, err)
	}
}

// The background job of a subagent that crashes ends with it.
func TestJobOfASubagentThatCrashes(t *testing.T) {
	t.Parallel()
	j := &jobs{}
	var crash atomic.Bool
	r := newRig(t, withTools(t, j.tool()), func(o *Options) {
		o.Rules.SubagentsEnabled = "true"
		clock := o.Clock
		o.Clock = func() time.Time {
			if crash.CompareAndSwap(true, false) {
				panic("a crash in the middle of an agent's work")
			}
			return clock()
		}
	})
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if !isTask(q) {
			handsOver(ctx, q, yield)
			return
		}
		answered(q, func() { use(yield, call("s", "starts")) }, func() {
			says("the report")(ctx, q, yield)
			crash.Store(true) // when the answer is put on record
		})
	})
	e := exitOf(t, r.say(r.session(), "go", delegating))
	if e.ExitCode != ending.Failed || j.ended.Load() != 1 || crash.Load() {
		t.Errorf("the end is %+v; %d jobs ended", e, j.ended.Load())
	}
}
