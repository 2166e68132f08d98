// Package apitest has an engine for testing surfaces: it keeps sessions and logs
// in memory, answers every turn with the message itself, and can be told to
// fail, to wait and to forget. Tests of the HTTP surface, its client and the
// page run against it, so that what they prove does not hang on a provider.
package apitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/turn"
)

// Hold is a word in a message that makes the turn wait after its first delta
// until Release or Interrupt.
const Hold = "HOLD"

// Start is when every session of an [Engine] was created.
var Start = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)

// Engine is a turn.Engine in memory. The zero value works; fields are set before
// its first use.
type Engine struct {
	// Fail makes a method, named as in the interface, return an error.
	Fail map[string]error
	// Pace is the wait between the pieces of an answer.
	Pace time.Duration
	// Padding is added to every delta, for streams that fill buffers.
	Padding int
	// Forget is the sequence up to which every log is lost: a reader of
	// Events that wants it gets log:gap.
	Forget int64
	// Files are the blobs of every session, by digest.
	Files map[string]File

	mu       sync.Mutex
	sessions map[string]*log
	order    []string
	turns    sync.WaitGroup
	requests []turn.Request
	uploads  []Received
	closed   int
	// open are the questions that wait, answered those that do not any more.
	open     []permit.Request
	verdicts []permit.Closed
	answered []string
	answers  []turn.DecisionRequest
	steers   []turn.SteerRequest
	dropped  []string        // waiting inputs
	undone   map[string]bool // by turn
	settled  []string        // kept changes
}

// File is a blob.
type File struct {
	Item attachment.Item
	Data []byte
}

// Received is an upload that arrived.
type Received struct {
	turn.Upload
	Data []byte
}

var _ turn.Engine = (*Engine)(nil)

// Requests returns the turns that were started, in order.
func (e *Engine) Requests() []turn.Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.requests)
}

// Uploads returns the uploads that arrived.
func Uploads(e *Engine) []Received {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.uploads)
}

// ClosedStreams counts the streams that their readers have closed.
func ClosedStreams(e *Engine) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// Wait blocks until no turn runs of those that were started before.
func (e *Engine) Wait() {
	e.mu.Lock() // turns are counted under it
	turns := &e.turns
	e.mu.Unlock()
	turns.Wait()
}

// Release lets the session's held turn go on.
func (e *Engine) Release(sessionID string) {
	if l, err := logOf(e, sessionID); err == nil {
		l.resume(false)
	}
}

func logOf(e *Engine, id string) (*log, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l, ok := e.sessions[id]
	if !ok {
		return nil, fault.New(fault.SessionNotFound, "no session %q", id).With("sessionId", id)
	}
	return l, nil
}

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
	if rec.Persona == "" {
		rec.Persona = "WORKING_ITEMS"
	}
	if rec.Mode == "" {
		rec.Mode = "direct"
	}
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
func (e *Engine) Export(_ context.Context, id string, w io.Writer) error {
	if _, err := logOf(e, id); err != nil {
		return err
	}
	_, err := io.WriteString(w, "archive of "+id)
	return errors.Join(err, e.Fail["Export"])
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
	return session.Imported{Record: rec, From: id}, err
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

// Upload implements turn.Engine.
func (e *Engine) Upload(_ context.Context, u turn.Upload) (turn.Uploaded, error) {
	data, err := io.ReadAll(u.Content)
	if err != nil {
		return turn.Uploaded{}, fmt.Errorf("upload: %w", err)
	}
	if err := e.Fail["Upload"]; err != nil {
		return turn.Uploaded{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.uploads = append(e.uploads, Received{u, data})
	return turn.Uploaded{Path: "/uploads/" + u.Name, SHA256: strings.Repeat("a", 64), MIMEType: "text/plain", Bytes: int64(len(data)), Name: u.Name}, nil
}

// Inspect implements turn.Engine.
func (e *Engine) Inspect(_ context.Context, r turn.InspectRequest) ([]turn.Inspection, error) {
	var list []turn.Inspection
	for _, path := range r.Attachments {
		list = append(list, turn.Inspection{Path: path, OK: true, Kind: attachment.KindText, MIMEType: "text/plain"})
	}
	return list, e.Fail["Inspect"]
}

// Blob implements turn.Engine.
func (e *Engine) Blob(_ context.Context, id, sha string) (io.ReadCloser, attachment.Item, error) {
	if _, err := logOf(e, id); err != nil {
		return nil, attachment.Item{}, err
	}
	f, ok := e.Files[sha]
	if !ok {
		return nil, attachment.Item{}, fault.New(fault.NotFound, "session %s has no attachment %s", id, sha)
	}
	return io.NopCloser(bytes.NewBuffer(f.Data)), f.Item, nil
}

// Usage implements turn.Engine.
func (e *Engine) Usage(_ context.Context, since time.Time) ([]turn.UsageRow, error) {
	cost := 0.25
	rows := []turn.UsageRow{
		{Day: "2026-03-01", ProjectRoot: "/project", Model: "priced", Turns: 2,
			Tokens: event.Tokens{InputTokens: 20, OutputTokens: 10, CostUSD: &cost}},
		{Day: "2026-03-02", ProjectRoot: "/project", Model: "free", Turns: 1, Tokens: event.Tokens{InputTokens: 1, OutputTokens: 1}},
	}
	for len(rows) > 0 && rows[0].Day < since.Format(time.DateOnly) {
		rows = rows[1:]
	}
	return rows, e.Fail["Usage"]
}

// Personas implements turn.Engine.
func (e *Engine) Personas(context.Context) ([]persona.Summary, error) {
	return []persona.Summary{{ID: "WORKING_ITEMS", Class: persona.ClassPersona, Description: "Works on the items of a project."},
		{ID: "TASK", Class: persona.ClassTask}}, e.Fail["Personas"]
}

// Tools implements turn.Engine.
func (e *Engine) Tools(context.Context) ([]string, error) {
	return []string{"read", "write"}, e.Fail["Tools"]
}

// Persona implements turn.Engine.
func (e *Engine) Persona(ctx context.Context, name string) (persona.Persona, error) {
	list, err := e.Personas(ctx)
	for _, s := range list {
		if s.ID == name {
			return persona.Persona{Summary: s, Body: "# " + name + "\n"}, err
		}
	}
	return persona.Persona{}, fault.New(fault.PersonaNotFound, "no persona %q", name).With("persona", name)
}
