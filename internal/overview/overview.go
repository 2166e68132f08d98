// Package overview shows people all of their work at a glance: the projects, the sessions
// of all projects, the questions that wait, and what changes in these.
//
// Start with [New]. An [Overview] answers from files and remembers what it has read of
// them: a list of thousands of sessions reads those that changed since the last one. It
// keeps nothing on disk. [Overview.Subscribe] reports changes, whichever process of this
// user makes them.
//
// It decides nothing, and it never writes to a session.
//
// Contract: the HTTP contract, "More endpoints"; design of the page.
package overview

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/workflow/run"
)

// Questions are the calls that wait for a person; [permit.Requests] has them.
type Questions interface {
	List(ctx context.Context, sessionID string) ([]permit.Request, error)
	Verdict(id string) (permit.Decision, bool, error)
}

// Runs are the runs of workflows; [run.Runner] has them.
type Runs interface {
	Questions(ctx context.Context) ([]run.Waiting, error)
	List(ctx context.Context, project string, most int) ([]run.Summary, int, error)
}

// Options configure an [Overview]. Sessions and Questions are required.
type Options struct {
	Sessions  session.Catalog
	Questions Questions
	// Runs is nil where no workflows run.
	Runs Runs
	// Audit has transitions and edits of registers; nil where there is no log.
	Audit AuditLog
	// Home is a project that is listed also without sessions, "" for none.
	Home string
	// Allow refuses a project that callers may not name; nil allows any.
	Allow func(projectRoot string) error
	// Tick is the time between two looks for changes while somebody subscribes. Default
	// 250 ms.
	Tick time.Duration
	// Logger gets failures of looks for changes; nil discards them.
	Logger *slog.Logger
}

// Overview shows all sessions and projects. It is safe for concurrent use. Its one
// goroutine runs while somebody subscribes; [Overview.Close] ends it.
type Overview struct {
	o Options

	mu sync.Mutex
	// digests are what is known of sessions, by id; places are those of projects, by folder.
	digests map[string]known
	places  map[string]place

	feed feed
}

// known is the digest of a session's transcript as it was in a version.
type known struct {
	version session.RowVersion
	digest  *session.Digest
}

// New returns an overview.
func New(o Options) *Overview {
	o.Tick = cmp.Or(o.Tick, 250*time.Millisecond)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	v := &Overview{o: o, digests: map[string]known{}, places: map[string]place{}}
	v.feed.init(v)
	return v
}

// Close ends all subscriptions and waits for the overview's goroutine.
func (v *Overview) Close() { v.feed.close() }
