package discord

import (
	"context"
	"fmt"
	"slices"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord/output"
)

// reader waits until the output up to a position is in Discord. Shown is closed then.
type reader struct {
	position int64
	shown    chan struct{}
}

// output takes an output, and shows it at Discord's pace. It reports whether that was the end.
func (a *answer) output(ctx context.Context, m contract.Message, pace *<-chan time.Time) (ended bool) {
	if last, ok := m.Payload.(*contract.ResponseText); ok {
		a.close(ctx, last)
		return true
	}
	a.take(m)
	if *pace == nil && a.step(ctx) {
		*pace = time.After(editEvery)
	}
	a.show(ctx)
	return false
}

// take adds an output to the plan. Files that a tool read, its calls and the model's
// reasoning are not for people here.
func (a *answer) take(m contract.Message) {
	a.setRunning()
	a.position = m.Seq
	for len(a.anchors) > 0 && a.anchors[0].After < m.Seq {
		a.anchor, a.anchors = &a.anchors[0], a.anchors[1:]
	}
	switch p := m.Payload.(type) {
	case *contract.TextDelta:
		if a.anchor != nil && (p.Begins || a.anchor.AtOnce) {
			a.plan.Break(a.anchor.ReplyTo)
			a.anchor = nil
		}
		a.plan.Append(p.Delta)
	case *contract.ResponseBinary:
		key := fmt.Sprintf("%s:%d", p.ToolCallID, p.Index)
		a.files[key] = p.File
		a.plan.AddFile(output.File{Key: key, Name: p.Filename, Size: p.Bytes})
	}
}

// show brings all that was taken to Discord where somebody waits for it.
func (a *answer) show(ctx context.Context) {
	reached := func(r reader) bool { return r.position <= a.position }
	if !slices.ContainsFunc(a.waiting, reached) {
		return
	}
	for a.step(ctx) {
	}
	a.waiting = slices.DeleteFunc(a.waiting, func(r reader) bool {
		if reached(r) {
			close(r.shown)
		}
		return reached(r)
	})
}

// setRunning shows that the agent works.
func (a *answer) setRunning() {
	a.surface.mu.Lock()
	a.running = true
	a.surface.mu.Unlock()
}
