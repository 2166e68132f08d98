// Package sessions makes projects with much behind them: many sessions, and
// sessions of many turns, as turns would have left them.
package sessions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/session"
)

// Model and Persona are those of all turns.
const (
	Model   = "claude-sonnet-4-20250514"
	Persona = "WORKING_ITEMS"
)

// A turn's message and answer.
var (
	message = strings.Repeat("A question of some length. ", 6)
	answer  = strings.Repeat("An answer has a few sentences. ", 30)
)

// Maker makes sessions of a project.
type Maker struct {
	store   *session.Store
	project string
	now     time.Time
}

// New returns a maker for the state folder of belay in home.
func New(home, project string) (*Maker, error) {
	m := &Maker{project: project, now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}
	var err error
	m.store, err = session.NewStore(session.Options{
		StateDir: filepath.Join(home, "state", "belay"), IdleMax: 16,
		Clock: func() time.Time { m.now = m.now.Add(time.Millisecond); return m.now },
	})
	return m, err
}

// Close ends the making.
func (m *Maker) Close() error { return m.store.Close() }

// Many makes n sessions of one turn.
func (m *Maker) Many(ctx context.Context, n int) error {
	for range n {
		if _, _, err := m.Long(ctx, 1); err != nil {
			return err
		}
	}
	return nil
}

// Long makes a session of n turns, and returns its id and the sequence of its last
// event.
func (m *Maker) Long(ctx context.Context, n int) (id string, last int64, err error) {
	rec, err := m.store.Create(ctx, m.project, Persona, "direct")
	if err != nil {
		return "", 0, err
	}
	l, err := m.store.Acquire(ctx, rec.SessionID)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	err = l.Update(func(r *session.Record) {
		r.ClaudeSessionID, r.Model = "claude_01a2046e-855f-71ba-b7bd-43735895a9c0", Model
	})
	for i := 0; i < n && err == nil; i++ {
		err = m.turn(l, Turn(i), i)
	}
	if err == nil {
		err = l.Commit(ctx)
	}
	return rec.SessionID, l.LastSeq(), err
}

// Turn is the id of a session's turn i.
func Turn(i int) string { return fmt.Sprintf("turn_01a2046e-%04x-7616-b494-448db2f0c33c", i) }

func (m *Maker) turn(l *session.Lease, id string, before int) error {
	m.now = m.now.Add(time.Minute)
	at, code := session.Time{Time: m.now}, 0
	used := event.Tokens{InputTokens: 3947, OutputTokens: 310}
	entries := []session.Entry{
		{Kind: session.EntryTurn, Turn: id, Time: at, Message: message, After: l.LastSeq()},
		{Kind: session.EntryRequest, Turn: id, Time: at, Manifest: manifest(id, at, before)},
		{Kind: session.EntryAssistant, Turn: id, Time: at, Model: Model, Blocks: []session.Block{{Type: session.BlockText, Text: answer}}},
		{Kind: session.EntryEnd, Turn: id, Time: at, StopReason: "end_turn", ExitCode: &code, Usage: &used},
	}
	if err := l.Append(entries...); err != nil {
		return err
	}
	drafts := []event.Draft{{Type: event.SessionInit, Data: event.Init{
		ClaudeSessionID: "claude_01a2046e-855f-71ba-b7bd-43735895a9c0", Model: Model, TurnID: id, PromptMode: event.PromptString,
		Tools: tools, Warnings: []event.Warning{},
	}}}
	const piece = 240
	for from := 0; from < len(answer); from += piece {
		drafts = append(drafts, event.Draft{Type: event.ChatDelta, Data: event.Text{Text: answer[from:min(len(answer), from+piece)]}})
	}
	drafts = append(drafts,
		event.Draft{Type: event.Usage, Data: event.UsageReport{Tokens: used, Totals: used}},
		event.Draft{Type: event.ChatComplete, Data: event.Text{Text: answer}},
		event.Draft{Type: event.SessionComplete, Data: event.Complete{StopReason: "end_turn"}},
		event.Draft{Type: event.ProcessExit, Data: event.Exit{}},
	)
	_, err := l.Emit(id, drafts...)
	return err
}

var tools = []string{
	"read", "write", "edit", "list", "glob", "grep", "fetch", "bash", "project.list", "project.graph", "project.status",
	"project.propose", "project.scaffold", "project.snapshot",
}

func manifest(turn string, at session.Time, before int) *session.Manifest {
	sum := strings.Repeat("1639cca0", 8)
	return &session.Manifest{
		Turn: turn, Time: at, Persona: Persona, Mode: "direct", Provider: "scripted", Model: Model, PromptMode: event.PromptString, Tools: tools,
		Instructions: []session.Source{
			{Path: "embedded:agents/AGENT_WORKING_ITEMS.md", SHA256: sum, Bytes: 2800}, {Path: "/project/AGENTS.md", SHA256: sum, Bytes: 482},
		},
		SystemSHA256: sum, History: session.History{Turns: before},
	}
}

// Text is the text of a session's message i: what the person says, and then the answer, in turn.
func Text(i int) string {
	if i%2 == 0 {
		return message
	}
	return answer
}
