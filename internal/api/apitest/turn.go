package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// piece is how many characters of the message one delta repeats.
const piece = 24

func turnID(n int) string { return fmt.Sprintf("t%d", n) }

// log is one session: its record, its events and the turn that runs.
type log struct {
	record session.Record

	mu     sync.Mutex
	events []event.Event
	// changed is closed and replaced at every append.
	changed chan struct{}
	turn    string
	// resumed is nil while no turn runs. It gets one value: whether the turn
	// was interrupted.
	resumed chan bool
}

func newLog(rec session.Record) *log { return &log{record: rec, changed: make(chan struct{})} }

func (l *log) busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.resumed != nil
}

// runs reports whether that turn does.
func (l *log) runs(turnID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.resumed != nil && l.turn == turnID
}

// resume wakes a held turn and reports whether one runs.
func (l *log) resume(interrupt bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.resumed == nil {
		return false
	}
	select {
	case l.resumed <- interrupt:
	default: // it was woken already
	}
	return true
}

func (l *log) append(t event.Type, data any) {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		panic(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := event.Event{Seq: int64(len(l.events) + 1), Turn: l.turn, Time: Start, Type: t, Data: bytes.TrimSpace(raw.Bytes())}
	if e.Between() {
		e.Turn = ""
	}
	l.events = append(l.events, e)
	if t == event.ProcessExit {
		l.resumed = nil
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

// Start implements turn.Engine.
func (e *Engine) Start(_ context.Context, r turn.Request) (turn.Stream, error) {
	l, err := logOf(e, r.SessionID)
	if err != nil {
		return nil, err
	}
	if err := e.Fail["Start"]; err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.resumed != nil {
		return nil, fault.New(fault.TurnInProgress, "a turn runs in session %s", r.SessionID).With("sessionId", r.SessionID)
	}
	e.mu.Lock()
	e.requests = append(e.requests, r)
	l.turn = turnID(len(e.requests))
	e.turns.Add(1)
	e.mu.Unlock()
	l.resumed = make(chan bool, 1)
	s := &stream{e: e, l: l, turn: l.turn, next: int64(len(l.events)), done: make(chan struct{})}
	resumed := l.resumed
	go func() {
		defer e.turns.Done()
		run(e, l, r, resumed)
	}()
	return s, nil
}

func run(e *Engine, l *log, r turn.Request, resumed chan bool) {
	l.append(event.SessionInit, event.Init{ClaudeSessionID: "claude_1", Model: "fake-1", TurnID: l.turn,
		PromptMode: event.PromptString, Tools: []string{}, Warnings: []event.Warning{}})
	if strings.Contains(r.Message, "WARN") {
		l.append(event.TurnWarning, event.Warning{Code: "SAMPLE", Message: "something that a person should know"})
	}
	var calls *event.Calls
	if strings.Contains(r.Message, "ASK") { // without a limit
		var e any
		if strings.Contains(r.Message, "AUTOMATIC") {
			e = map[string]any{"automatic": []string{".envrc is run by the shell"}}
		}
		l.append(event.PermissionAsked, event.Permission{DecisionID: "dec_1", ToolCallID: "c1", Name: "write", Input: []byte("{}"), Reason: "it changes project files", Effect: e})
		calls = &event.Calls{Refused: 2, Expired: 1}
	}
	text := strings.TrimSpace(r.Message)
	for i, rest := 0, []rune(text); len(rest) > 0; i++ {
		n := min(piece, len(rest))
		l.append(event.ChatDelta, event.Text{Text: string(rest[:n]) + strings.Repeat("x", e.Padding)})
		rest = rest[n:]
		if i == 0 && strings.Contains(text, Hold) && <-resumed || interrupted(e, resumed) {
			yes := true
			l.append(event.ProcessExit, event.Exit{ExitCode: 130, Interrupted: &yes})
			return
		}
	}
	if calls != nil {
		l.append(event.PermissionGiven, event.Verdict{DecisionID: "dec_1", ToolCallID: "c1", Verdict: "deny", By: "ana"})
	}
	if strings.Contains(text, "FAIL") {
		no := false
		l.append(event.TurnError, event.Failure{Phase: "mid-stream", ErrorType: "SDK_FAILURE", Message: "made to fail", Status: 500, Severity: "error", Fatal: true})
		l.append(event.ProcessExit, event.Exit{ExitCode: 1, Interrupted: &no, Error: "made to fail", ErrorType: "SDK_FAILURE", Status: 500, Severity: "error", Fatal: true})
		return
	}
	l.append(event.ChatComplete, event.Text{Text: text})
	l.append(event.Usage, event.UsageReport{Tokens: event.Tokens{InputTokens: 12, OutputTokens: 34}, Totals: event.Tokens{InputTokens: 12, OutputTokens: 34}})
	l.append(event.SessionComplete, event.Complete{StopReason: "end_turn"})
	l.append(event.ProcessExit, event.Exit{Calls: calls})
}

// interrupted waits the pace of the answer, unless it is told to stop.
func interrupted(e *Engine, resumed chan bool) bool {
	select {
	case stop := <-resumed:
		return stop
	case <-time.After(e.Pace):
		return false
	}
}

// Interrupt implements turn.Engine.
func (e *Engine) Interrupt(_ context.Context, id, turnID string) error {
	l, err := logOf(e, id)
	if err != nil {
		return err
	}
	if turnID != "" && !l.runs(turnID) {
		return session.NotThatTurn(id, turnID)
	}
	if !l.resume(true) {
		return fault.New(fault.SessionNotFound, "no turn runs in session %s", id).With("sessionId", id)
	}
	return nil
}
