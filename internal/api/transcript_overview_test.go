package api_test

import (
	"context"
	"strings"
	"testing"

	"belay/internal/api/apitest"
	"belay/internal/fault"
	"belay/internal/overview"
	"belay/internal/session"
)

func TestOverviewTranscripts(t *testing.T) { transcripts(t, "overview") }

// sampleOverview shows one session in one project, and what it was asked.
type sampleOverview struct{ root string }

const sampleProject = "p_0123456789abcdef"

func (o *sampleOverview) project() overview.Project {
	return overview.Project{ID: sampleProject, Name: "bridge", Path: o.root, UsedAt: apitest.Start, Sessions: 1, OpenQuestions: 2, Exists: true}
}

func (o *sampleOverview) Sessions(_ context.Context, q overview.Query) (overview.Page, error) {
	at := session.Time{Time: apitest.Start}
	s := overview.Session{SessionID: "s1", ProjectID: sampleProject, ProjectName: "bridge", ProjectRoot: o.root,
		Title: "Check the bearings", State: overview.Waiting, OpenQuestions: 1, Turns: 2, CostUSD: new(0.25), Persona: "WORKING_ITEMS", Mode: "direct", CreatedAt: at, UpdatedAt: at}
	if q.State != "" && q.State != s.State || !strings.Contains(strings.ToLower(s.Title), strings.ToLower(q.Text)) {
		return overview.Page{Sessions: []overview.Session{}}, nil
	}
	page := overview.Page{Sessions: []overview.Session{s}, Total: 1}
	if q.Limit == 1 {
		page.NextCursor, page.Total = "after-s1", 2
	}
	return page, nil
}

func (o *sampleOverview) Projects(context.Context) ([]overview.Project, error) {
	return []overview.Project{o.project()}, nil
}

func (o *sampleOverview) Root(id string) (string, error) {
	if id != sampleProject {
		return "", fault.New(fault.NotFound, "no project has the id %q", id).With("project", id)
	}
	return o.root, nil
}

func (o *sampleOverview) Add(_ context.Context, root string) (overview.Project, error) {
	p := o.project()
	p.Path = root
	return p, nil
}

func (o *sampleOverview) Touching(_ context.Context, _, folder string) ([]overview.Touching, bool, error) {
	at := session.Time{Time: apitest.Start}
	return []overview.Touching{{SessionID: "s1", Title: "Check the bearings", Persona: "WORKING_ITEMS", Turns: 2, Last: at, Paths: []string{folder + "/Datasheet.md"}}}, false, nil
}

// Activity has one transition, and says what it was asked.
func (o *sampleOverview) Activity(_ context.Context, q overview.ActivityQuery) (overview.Activity, error) {
	h := overview.Happening{ID: "audit-7", At: apitest.Start, Kind: overview.KindTransition, What: "PKG-01_Bridge/1_Working/DEL-01-01_Deck/_STATUS.md: OPEN to INITIALIZED by HUMAN",
		Deliverable: "PKG-01::DEL-01-01", By: "ana"}
	if !h.At.After(q.Since) {
		return overview.Activity{Happenings: []overview.Happening{}}, nil
	}
	a := overview.Activity{Happenings: []overview.Happening{h}, Total: 1}
	if q.Limit == 1 {
		a.NextCursor, a.Total = "after-audit-7", 2
	}
	return a, nil
}

func (o *sampleOverview) Subscribe(context.Context, string) (*overview.Subscription, error) {
	return nil, overview.ErrClosed
}
