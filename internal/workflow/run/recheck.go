package run

import (
	"context"
	"time"

	"belay/internal/workflow/definition"
)

// recheck reports whether a finished task of a corrected file is kept. One that is not
// begins anew, and its record says why. What it used stays counted.
func (u reuse) recheck(ctx context.Context, t *definition.Task, p place, s scope, handed map[string]any, rec *Task) (kept bool) {
	why := ""
	if rests(t) {
		if why = u.again(ctx, t, p, s, handed, rec); why == "" {
			return true
		}
	}
	rec.goesOn(u.records.record.Pauses, u.records.now())
	rec.restart(why)
	rec.Kind = t.Kind
	rec.waitAnew(u.records.now())
	return false
}

// waitAnew has a wait task begin now: its time has not begun to run out.
func (t *Task) waitAnew(now time.Time) {
	if t.Kind == definition.Wait {
		t.StartedAt, t.PausedMs, t.ResumedAt = now, 0, nil
	}
}

// restart makes the record that of a task which begins anew.
func (t *Task) restart(why string) {
	t.Status, t.Again, t.EndedAt, t.Error, t.Output, t.Answer, t.Route = Running, why, nil, nil, nil, nil, ""
	t.Decided = nil
	t.Definition, t.Given = "", ""
}

// answered reports whether the task has its answer, and failed only by its outputs: what
// was paid for is not asked again. It notes the identity of any other.
func (u reuse) answered(ctx context.Context, t *definition.Task, p place, s scope, rec *Task) bool {
	before := identity{rec.Definition, rec.Given}
	u.note(ctx, t, p, s, rec)
	if rec.Answer == nil || before != (identity{rec.Definition, rec.Given}) || before.definition == "" {
		return false
	}
	rec.Output = rec.Answer
	return true
}

// reshaped makes the outputs of a task that is kept as the corrected file wants them.
func (u reuse) reshaped(t *definition.Task, s scope, handed map[string]any, rec *Task) error {
	if rec.Answer != nil {
		rec.Output, rec.Status, rec.Error = rec.Answer, Success, nil
	}
	if rec.Status != Success || t.Outputs == nil && rec.Answer == nil {
		return nil
	}
	if rec.Answer = nil; t.Outputs != nil {
		rec.Answer = rec.Output
	}
	if err := u.eval.reshape(t, rec, s, handed, nil); err != nil {
		rec.Status, rec.Error = Failed, failureOf(err)
	}
	return u.records.keep(rec)
}
