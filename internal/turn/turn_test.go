package turn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
)

// Covers: turn-api REQ-01, REQ-02, REQ-03
func TestTurnEndToEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	events := r.say(id, "hi")
	want := "session:init chat:delta usage chat:complete session:complete process:exit"
	if got := names(events); got != want {
		t.Errorf("events\n got %s\nwant %s", got, want)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has sequence %d", i, e.Seq)
		}
	}
	if got := payload[event.Text](t, events, event.ChatComplete).Text; got != "hello" {
		t.Errorf("answer %q", got)
	}
	init := payload[event.Init](t, events, event.SessionInit)
	rec, err := r.engine.Get(r.ctx(), id)
	must(t, err)
	if rec.ClaudeSessionID == "" || rec.ClaudeSessionID != init.ClaudeSessionID || rec.Model != init.Model {
		t.Errorf("record %+v does not hold what init said: %+v", rec, init)
	}
	again := payload[event.Init](t, r.say(id, "again"), event.SessionInit)
	if again.ClaudeSessionID != init.ClaudeSessionID {
		t.Errorf("the conversation id changed: %q, %q", init.ClaudeSessionID, again.ClaudeSessionID)
	}
}

// A turn moves the session's time of use, and writes session.json only where the
// record changes.
func TestTurnsMoveTheTimeOfUse(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	r.say(id, "first")
	file := filepath.Join(r.project, ".belay", "sessions", id, "session.json")
	before, err := os.Stat(file)
	must(t, err)
	r.now.Add(int64(time.Hour))
	r.say(id, "second")
	rec, err := r.engine.Get(r.ctx(), id)
	must(t, err)
	if !rec.UpdatedAt.Equal(r.clock()) {
		t.Errorf("used at %v, want %v", rec.UpdatedAt, r.clock())
	}
	after, err := os.Stat(file)
	must(t, err)
	if !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Error("session.json was written for a turn that changed nothing in it")
	}
}

func TestHistoryReachesTheModel(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.file("AGENTS.md", "Always answer in Latin.\n")
	id := r.session()
	r.say(id, "first question")
	r.provider.play = says("second answer")
	r.say(id, "second question")
	r.say(id, "third question")
	req := r.provider.last(t)
	var lines []string
	for _, m := range req.History {
		for _, c := range m.Content {
			lines = append(lines, string(m.Role)+": "+textOf(c))
		}
	}
	got := strings.Join(lines, "\n")
	want := "user: first question\nassistant: hello\nuser: second question\nassistant: second answer"
	if got != want {
		t.Errorf("history\n%s\nwant\n%s", got, want)
	}
	if p, ok := req.Prompt.(model.StringPrompt); !ok || string(p) != "third question" {
		t.Errorf("prompt %#v", req.Prompt)
	}
	if len(req.System) != 2 || !strings.Contains(req.System[0], "PROTOCOL") || !strings.Contains(req.System[1], "Latin") {
		t.Errorf("system prompt is not the persona's instructions and the project's notes: %q", req.System)
	}
	m, err := r.engine.Manifest(r.ctx(), id, "")
	must(t, err)
	if m.History.Turns != 2 || len(m.Instructions) != 2 || m.Instructions[1].SHA256 == "" {
		t.Errorf("manifest %+v", m)
	}
}

// Covers: turn-api REQ-05, REQ-06, REQ-09; attachment-resolver REQ-07, REQ-09, REQ-10, REQ-11
func TestPromptModes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	good, bad := r.file("notes.txt", "some words"), filepath.Join(r.project, "gone.txt")
	tests := []struct {
		name    string
		message string
		files   []string
		want    []string
		mode    event.PromptMode
	}{
		{"words", "hi", nil, []string{"hi"}, event.PromptString},
		{"words and a file", "hi", []string{good}, []string{"hi", "notes.txt"}, event.PromptBlocks},
		{"a file alone", " ", []string{good}, []string{"notes.txt"}, event.PromptBlocks},
		{"a file beside nothing that shows", "\ufeff\u200b", []string{good}, []string{"notes.txt"}, event.PromptBlocks},
		{"words, refused file", "hi", []string{bad}, []string{"NOT_FOUND"}, event.PromptString},
		{"one of two refused", "hi", []string{bad, good}, []string{"NOT_FOUND", "hi", "notes.txt"}, event.PromptBlocks},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events := r.say(r.session(), tt.message, func(q *Request) { q.Attachments = tt.files })
			if got := payload[event.Init](t, events, event.SessionInit).PromptMode; got != tt.mode {
				t.Errorf("session:init says %q, want %q", got, tt.mode)
			}
			parts := r.provider.last(t).Prompt.Parts()
			if len(parts) != len(tt.want) {
				t.Fatalf("prompt has %d parts, want %d: %+v", len(parts), len(tt.want), parts)
			}
			for i, p := range parts {
				if got := textOf(model.Media{Part: p}); !strings.Contains(got, tt.want[i]) {
					t.Errorf("part %d is %q, want %q in it", i, got, tt.want[i])
				}
			}
		})
	}
}

// Covers: turn-api REQ-06, REQ-08; attachment-resolver REQ-08
func TestNothingToSend(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: " \n"})
	if !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("empty turn: %v", err)
	}
	_, err = r.engine.Start(r.ctx(), Request{SessionID: id, Attachments: []string{"relative.txt", filepath.Join(r.project, "no.txt")}})
	f := fault.From(err)
	if f.Type != fault.AttachmentFailure || f.Details["rejectedAttachmentCount"] != 2 {
		t.Errorf("all refused: %+v", f)
	}
	if events := r.say(id, "still free"); exitOf(t, events).ExitCode != 0 {
		t.Error("the refused turns kept the session busy")
	}
}

// Covers: turn-api REQ-11
func TestBusySession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	started := make(chan struct{})
	r.provider.play = blocks(started)
	id := r.session()
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "long"})
	must(t, err)
	<-started
	_, err = r.engine.Start(r.ctx(), Request{SessionID: id, Message: "short"})
	if f := fault.From(err); f.Type != fault.TurnInProgress || f.Status != 409 || f.Details["sessionId"] != id {
		t.Errorf("second turn: %+v", f)
	}
	if err := r.engine.Delete(r.ctx(), id); !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("delete while a turn runs: %v", err)
	}
	if _, err := r.engine.Boot(r.ctx(), BootRequest{SessionID: id}); !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("boot while a turn runs: %v", err)
	}
	r.provider.play = says("queued answer")
	queued := make(chan []event.Event)
	go func() { queued <- r.say(id, "waits", func(q *Request) { q.Opts.OnBusy = onBusyQueue }) }()
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	exit := exitOf(t, r.drain(s))
	if exit.ExitCode != 130 || exit.Interrupted == nil || !*exit.Interrupted {
		t.Errorf("interrupted turn ended with %+v", exit)
	}
	if got := payload[event.Text](t, <-queued, event.ChatComplete).Text; got != "queued answer" {
		t.Errorf("queued turn answered %q", got)
	}
	if err := r.engine.Interrupt(r.ctx(), id, ""); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("interrupt of an idle session: %v", err)
	}
}

// Covers: turn-api REQ-12
func TestFailuresEndTheTurn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		play     func(context.Context, model.Request, func(model.Chunk, error) bool)
		limits   func(*Options)
		exit     int
		category any
		kind     fault.Type
	}{
		{"panic", func(context.Context, model.Request, func(model.Chunk, error) bool) { panic("boom") },
			nil, 1, "PANIC", fault.SDKFailure},
		{"no end marker", func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
			yield(model.TextDelta{Text: "half"}, nil)
		}, nil, 1, "STREAM_TRUNCATED", fault.SDKFailure},
		{"stall", blocks(make(chan struct{})), func(o *Options) { o.Rules.Limits.Stall = 20 * time.Millisecond },
			1, "REQUEST_TIMEOUT", fault.SDKFailure},
		{"wall", blocks(make(chan struct{})), func(o *Options) { o.Rules.Limits.Wall = 20 * time.Millisecond },
			124, nil, fault.TurnTimeout},
		{"endless answer", func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
			for yield(model.TextDelta{Text: strings.Repeat("x", 1000)}, nil) {
			}
		}, func(o *Options) { o.Rules.Limits.AnswerBytes = 10_000 }, 1, "ANSWER_TOO_LARGE", fault.SDKFailure},
		{"provider error", func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
			yield(nil, fault.New(fault.SDKFailure, "no").WithStatus(401).With("category", "INVALID_API_KEY"))
		}, nil, 1, "INVALID_API_KEY", fault.SDKFailure},
		{"unclassified error", func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
			yield(nil, errors.New("secret detail"))
		}, nil, 1, nil, fault.SDKFailure},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var change []func(*Options)
			if tt.limits != nil {
				change = append(change, tt.limits)
			}
			r := newRig(t, change...)
			r.provider.play = tt.play
			id := r.session()
			events := r.say(id, "go")
			failure, exit := payload[event.Failure](t, events, event.TurnError), exitOf(t, events)
			if exit.ExitCode != tt.exit || exit.ErrorType != string(tt.kind) || exit.Severity != "error" || !exit.Fatal {
				t.Errorf("exit %+v", exit)
			}
			if failure.Phase != "mid-stream" || failure.Details["category"] != tt.category || failure.Message == "" {
				t.Errorf("turn:error %+v", failure)
			}
			if strings.Contains(failure.Message, "secret detail") {
				t.Error("the text of an unclassified error reached the wire")
			}
			if n := strings.Count(names(events), "complete"); n != 0 {
				t.Errorf("a failed turn must not look complete: %s", names(events))
			}
			r.provider.play = says("fine")
			if exit := exitOf(t, r.say(id, "next")); exit.ExitCode != 0 {
				t.Errorf("the turn after it: %+v", exit)
			}
		})
	}
}

func TestCutOffAnswerIsNoSilentSuccess(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.provider.play = func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		_ = yield(model.TextDelta{Text: "cut"}, nil) && yield(model.Stop{Reason: model.StopMaxTokens}, nil)
	}
	events := r.say(r.session(), "go")
	if exit := exitOf(t, events); exit.ExitCode != 0 {
		t.Errorf("exit %+v", exit)
	}
	if c := payload[event.Complete](t, events, event.SessionComplete); c.StopReason != "max_tokens" {
		t.Errorf("stop reason %q", c.StopReason)
	}
	if w := payload[event.Warning](t, events, event.TurnWarning); w.Code != "MAX_TOKENS" {
		t.Errorf("warning %+v", w)
	}
}

func TestVanishedProject(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	must(t, os.RemoveAll(r.project))
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "anyone?"})
	if f := fault.From(err); f.Type != fault.SessionNotFound && f.Type != fault.WorkingRootInaccessible {
		t.Errorf("got %v", err)
	}
}

// textOf is what a block says or is called.
func textOf(c model.Content) string {
	switch c := c.(type) {
	case model.Text:
		return c.Text
	case model.Media:
		return partText(c.Part)
	}
	return ""
}

func kinds(entries []session.Entry) string {
	var out []string
	for _, e := range entries {
		out = append(out, string(e.Kind))
	}
	return strings.Join(out, " ")
}
