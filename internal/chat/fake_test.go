package chat

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// fake is an engine that does nothing by itself: a test plays its log, and sees
// what the chat asked for.
type fake struct {
	turn.Engine // what a test does not expect panics

	mu       sync.Mutex
	requests []turn.Request
	steers   []turn.SteerRequest
	answers  []turn.DecisionRequest
	stops    []string
	// keys are those of the requests and steers, which are kept without them.
	keys   []string
	opened []int64

	// first is what the stream of a turn has, nil for what one that begins has.
	first []event.Event
	// turn is the turn of that stream.
	turn string

	startErr, steerErr, decideErr, eventsErr error

	// waits hears of readers of a log that have to wait.
	waits chan struct{}

	entries []session.Entry
	records []session.Record
	forks   []changes.ForkRequest
	changes []changes.ChangeSet
	undone  []string
}

func (f *fake) Create(context.Context, turn.CreateRequest) (session.Record, error) {
	return session.Record{SessionID: "sess_1", Persona: "WORKING_ITEMS", Mode: "direct"}, nil
}

// Get knows the records of the test and, as if it had just been made, sess_1.
func (f *fake) Get(_ context.Context, id string) (session.Record, error) {
	for _, r := range f.records {
		if r.SessionID == id {
			return r, nil
		}
	}
	if id != "sess_1" {
		return session.Record{}, fault.New(fault.SessionNotFound, "no session has the id %s", id)
	}
	return session.Record{SessionID: "sess_1", Persona: "WORKING_ITEMS", Mode: "direct"}, nil
}

func (f *fake) Find(_ context.Context, prefix string) ([]session.Record, error) {
	var found []session.Record
	for _, r := range f.records {
		if strings.HasPrefix(r.SessionID, prefix) {
			found = append(found, r)
		}
	}
	return found, nil
}

func (f *fake) ListPage(_ context.Context, _ string, o session.ListOptions) (session.Page, error) {
	return session.PageOf(slices.Clone(f.records), o)
}

func (f *fake) Fork(_ context.Context, r changes.ForkRequest) (session.Record, error) {
	f.forks = append(f.forks, r)
	return session.Record{SessionID: "sess_2_fork", Persona: "WORKING_ITEMS", ForkedFrom: &session.Origin{SessionID: r.SessionID, TurnID: r.TurnID}}, nil
}

func (f *fake) Personas(context.Context) ([]persona.Summary, error) {
	return []persona.Summary{{ID: "TASK"}, {ID: "WORKING_ITEMS"}}, nil
}

func (f *fake) Tools(context.Context) ([]string, error) { return []string{"read", "write"}, nil }

func (f *fake) Transcript(context.Context, string) ([]session.Entry, error) { return f.entries, nil }

func (f *fake) Inspect(_ context.Context, r turn.InspectRequest) ([]turn.Inspection, error) {
	found := make([]turn.Inspection, len(r.Attachments))
	for i, path := range r.Attachments {
		if found[i] = (turn.Inspection{Path: path, OK: true}); strings.HasSuffix(path, ".exe") {
			found[i] = turn.Inspection{Path: path, Reason: "not of a kind that models read"}
		}
	}
	return found, nil
}

func (f *fake) Start(_ context.Context, r turn.Request) (turn.Stream, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys, r.IdempotencyKey = append(f.keys, r.IdempotencyKey), ""
	f.requests = append(f.requests, r)
	first := f.first
	if first == nil {
		first = []event.Event{{Seq: 1, Type: event.SessionInit}}
	}
	return &beginning{events: first, turn: f.turn}, f.startErr
}

func (f *fake) Steer(_ context.Context, r turn.SteerRequest) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys, r.Key = append(f.keys, r.Key), ""
	f.steers = append(f.steers, r)
	return f.steerErr
}

func (f *fake) Decide(_ context.Context, r turn.DecisionRequest) (permit.Decision, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers = append(f.answers, r)
	return permit.Decision{}, f.decideErr
}

func (f *fake) Interrupt(_ context.Context, _, turnID string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stops = append(f.stops, turnID)
	return nil
}

func (f *fake) Events(_ context.Context, _ string, after int64, _ string) (turn.Stream, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = append(f.opened, after)
	return &silent{f.waits}, f.eventsErr
}

func (f *fake) Changes(context.Context, string, string) ([]changes.ChangeSet, error) {
	return f.changes, nil
}

func (f *fake) Undo(_ context.Context, r changes.UndoRequest) (changes.UndoResult, error) {
	f.undone = append(f.undone, r.TurnID)
	return changes.UndoResult{TurnID: r.TurnID, Paths: []string{"a.md"}}, nil
}

// silent is a log that says nothing until the reader goes. It reports when it is
// waited for.
type silent struct{ waits chan<- struct{} }

func (*silent) Turn() string { return "" }
func (*silent) Close() error { return nil }
func (s *silent) Next(ctx context.Context) ([]event.Event, error) {
	select {
	case s.waits <- struct{}{}:
		<-ctx.Done()
	case <-ctx.Done():
	}
	return nil, io.EOF
}

// beginning is the stream of a turn.
type beginning struct {
	silent
	turn   string
	events []event.Event
}

func (b *beginning) Turn() string { return b.turn }

func (b *beginning) Next(context.Context) ([]event.Event, error) { return b.events, nil }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// stage is a chat with a fake engine and a clock that stands still.
type stage struct {
	t      testing.TB
	m      *Model
	engine *fake
	now    time.Time
	seq    int64
	// left is set when the chat was left.
	left bool
}

func newStage(t testing.TB, change ...func(*Options)) *stage {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &stage{t: t, engine: &fake{waits: make(chan struct{})}, now: noon}
	o := Options{Engine: s.engine, Project: "/p", Folder: t.TempDir(), By: "ann", Clock: func() time.Time { return s.now }}
	for _, f := range change {
		f(&o)
	}
	s.m = New(ctx, o)
	s.m.follower.timer = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	t.Cleanup(func() {
		cancel()
		if err := s.m.calls.end(); err != nil {
			t.Errorf("end: %v", err)
		}
	})
	s.send(tea.WindowSizeMsg{Width: 60, Height: 24})
	s.play(s.m.Init())
	return s
}

// patience is how long a job may take that does not wait for the log.
const patience = 5 * time.Minute

// send gives the model a message and plays the jobs that come of it, but for the
// reader of the log where that has to wait.
func (s *stage) send(msg tea.Msg) {
	_, cmd := s.m.Update(msg)
	s.play(cmd)
}

func (s *stage) play(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	done := make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	select {
	case msg := <-done:
		switch msg := msg.(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				s.play(c)
			}
		case tea.QuitMsg:
			s.left = true
		default:
			s.send(msg)
		}
	case <-s.engine.waits:
	case <-time.After(patience):
		s.t.Error("a job does not end")
	}
}

// press sends keys by their names; other texts are typed.
func (s *stage) press(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		key, named := map[string]tea.Key{
			"enter": {Code: tea.KeyEnter}, "alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt}, "tab": {Code: tea.KeyTab},
			"esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft},
			"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "backspace": {Code: tea.KeyBackspace},
			"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+d": {Code: 'd', Mod: tea.ModCtrl}, "ctrl+o": {Code: 'o', Mod: tea.ModCtrl},
			"ctrl+j": {Code: 'j', Mod: tea.ModCtrl}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl}, "ctrl+w": {Code: 'w', Mod: tea.ModCtrl},
		}[k]
		if named {
			s.send(tea.KeyPressMsg(key))
			continue
		}
		for _, r := range k {
			s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// say types a line and sends it.
func (s *stage) say(text string) {
	s.t.Helper()
	s.press(text, "enter")
}

// log appends events to the log of turn t1.
func (s *stage) log(drafts ...event.Draft) { s.t.Helper(); s.logOf("t1", drafts...) }

func (s *stage) logOf(turnID string, drafts ...event.Draft) {
	s.t.Helper()
	s.send(s.told(turnID, drafts...))
}

// told is what the reader of the log brings.
func (s *stage) told(turnID string, drafts ...event.Draft) happened {
	s.t.Helper()
	var events []event.Event
	for _, d := range drafts {
		data, err := json.Marshal(d.Data)
		if err != nil {
			s.t.Fatal(err)
		}
		s.seq++
		events = append(events, event.Event{Seq: s.seq, Turn: turnID, Time: s.now, Type: d.Type, Data: data})
	}
	return happened{log: s.m.follower.log, stream: &silent{s.engine.waits}, events: events}
}

// pass lets time go by.
func (s *stage) pass(d time.Duration) {
	s.now = s.now.Add(d)
	s.m.Update(ticked{})
}

// screen is what a person sees, without colours.
func (s *stage) screen() string { return ansi.Strip(s.m.View().Content) }

func (s *stage) shows(parts ...string) {
	s.t.Helper()
	screen := s.screen()
	for _, p := range parts {
		if !strings.Contains(screen, p) {
			s.t.Errorf("the screen lacks %q:\n%s", p, screen)
		}
	}
}

func (s *stage) lacks(part string) {
	s.t.Helper()
	if screen := s.screen(); strings.Contains(screen, part) {
		s.t.Errorf("the screen has %q:\n%s", part, screen)
	}
}

// fits fails when a line of the screen is wider than the window, or there are too
// many.
func (s *stage) fits() {
	s.t.Helper()
	lines := strings.Split(s.m.View().Content, "\n")
	if len(lines) > s.m.height {
		s.t.Errorf("%d lines in a window of %d", len(lines), s.m.height)
	}
	for _, l := range lines {
		if n := s.m.look.Cells(l); n > s.m.width {
			s.t.Errorf("a line of %d columns in a window of %d: %q", n, s.m.width, ansi.Strip(l))
		}
	}
}

// begun is a turn that runs.
func (s *stage) begun() {
	s.t.Helper()
	s.say("go")
	s.log(event.Draft{Type: event.SessionInit, Data: event.Init{Model: "m", TurnID: "t1"}})
}

func delta(s string) event.Draft {
	return event.Draft{Type: event.ChatDelta, Data: event.Text{Text: s}}
}

func exit(code int) event.Draft {
	return event.Draft{Type: event.ProcessExit, Data: event.Exit{ExitCode: code}}
}

// question is a call of bash that waits for a person.
func question(id string) []event.Draft {
	input := json.RawMessage(`{"command":"rm -rf docs"}`)
	return []event.Draft{
		{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "c" + id, Name: "bash", Input: input}},
		{Type: event.PermissionAsked, Data: event.Permission{
			DecisionID: id, ToolCallID: "c" + id, Name: "bash", Input: input, Reason: "no rule allows it", Session: true,
			ExpiresAt: noon.Add(time.Hour), Persona: "WORKING_ITEMS",
			Effect: permit.Effect{Tool: "bash", Kind: permit.Execute, Command: "rm -rf docs", Dir: "src", Network: true, Paths: []string{"docs"}},
		}},
	}
}

// sent, steered and decided compare all that the engine got so far with want.
func (s *stage) sent(want ...turn.Request) { s.t.Helper(); same(s.t, "sent", want, s.engine.requests) }

func (s *stage) steered(want ...turn.SteerRequest) {
	s.t.Helper()
	same(s.t, "steered", want, s.engine.steers)
}

func (s *stage) decided(want ...turn.DecisionRequest) {
	s.t.Helper()
	same(s.t, "decided", want, s.engine.answers)
}

func same[T any](t testing.TB, what string, want, got []T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// answersOnlyAfterTab checks that nothing has answered the question yet, and that key
// answers it after Tab.
func (s *stage) answersOnlyAfterTab(key string) {
	s.t.Helper()
	if len(s.engine.answers) > 0 {
		s.t.Errorf("answered %v before Tab", s.engine.answers)
	}
	s.press("tab", key)
	if len(s.engine.answers) != 1 {
		s.t.Errorf("answered %v after Tab", s.engine.answers)
	}
}
