package apitest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// Create implements turn.Engine; ids count up from s1.
func (e *Engine) Create(_ context.Context, r turn.CreateRequest) (session.Record, error) {
	if err := e.Fail["Create"]; err != nil {
		return session.Record{}, err
	}
	if !strings.HasPrefix(r.ProjectRoot, "/") {
		return session.Record{}, fault.New(fault.InvalidRequest, "projectRoot must be absolute").With("projectRoot", r.ProjectRoot)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sessions == nil {
		e.sessions = map[string]*log{}
	}
	id := fmt.Sprintf("s%d", len(e.order)+1)
	rec := session.Record{SessionID: id, ProjectRoot: r.ProjectRoot, Persona: r.Persona, Mode: r.Mode, Title: r.Title, PreferredModel: r.Model, Pipeline: r.Pipeline,
		CreatedAt: session.Time{Time: Start}, UpdatedAt: session.Time{Time: Start}}
	rec.Persona = cmp.Or(rec.Persona, "WORKING_ITEMS")
	rec.Mode = cmp.Or(rec.Mode, "direct")
	e.sessions[id] = newLog(rec)
	e.order = append(e.order, id)
	return rec, nil
}

// List implements turn.Engine.
func (e *Engine) List(_ context.Context, root string) ([]session.Record, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []session.Record
	for _, id := range e.order {
		if l := e.sessions[id]; l != nil && l.record.ProjectRoot == root {
			list = append(list, l.record)
		}
	}
	return list, e.Fail["List"]
}

// ListPage implements turn.Engine.
func (e *Engine) ListPage(ctx context.Context, root string, o session.ListOptions) (session.Page, error) {
	list, err := e.List(ctx, root)
	if err != nil {
		return session.Page{}, err
	}
	return session.PageOf(list, o)
}

// Get implements turn.Engine.
func (e *Engine) Get(_ context.Context, id string) (session.Record, error) {
	if err := e.Fail["Get"]; err != nil {
		return session.Record{}, err
	}
	l, err := logOf(e, id)
	if err != nil {
		return session.Record{}, err
	}
	return l.record, nil
}

// Find implements turn.Engine.
func (e *Engine) Find(_ context.Context, prefix string) ([]session.Record, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []session.Record
	for _, id := range e.order {
		if l := e.sessions[id]; l != nil && strings.HasPrefix(id, prefix) {
			list = append(list, l.record)
		}
	}
	return list, e.Fail["Find"]
}

// Delete implements turn.Engine.
func (e *Engine) Delete(_ context.Context, id string) error {
	l, err := logOf(e, id)
	if err != nil {
		return err
	}
	if l.busy() {
		return fault.New(fault.TurnInProgress, "a turn runs in session %s", id).With("sessionId", id)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, id)
	return nil
}

// Boot implements turn.Engine.
func (e *Engine) Boot(_ context.Context, r turn.BootRequest) (turn.BootResult, error) {
	l, err := logOf(e, r.SessionID)
	if err != nil {
		return turn.BootResult{}, err
	}
	at := session.Time{Time: Start}
	return turn.BootResult{Session: l.record, Boot: turn.Boot{ClaudeSessionID: "claude_1", BootFingerprint: "f1", BootedAt: at}}, e.Fail["Boot"]
}

// Update implements turn.Engine.
func (e *Engine) Update(_ context.Context, id string, c turn.SessionChange) (session.Record, error) {
	if err := c.Check(); err != nil {
		return session.Record{}, err
	}
	l, err := logOf(e, id)
	if err != nil {
		return session.Record{}, err
	}
	if l.busy() {
		return session.Record{}, session.Busy(id)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range []struct{ to, value *string }{{&l.record.Title, c.Title}, {&l.record.Mode, c.Mode}, {&l.record.PreferredModel, c.Model}} {
		if f.value != nil {
			*f.to = *f.value
		}
	}
	return l.record, e.Fail["Update"]
}

// Transcript implements turn.Engine.
func (e *Engine) Transcript(_ context.Context, id string) ([]session.Entry, error) {
	if _, err := logOf(e, id); err != nil {
		return nil, err
	}
	var list []session.Entry
	for i, r := range e.Requests() {
		if r.SessionID == id {
			list = append(list, session.Entry{Kind: session.EntryTurn, Turn: turnID(i + 1), Time: session.Time{Time: Start}, Message: r.Message})
		}
	}
	return list, nil
}

// Export implements turn.Engine: the archive names the session.
func (e *Engine) Export(_ context.Context, id string, w io.Writer) ([]string, error) {
	if _, err := logOf(e, id); err != nil {
		return nil, err
	}
	_, err := io.WriteString(w, "archive of "+id)
	return e.LeftOut, errors.Join(err, e.Fail["Export"])
}

// Import implements turn.Engine, for what Export writes.
func (e *Engine) Import(ctx context.Context, root string, archive io.Reader) (session.Imported, error) {
	data, err := io.ReadAll(archive)
	if err != nil {
		return session.Imported{}, err
	}
	id, ok := strings.CutPrefix(string(data), "archive of ")
	if !ok {
		return session.Imported{}, fault.New(fault.InvalidRequest, "import: it is no export")
	}
	rec, err := e.Create(ctx, turn.CreateRequest{ProjectRoot: root})
	return session.Imported{Record: rec, From: id, Lacks: e.Lacks, Problems: e.Problems}, err
}

// Manifest implements turn.Engine.
func (e *Engine) Manifest(_ context.Context, id, turnID string) (session.Manifest, error) {
	l, err := logOf(e, id)
	if err != nil {
		return session.Manifest{}, err
	}
	if turnID == "" {
		l.mu.Lock()
		turnID = l.turn
		l.mu.Unlock()
	}
	if turnID == "" {
		return session.Manifest{}, fault.New(fault.NotFound, "no turn was taken in session %s", id)
	}
	return session.Manifest{Turn: turnID, Time: session.Time{Time: Start}, Persona: l.record.Persona, Mode: l.record.Mode,
		Provider: "fake", Model: "fake-1", PromptMode: event.PromptString, Tools: []string{}, Instructions: []session.Source{},
		SystemSHA256: strings.Repeat("0", 64), Attachments: []session.Delivered{}}, nil
}
