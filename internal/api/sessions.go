package api

import (
	"net/http"
	"net/url"
	"strconv"

	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

type sessionAnswer struct {
	Session session.Record `json:"session"`
}

type sessionsAnswer struct {
	Sessions []session.Record `json:"sessions"`
}

// listAnswer is a page of sessions. On the last one nothing follows.
type listAnswer struct {
	Sessions   []session.Record `json:"sessions"`
	NextCursor string           `json:"nextCursor,omitempty"`
	// More is how many sessions follow.
	More int `json:"more,omitempty"`
}

type transcriptAnswer struct {
	SessionID string          `json:"sessionId"`
	Entries   []session.Entry `json:"entries"`
}

type manifestAnswer struct {
	Manifest session.Manifest `json:"manifest"`
}

// query reads the URL's parameters, each at most once.
func query(r *http.Request) (map[string]string, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the query string is malformed").With("field", "query").
			WithHint("in values write %% as %%25 and ; as %%3B").Because(err)
	}
	q := make(map[string]string, len(values))
	for name, all := range values {
		if len(all) > 1 {
			return nil, fault.New(fault.InvalidRequest, "the parameter %s is given more than once", fault.Clip(name)).With("field", fault.Clip(name))
		}
		q[name] = all[0]
	}
	return q, nil
}

// queryField reads one required parameter.
func queryField(r *http.Request, name string) (string, error) {
	q, err := query(r)
	if err != nil {
		return "", err
	}
	v := trim(q[name])
	if v == "" {
		return "", fault.New(fault.InvalidRequest, "the parameter %s is required", name).With("field", name)
	}
	return v, nil
}

// createSession answers 200, not 201, as the original did.
func createSession(c *call, b *turn.CreateRequest) (sessionAnswer, error) {
	rec, err := c.o.Engine.Create(c.ctx(), *b)
	return sessionAnswer{rec}, err
}

func listSessions(c *call) (listAnswer, error) {
	root, err := queryField(c.r, "projectRoot")
	if err != nil {
		return listAnswer{}, err
	}
	o, err := listOptions(c.r)
	if err != nil {
		return listAnswer{}, err
	}
	page, err := c.o.Engine.ListPage(c.ctx(), root, o)
	return listAnswer{orEmpty(page.Records), page.Next, page.More}, err
}

// maxPage is how many sessions one page has at most.
const maxPage = 1000

// listOptions reads which part of a list is wanted.
func listOptions(r *http.Request) (o session.ListOptions, err error) {
	q, err := query(r)
	if err != nil {
		return o, err
	}
	if q["limit"] != "" {
		if o.Limit, err = strconv.Atoi(q["limit"]); err != nil || o.Limit < 1 || o.Limit > maxPage {
			return o, fault.New(fault.InvalidRequest, "limit must be a whole number, 1 to %d", maxPage).With("field", "limit")
		}
	}
	switch q["order"] {
	case "", "created":
	case "used":
		o.Recent = true
	default:
		return o, fault.New(fault.InvalidRequest, "order must be created or used").With("field", "order")
	}
	o.Cursor = q["cursor"]
	return o, nil
}

func findSessions(c *call) (sessionsAnswer, error) {
	prefix, err := queryField(c.r, "prefix")
	if err != nil {
		return sessionsAnswer{}, err
	}
	records, err := c.o.Engine.Find(c.ctx(), prefix)
	return sessionsAnswer{orEmpty(records)}, err
}

func getSession(c *call) (sessionAnswer, error) {
	rec, err := c.o.Engine.Get(c.ctx(), c.id())
	return sessionAnswer{rec}, err
}

func deleteSession(c *call) (okAnswer, error) { return done(c.o.Engine.Delete(c.ctx(), c.id())) }

func getTranscript(c *call) (transcriptAnswer, error) {
	entries, err := c.o.Engine.Transcript(c.ctx(), c.id())
	return transcriptAnswer{c.id(), orEmpty(entries)}, err
}

func getManifest(c *call) (manifestAnswer, error) {
	q, err := query(c.r)
	if err != nil {
		return manifestAnswer{}, err
	}
	m, err := c.o.Engine.Manifest(c.ctx(), c.id(), q["turn"])
	return manifestAnswer{m}, err
}

// orEmpty makes an empty list an empty array on the wire, not null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
