package client

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/turn"
)

const harness = "/api/harness/"

// sessionPath returns the path of a session or of a part of it. What is no id is
// escaped whole, so that it cannot name another endpoint.
func sessionPath(id, part string) string {
	// A dot segment would be resolved on the way, escaped or not.
	id = cmp.Or(strings.ReplaceAll(url.PathEscape(id), ".", "%2E"), "%20")
	return harness + "session/" + id + part
}

// Create implements turn.Engine.
func (c *Client) Create(ctx context.Context, r turn.CreateRequest) (session.Record, error) {
	var out struct{ Session session.Record }
	err := c.server.call(ctx, http.MethodPost, harness+"session/create", r, &out)
	return out.Session, err
}

// List implements turn.Engine.
func (c *Client) List(ctx context.Context, projectRoot string) ([]session.Record, error) {
	var out struct{ Sessions []session.Record }
	err := c.server.call(ctx, http.MethodGet, harness+"session/list?projectRoot="+url.QueryEscape(projectRoot), nil, &out)
	return out.Sessions, err
}

// ListPage implements turn.Engine.
func (c *Client) ListPage(ctx context.Context, projectRoot string, o session.ListOptions) (session.Page, error) {
	q := url.Values{"projectRoot": {projectRoot}}
	if o.Limit > 0 {
		q.Set("limit", strconv.Itoa(o.Limit))
	}
	if o.Cursor != "" {
		q.Set("cursor", o.Cursor)
	}
	if o.Recent {
		q.Set("order", "used")
	}
	var out struct {
		Sessions   []session.Record
		NextCursor string
		More       int
	}
	err := c.server.call(ctx, http.MethodGet, harness+"session/list?"+q.Encode(), nil, &out)
	return session.Page{Records: out.Sessions, Next: out.NextCursor, More: out.More}, err
}

// Get implements turn.Engine.
func (c *Client) Get(ctx context.Context, id string) (session.Record, error) {
	var out struct{ Session session.Record }
	err := c.server.call(ctx, http.MethodGet, sessionPath(id, ""), nil, &out)
	return out.Session, err
}

// Find implements turn.Engine.
func (c *Client) Find(ctx context.Context, prefix string) ([]session.Record, error) {
	var out struct{ Sessions []session.Record }
	err := c.server.call(ctx, http.MethodGet, harness+"session/find?prefix="+url.QueryEscape(prefix), nil, &out)
	return out.Sessions, err
}

// Delete implements turn.Engine.
func (c *Client) Delete(ctx context.Context, id string) error {
	return c.server.call(ctx, http.MethodDelete, sessionPath(id, ""), nil, new(struct{}))
}

// Update implements turn.Engine.
func (c *Client) Update(ctx context.Context, id string, change turn.SessionChange) (session.Record, error) {
	var out struct{ Session session.Record }
	err := c.server.call(ctx, http.MethodPatch, sessionPath(id, ""), change, &out)
	return out.Session, err
}

// Transcript implements turn.Engine.
func (c *Client) Transcript(ctx context.Context, id string) ([]session.Entry, error) {
	var out struct{ Entries []session.Entry }
	err := c.server.call(ctx, http.MethodGet, sessionPath(id, "/transcript"), nil, &out)
	return out.Entries, err
}

// Manifest implements turn.Engine.
func (c *Client) Manifest(ctx context.Context, id, turnID string) (session.Manifest, error) {
	var out struct{ Manifest session.Manifest }
	err := c.server.call(ctx, http.MethodGet, sessionPath(id, "/manifest?turn="+url.QueryEscape(turnID)), nil, &out)
	return out.Manifest, err
}

// Boot implements turn.Engine.
func (c *Client) Boot(ctx context.Context, r turn.BootRequest) (turn.BootResult, error) {
	opts, err := encodeOpts(r.Opts)
	if err != nil {
		return turn.BootResult{}, err
	}
	var out turn.BootResult
	err = c.server.patient().call(ctx, http.MethodPost, harness+"session/boot", map[string]any{"sessionId": r.SessionID, "opts": opts, "probe": r.Probe}, &out)
	return out, err
}

// Interrupt implements turn.Engine.
func (c *Client) Interrupt(ctx context.Context, id, turnID string) error {
	body := map[string]string{"sessionId": id}
	if turnID != "" {
		body["turnId"] = turnID
	}
	return c.server.call(ctx, http.MethodPost, harness+"interrupt", body, new(struct{}))
}

// Inspect implements turn.Engine. The paths are the server's.
func (c *Client) Inspect(ctx context.Context, r turn.InspectRequest) ([]turn.Inspection, error) {
	if r.Attachments == nil {
		r.Attachments = []string{}
	}
	var out struct{ Attachments []turn.Inspection }
	err := c.server.patient().call(ctx, http.MethodPost, harness+"attachments/inspect", r, &out)
	return out.Attachments, err
}

// Usage implements turn.Engine. The server counts whole days.
func (c *Client) Usage(ctx context.Context, since time.Time) ([]turn.UsageRow, error) {
	path := "/api/usage"
	if !since.IsZero() {
		path += "?since=" + since.UTC().Format(time.DateOnly)
	}
	var out struct{ Usage []turn.UsageRow }
	err := c.server.call(ctx, http.MethodGet, path, nil, &out)
	return out.Usage, err
}

// Ready says why the server takes no turns now, or nil.
func (c *Client) Ready(ctx context.Context) error {
	return c.server.call(ctx, http.MethodGet, "/readyz", nil, &struct{}{})
}

// Personas implements turn.Engine.
func (c *Client) Personas(ctx context.Context) ([]persona.Summary, error) {
	var out struct{ Personas []persona.Summary }
	err := c.server.call(ctx, http.MethodGet, harness+"personas", nil, &out)
	return out.Personas, err
}

// Tools implements turn.Engine.
func (c *Client) Tools(ctx context.Context) ([]string, error) {
	var out struct{ Tools []string }
	err := c.server.call(ctx, http.MethodGet, harness+"personas", nil, &out)
	return out.Tools, err
}

// Persona implements turn.Engine.
func (c *Client) Persona(ctx context.Context, name string) (persona.Persona, error) {
	var out struct{ Persona persona.Persona }
	path := harness + "personas/" + strings.ReplaceAll(url.PathEscape(name), ".", "%2E")
	err := c.server.call(ctx, http.MethodGet, path, nil, &out)
	return out.Persona, err
}

// Model is a model that a server knows.
type Model struct {
	ID            string
	ContextTokens int64
	Price         *struct{ Input, Output float64 }
}

// Models asks a server for the models that it knows, and which of them is the usual one.
// An old server does not say: NOT_FOUND.
func Models(ctx context.Context, c *Client) (models []Model, usual string, err error) {
	var out struct {
		Default string
		Models  []Model
	}
	err = c.server.call(ctx, http.MethodGet, harness+"models", nil, &out)
	return out.Models, out.Default, err
}
