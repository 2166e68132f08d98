package api

import (
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

// createSession answers 200, not 201, as the original did.
func createSession(c *call, b *turn.CreateRequest) (sessionAnswer, error) {
	rec, err := c.o.Engine.Create(c.ctx(), *b)
	return sessionAnswer{rec}, err
}

func listSessions(c *call) (listAnswer, error) {
	q, err := query(c.r)
	if err != nil {
		return listAnswer{}, err
	}
	p := params{q: q}
	root := p.required("projectRoot")
	o := session.ListOptions{Limit: p.limit(0, maxPage), Cursor: q["cursor"], Recent: p.word("order", "created", "used") == "used"}
	if err := p.err(); err != nil {
		return listAnswer{}, err
	}
	page, err := c.o.Engine.ListPage(c.ctx(), root, o)
	return listAnswer{orEmpty(page.Records), page.Next, page.More}, err
}

// maxPage is how many sessions one page has at most.
const maxPage = 1000

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
