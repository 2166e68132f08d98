// Package apitest has an engine for testing surfaces: it keeps sessions and logs
// in memory, answers every turn with the message itself, and can be told to
// fail, to wait and to forget. Tests of the HTTP surface, its client and the
// page run against it, so that what they prove does not hang on a provider.
package apitest

import (
	"bytes"
	"context"
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
	// LeftOut is what Export returns.
	LeftOut []string
	// Lacks and Problems are what Import says of a session that came in.
	Lacks    []string
	Problems []session.Problem
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
