package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"belay/internal/event"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/workspace/index"
	"belay/internal/workspace/scan"
)

// The events of a project. Their ids are the index's versions.
const (
	projectReady   event.Type = "project:ready"
	projectChanged event.Type = "project:changed"
	projectReset   event.Type = "project:reset"
)

// projectEvents describes them.
func projectEvents() []event.Spec {
	return []event.Spec{
		{Type: projectReady, When: "The first event on a stream: from here on, changes are reported.", Sample: projectReadyData{}},
		{Type: projectChanged, When: "Files of the project changed.", Sample: projectChangedData{}},
		{Type: projectReset, When: "Changes are not known one by one: what is known of the project has to be fetched anew.", Sample: projectResetData{}},
	}
}

type projectResetData struct {
	Version uint64 `json:"version"`
}

type projectReadyData struct {
	ProjectRoot string `json:"projectRoot"`
	Version     uint64 `json:"version"`
	// Watch is events, or polling where the system does not tell of changes.
	Watch index.Mode `json:"watch"`
}

type projectChangedData struct {
	Version uint64 `json:"version"`
	// Paths are what was written, made or removed, relative to the project; More
	// is set where there is more.
	Paths []string `json:"paths"`
	More  bool     `json:"more,omitempty"`
	// Deliverables are those whose entry in the listing changed.
	Deliverables []changedDeliverable `json:"deliverables"`
	// Layout is set where packages, copies, tool roots or findings changed.
	Layout bool `json:"layout,omitempty"`
	// Proposals is set where what agents propose for registers changed.
	Proposals bool `json:"proposals,omitempty"`
}

type changedDeliverable struct {
	scan.ListedDeliverable
	// Was is the state before, absent for a new one; Gone is set for one that is
	// not there any more.
	Was  string `json:"was,omitempty"`
	Gone bool   `json:"gone,omitempty"`
}

func serveProjectEvents(c *call) error {
	root, q, err := c.projectOf()
	if err != nil {
		return err
	}
	return c.follow(c.followed, q["after"], func(after int64) (turn.Stream, error) {
		if _, err := c.current(c.r, root); err != nil {
			return nil, err
		}
		sub, now, err := c.o.Projects.Index.Subscribe(c.ctx(), root, uint64(after))
		return &projectStream{sub: sub, root: root, now: now}, noIndex(root, err)
	})
}

// projectStream is a project's changes as a stream of events.
type projectStream struct {
	sub  *index.Subscription
	root string
	now  *index.Snapshot // until it is reported
}

// Turn implements [turn.Stream].
func (s *projectStream) Turn() string { return "" }

// Next implements [turn.Stream].
func (s *projectStream) Next(ctx context.Context) ([]event.Event, error) {
	if now := s.now; now != nil {
		s.now = nil
		return one(0, projectReady, projectReadyData{s.root, now.Version, now.Mode})
	}
	c, gap, err := s.sub.Next(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, index.ErrUnsubscribed):
		return nil, session.ErrReaderClosed
	case err != nil:
		return nil, io.EOF // the project is gone, or the server ends
	case gap:
		return one(c.Version, projectReset, projectResetData{c.Version})
	}
	data := projectChangedData{Version: c.Version, Paths: orEmpty(c.Paths), More: c.More, Layout: c.Layout, Proposals: c.Proposals, Deliverables: []changedDeliverable{}}
	for _, d := range c.Deliverables {
		data.Deliverables = append(data.Deliverables, changed(s.root, d))
	}
	return one(c.Version, projectChanged, data)
}

// Close implements [turn.Stream].
func (s *projectStream) Close() error {
	s.sub.Close()
	return nil
}

func changed(root string, d index.Delta) changedDeliverable {
	if d.After == nil {
		return changedDeliverable{ListedDeliverable: d.Before.Listed(root), Was: d.Before.Status, Gone: true}
	}
	c := changedDeliverable{ListedDeliverable: d.After.Listed(root)}
	if d.Before != nil {
		c.Was = d.Before.Status
	}
	return c
}

func one(version uint64, kind event.Type, data any) ([]event.Event, error) {
	raw, err := json.Marshal(data)
	return []event.Event{{Seq: int64(version), Type: kind, Data: raw}}, err
}
