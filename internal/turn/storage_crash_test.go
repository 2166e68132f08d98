//go:build crashtest

package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"belay/internal/durable"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/changes"
)

// failsOnce lets the first write of something fail for want of room.
func failsOnce(t *testing.T, is func(durable.Op) bool) *atomic.Bool {
	var failed atomic.Bool
	durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
		if is(op) && !failed.Swap(true) {
			return syscall.ENOSPC
		}
		return nil
	}})
	t.Cleanup(func() { durable.SetHook(nil) })
	return &failed
}

// The log does not take the result of a call that has changed a file. The change is
// on record all the same, and can be taken back.
func TestChangeIsOnRecordWhereTheLogFails(t *testing.T) {
	r := newRig(t, writing)
	id := r.session()
	r.file("a.txt", "one\n")
	r.provider.play = asks(
		model.ToolCall{ID: "r", Name: "read", Input: []byte(`{"path":"a.txt"}`)},
		model.ToolCall{ID: "w", Name: "write", Input: []byte(`{"path":"a.txt","content":"two\n"}`)},
	)
	failed := failsOnce(t, func(op durable.Op) bool {
		return op.File == durable.EventLog && bytes.Contains(op.Data, []byte(`"toolCallId":"w","name":"write","ok":true`))
	})
	events := r.say(id, "write", func(q *Request) { q.Opts.Mode = "acceptEdits" })
	if exit := exitOf(t, events); !failed.Load() || exit.ErrorType != string(fault.StorageFailure) {
		t.Fatalf("failed: %v, exit %+v", failed.Load(), exit)
	}
	sets, err := r.engine.Changes(r.ctx(), id, "")
	must(t, err)
	last, ok := changes.LastStanding(sets)
	if !ok {
		t.Fatal("the change is not on record")
	}
	_, err = r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: last.Turn})
	must(t, err)
	if data, err := os.ReadFile(filepath.Join(r.project, "a.txt")); err != nil || string(data) != "one\n" {
		t.Errorf("after the undo the file has %q, %v", data, err)
	}
}

// What a person said into a turn is in the transcript, whichever record of it fails.
func TestInputIsKeptWhereARecordFails(t *testing.T) {
	records := map[string]func(durable.Op) bool{
		"told":   func(op durable.Op) bool { return bytes.Contains(op.Data, []byte(`"type":"turn:input"`)) },
		"kept":   func(op durable.Op) bool { return bytes.Contains(op.Data, []byte(`"kind":"input"`)) },
		"taken":  func(op durable.Op) bool { return strings.HasSuffix(op.To, ".taken") },
		"closed": func(op durable.Op) bool { return bytes.Contains(op.Data, []byte(`"deaf":true`)) },
	}
	for name, is := range records {
		for _, mode := range []session.InputMode{session.Steer, session.FollowUp} {
			t.Run(name+" "+string(mode), func(t *testing.T) {
				r, id, said := emptyRig(t), "", false
				r.open(withTools(t, act{"looks", permit.Read, func(ctx context.Context, _ *tool.Environment, _ json.RawMessage) (tool.Result, error) {
					if said { // the model asks again when it hears more
						return tool.Result{Text: "seen"}, nil
					}
					said = true
					return tool.Result{Text: "seen"}, r.engine.Steer(ctx, SteerRequest{SessionID: id, Message: "turn left", Mode: mode})
				}}))
				id = r.session()
				r.provider.play = asks(call("a", "looks"))
				failed := failsOnce(t, is)
				if exit := exitOf(t, r.say(id, "walk")); !failed.Load() || exit.ErrorType != string(fault.StorageFailure) {
					t.Fatalf("failed: %v, exit %+v", failed.Load(), exit)
				}
				r.provider.does(says("ok"))
				r.say(id, "and on")
				entries, err := r.engine.Transcript(r.ctx(), id)
				must(t, err)
				n := 0
				for _, e := range entries {
					if e.Kind == session.EntryInput && e.Message == "turn left" {
						n++
					}
				}
				if n != 1 {
					t.Errorf("the transcript has it %d times", n)
				}
			})
		}
	}
}

// A question that nobody can be notified of does not stay open.
func TestQuestionIsClosedWhereTheLogFails(t *testing.T) {
	r := emptyRig(t)
	r.open(r.withRequests, withTools(t, act{"writes", permit.Write, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		return tool.Result{}, errors.New("nobody allowed it")
	}}))
	id := r.session()
	r.provider.play = asks(call("a", "writes"))
	failed := failsOnce(t, func(op durable.Op) bool { return bytes.Contains(op.Data, []byte(event.PermissionAsked)) })
	if exit := exitOf(t, r.say(id, "write")); !failed.Load() || exit.ErrorType != string(fault.StorageFailure) {
		t.Fatalf("failed: %v, exit %+v", failed.Load(), exit)
	}
	open, err := r.engine.Decisions(r.ctx(), "")
	if err != nil || len(open) > 0 {
		t.Errorf("%d questions are open, %v", len(open), err)
	}
}
