package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/overview"
	"belay/internal/session"
	"belay/internal/turn"
)

// The events of the one stream that are not the overview's own.
const (
	sessionEvent event.Type = "session:event"
	sessionEnd   event.Type = "session:end"
	projectEvent event.Type = "project:event"
)

// feedEvents describes the events of the one stream.
func feedEvents() []event.Spec {
	return append(overview.Events(),
		event.Spec{Type: sessionEvent, When: "An event of the log of a session that the request names.", Sample: sessionEventData{}},
		event.Spec{Type: sessionEnd, When: "The log of a session that the request names cannot be read on: the session is gone, or it or its project cannot be read.", Sample: sessionEndData{}},
		event.Spec{Type: projectEvent, When: "An event of a project that the request names.", Sample: projectEventData{}})
}

type sessionEventData struct {
	SessionID string          `json:"sessionId"`
	Seq       int64           `json:"seq"`
	Turn      string          `json:"turn"`
	Time      session.Time    `json:"time"`
	Type      event.Type      `json:"type"`
	Data      json.RawMessage `json:"data"`
}

type sessionEndData struct {
	SessionID string     `json:"sessionId"`
	Error     fault.Type `json:"error"`
	Message   string     `json:"message"`
}

type projectEventData struct {
	ProjectID string          `json:"projectId"`
	Type      event.Type      `json:"type"`
	Data      json.RawMessage `json:"data"`
}

// maxNamed is how many sessions, and how many projects, one stream follows.
const maxNamed = 8

// eventRoutes are the endpoints about changes of everything.
func eventRoutes() []route {
	return []route{
		{method: get, path: "/api/events", name: "streamAll", summary: "Everything that a page shows, as Server-Sent Events: changes of decisions, sessions, runs and projects, and the logs of sessions. It begins with feed:ready, or with feed:reset where changes were missed.",
			params: []param{
				{in: "query", name: "sessions", doc: "sessions whose whole logs are to be followed, 8 at most, with commas between them; each is an id, or an id, a colon and the sequence to go on after"},
				{in: "query", name: "projects", doc: "ids of projects whose files are to be watched, 8 at most, with commas between them"},
				{in: "query", name: "lastEventId", doc: "as Last-Event-ID, for clients that cannot send a header"},
				{in: "header", name: "Last-Event-ID", doc: "the id of the last event that was received: all goes on there. A session or project that is not in it begins as the query says"}},
			media: eventStream, action: action{serve: serveAllEvents},
			errors: []fault.Type{fault.InvalidRequest, fault.SessionNotFound, fault.NotFound, fault.Overloaded, fault.StorageFailure}},
	}
}

// feedPosition is where a reader of the one stream is: in the feed, and in the log of each
// session and the versions of each project, by their ids. As the id of an event it is
// FEED,s:ID:SEQUENCE,p:ID:VERSION, with as many sessions and projects as the reader has.
type feedPosition struct {
	feed string
	in   map[followed]int64
}

// followed is a session (kind s) or a project (kind p) that a reader follows.
type followed struct{ kind, id string }

var (
	feedPattern     = lazyregexp.New(`^[A-Z2-7]{12}\.[0-9]{1,16}$`)
	followedPattern = lazyregexp.New(`^([sp]):([A-Za-z0-9_-]{1,80}):([0-9]{1,16})$`)
	sessionItem     = lazyregexp.New(`^([A-Za-z0-9_-]{1,80})(?::([0-9]{1,16}))?$`)
	projectItem     = lazyregexp.New(`^(p_[0-9a-f]{16})()$`)
)

// String is the position as the id of an event.
func (p feedPosition) String(order []followed) string {
	var b strings.Builder
	b.WriteString(p.feed)
	for _, f := range order {
		b.WriteString("," + f.kind + ":" + f.id + ":" + strconv.FormatInt(p.in[f], 10))
	}
	return b.String()
}

// readPosition reads the id of an event; "" is no position. It is false for the id of no
// event of this stream.
func readPosition(s string) (p feedPosition, ok bool) {
	p.in = map[followed]int64{}
	if s == "" {
		return p, true
	}
	parts := strings.Split(s, ",")
	if len(parts) > 1+2*maxNamed || !feedPattern.MatchString(parts[0]) {
		return p, false
	}
	p.feed = parts[0]
	for _, part := range parts[1:] {
		m := followedPattern.FindStringSubmatch(part)
		if m == nil {
			return p, false
		}
		p.in[followed{m[1], m[2]}], _ = strconv.ParseInt(m[3], 10, 64) // 16 digits always fit
	}
	return p, true
}

func serveAllEvents(c *call) error {
	all, err := c.all()
	if err != nil {
		return err
	}
	f, err := readFeedRequest(c)
	if err != nil {
		return err
	}
	release, err := c.admit()
	if err != nil {
		return err
	}
	defer release()
	s, err := openFeed(c, all, f)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // it was only read
	c.copyStream(c.followed, c.w, c.r, s)
	return nil
}

// errorOf is what readers of the one stream learn of a session that cannot be read on.
func errorOf(id string, err error) sessionEndData {
	f := fault.From(err)
	if errors.Is(err, io.EOF) {
		f = fault.New(fault.SessionNotFound, "the session's log has ended").With("sessionId", id)
	}
	return sessionEndData{id, f.Type, f.Message}
}

// wrapSession makes the event of a session's log one of the one stream.
func wrapSession(id string, e event.Event) json.RawMessage {
	b := event.AppendString([]byte(`{"sessionId":`), id)
	return append(append(b, ','), e.AppendJSON(nil)[1:]...)
}

// openFeed opens everything that a request follows.
func openFeed(c *call, all Overview, f feedRequest) (*feedStream, error) {
	sub, err := all.Subscribe(c.ctx(), f.at.feed)
	if errors.Is(err, overview.ErrClosed) {
		err = fault.New(fault.Overloaded, "the server is shutting down")
	}
	if err != nil {
		return nil, err
	}
	s := newFeedStream(c.ctx(), sub, f)
	for _, id := range f.sessions {
		key := followed{"s", id}
		log, err := c.o.Engine.Events(c.ctx(), id, f.at.in[key], "")
		switch {
		case err == nil:
			s.follow(key, log)
		case c.ctx().Err() != nil || fault.Is(err, fault.Overloaded) || fault.Is(err, fault.SessionNotFound):
			_ = s.Close()
			return nil, err
		default: // a damaged session, or one whose project cannot be reached, ends no other
			s.pull(key, func(context.Context) ([]event.Event, error) { return nil, err })
		}
	}
	for id, root := range f.projects {
		key := followed{"p", id}
		if _, err := c.current(c.r, root); err != nil {
			_ = s.Close()
			return nil, err
		}
		changes, now, err := c.o.Projects.Index.Subscribe(c.ctx(), root, uint64(f.at.in[key]))
		if err != nil {
			_ = s.Close()
			return nil, noIndex(root, err)
		}
		s.follow(key, &projectStream{sub: changes, root: root, now: now})
	}
	return s, nil
}

var _ turn.Stream = (*feedStream)(nil)
