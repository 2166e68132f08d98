package client

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"

	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// Steer implements turn.Engine. The paths of its attachments are the server's. With a key
// the request is sent again when the connection broke before an answer came.
func (c *Client) Steer(ctx context.Context, r turn.SteerRequest) error {
	r.Mode = cmp.Or(r.Mode, session.Steer)
	data, err := encode(r)
	if err != nil {
		return err
	}
	far := c.server
	if len(r.Attachments) > 0 {
		far = far.patient()
	}
	return far.once(ctx, r.Key, func() error {
		req, err := far.request(ctx, http.MethodPost, harness+"steer", bytes.NewReader(data))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		if r.Key != "" {
			req.Header.Set("Idempotency-Key", r.Key)
		}
		return far.receive(req, new(struct{}))
	})
}

// Decisions implements turn.Engine; the token must be the operator's.
func (c *Client) Decisions(ctx context.Context, sessionID string) ([]permit.Request, error) {
	path := harness + "decisions"
	if sessionID != "" {
		path += "?sessionId=" + url.QueryEscape(sessionID)
	}
	var out struct{ Decisions []permit.Request }
	err := c.server.call(ctx, http.MethodGet, path, nil, &out)
	return out.Decisions, err
}

// Decide implements turn.Engine; the token must be the operator's. A server wants
// the session to be named.
func (c *Client) Decide(ctx context.Context, r turn.DecisionRequest) (permit.Decision, error) {
	var out struct{ Decision permit.Decision }
	err := c.server.call(ctx, http.MethodPost, harness+"decision", r, &out)
	return out.Decision, err
}

// Question implements turn.Engine; the token must be the operator's.
func (c *Client) Question(ctx context.Context, id string) (permit.Question, error) {
	var out struct {
		Decision *permit.Request
		Closed   *permit.Closed
	}
	err := c.server.call(ctx, http.MethodGet, harness+"decision/"+url.PathEscape(id), nil, &out)
	return permit.Question{Open: out.Decision, Closed: out.Closed}, err
}

// Closed implements turn.Engine; the token must be the operator's.
func (c *Client) Closed(ctx context.Context, sessionID string, most int) ([]permit.Closed, error) {
	q := url.Values{"limit": {strconv.Itoa(most)}}
	if sessionID != "" {
		q.Set("sessionId", sessionID)
	}
	var out struct{ Decisions []permit.Closed }
	err := c.server.call(ctx, http.MethodGet, harness+"decisions/closed?"+q.Encode(), nil, &out)
	return out.Decisions, err
}

// Inputs implements turn.Engine. Files at an address are left out: the server tells only their number.
func (c *Client) Inputs(ctx context.Context, id string) ([]session.Input, error) {
	var out struct {
		Inputs []struct {
			session.Input
			ID string
		}
	}
	err := c.server.call(ctx, http.MethodGet, sessionPath(id, "/queue"), nil, &out)
	var inputs []session.Input
	for _, in := range out.Inputs {
		in.Input.ID = in.ID
		inputs = append(inputs, in.Input)
	}
	return inputs, err
}

// DropInput implements turn.Engine.
func (c *Client) DropInput(ctx context.Context, id, inputID string) error {
	return c.server.call(ctx, http.MethodDelete, sessionPath(id, "/queue/"+url.PathEscape(inputID)), nil, new(struct{}))
}

// Changes implements turn.Engine.
func (c *Client) Changes(ctx context.Context, id, turnID string) ([]changes.ChangeSet, error) {
	path := sessionPath(id, "/changes")
	if turnID != "" {
		path += "?turn=" + url.QueryEscape(turnID)
	}
	var out struct{ Turns []changes.ChangeSet }
	err := c.server.call(ctx, http.MethodGet, path, nil, &out)
	return out.Turns, err
}

// Undo implements turn.Engine; the token must be the operator's.
func (c *Client) Undo(ctx context.Context, r changes.UndoRequest) (changes.UndoResult, error) {
	var out struct{ Undo changes.UndoResult }
	err := c.server.patient().call(ctx, http.MethodPost, harness+"undo", r, &out)
	return out.Undo, err
}

// Fork implements turn.Engine.
func (c *Client) Fork(ctx context.Context, r changes.ForkRequest) (session.Record, error) {
	var out struct{ Session session.Record }
	err := c.server.patient().call(ctx, http.MethodPost, harness+"session/fork", r, &out)
	return out.Session, err
}

// Kept implements turn.Engine; the token must be the operator's.
func (c *Client) Kept(ctx context.Context, projectRoot string) ([]changes.KeptChange, error) {
	var out struct{ Changes []changes.KeptChange }
	err := c.server.call(ctx, http.MethodGet, "/api/project/changes?projectRoot="+url.QueryEscape(projectRoot), nil, &out)
	return out.Changes, err
}

// KeptChange implements turn.Engine; the token must be the operator's.
func (c *Client) KeptChange(ctx context.Context, projectRoot, id string) (changes.KeptChange, error) {
	q := url.Values{"projectRoot": {projectRoot}, "id": {id}}
	var out struct{ Change changes.KeptChange }
	err := c.server.call(ctx, http.MethodGet, "/api/project/change?"+q.Encode(), nil, &out)
	return out.Change, err
}

// ApplyKept implements turn.Engine; the token must be the operator's.
func (c *Client) ApplyKept(ctx context.Context, r changes.KeptRequest) (changes.KeptResult, error) {
	return settleKept(ctx, c, "keep", r)
}

// DropKept implements turn.Engine; the token must be the operator's.
func (c *Client) DropKept(ctx context.Context, r changes.KeptRequest) (changes.KeptResult, error) {
	return settleKept(ctx, c, "drop", r)
}

func settleKept(ctx context.Context, c *Client, how string, r changes.KeptRequest) (changes.KeptResult, error) {
	var out struct{ Change changes.KeptResult }
	err := c.server.patient().call(ctx, http.MethodPost, "/api/project/change/"+how, r, &out)
	return out.Change, err
}
