// Package run carries workflows out. A run is durable: it lies in the project's
// .belay/runs/<id> with a copy of its workflow file and one record per task, each
// on disk before the next task begins, so that a run whose process was killed goes
// on after the last finished task ([Runner.Resume]).
//
// Each task of an agent is one turn of [turn.Engine], in a session of its own for
// each attempt: permission, budget, audit and events are those of any turn. The
// runner adds what is between the tasks: templates, attachments, routes, retries,
// outputs.
//
// Specification: attachments, sections 2, 3 and 6; architecture, "A workflow run".
package run

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/gather"
	"belay/internal/fault"
	"belay/internal/redact"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/workspace/snapshot"
)

// Engine is what a runner needs of a [turn.Engine].
type Engine interface {
	turn.Turns
	Create(ctx context.Context, r turn.CreateRequest) (session.Record, error)
	Manifest(ctx context.Context, sessionID, turnID string) (session.Manifest, error)
}

// Blobs is where accepted attachments lie. What was put is durable after Sync.
type Blobs interface {
	attachment.BlobStore
	Sync(ctx context.Context) error
}

// Gatherer opens or fetches every attachment of a list; [gather.Gatherer] is one.
type Gatherer interface {
	Gather(ctx context.Context, folder *declared.Folder, list []*declared.Attachment, blobs attachment.BlobStore) (gather.Result, error)
}

// Options are what a [Runner] stands on. All are required unless they say otherwise.
type Options struct {
	Engine Engine
	// Ready says why no turn could be taken with this provider, "" for the usual one;
	// nil is no check.
	Ready func(provider string) error
	// Repeats reports whether a provider has no model: it repeats what it is asked. Nil says
	// that none does.
	Repeats func(provider string) bool
	// Blobs opens the blob store of a project.
	Blobs  func(project string) (Blobs, error)
	Gather Gatherer
	// Inspect says how a model would get what fill accepts into the store that it is
	// given, which is gone afterwards; nil leaves plans without it.
	Inspect func(ctx context.Context, c turn.Choice, fill func(attachment.BlobStore) ([]attachment.Item, error)) ([]turn.Inspection, error)
	// Takes says what a model takes in a project; nil leaves all as the file has it.
	Takes func(project string, c turn.Choice) (turn.Capacity, error)
	// StateDir is the operator's folder: locks and requests to cancel lie there,
	// out of the reach of agents.
	StateDir string
	// Private are belay's own folders, in which no project may lie.
	Private []string
	// Tools are the names of the tools that agents can be given.
	Tools []string
	// Provider answers where neither request nor agent names one. Others are those
	// beside it that agents may name, Providers all that there are.
	Provider  string
	Others    []string
	Providers []string
	// Asks reports whether each call of a tool certainly needs a person's decision in a
	// project, whatever it is given; nil does not know.
	Asks func(project, mode string, allow []string, tool string) bool
	// Objection says why a call of a tool certainly fails, "" where it may succeed, and the
	// next step; nil does not know.
	Objection func(ctx context.Context, c ToolCall) (reason, hint string)
	// Denies says why the person's rules deny agents of a project to read a file, "" where they do
	// not: its path is relative to the project, or absolute. Nil denies nothing.
	Denies func(project string) func(path string) string
	// Priced is what is known of the price of a choice in a project; nil does not know.
	Priced func(project string, c turn.Choice) (Price, error)
	// Redact takes secrets out of the notes that people write; nil takes none out that it
	// could know.
	Redact *redact.Redactor
	// Answered puts the answer to a wait task, or that nobody gave one in time, on the audit
	// log before it counts; nil keeps no log.
	Answered func(ctx context.Context, w Waiting) error
	Snapshot snapshot.Options
	Limits   Limits
	Logger   *slog.Logger
	Clock    func() time.Time
	// NewID makes the ids of runs; they sort by time.
	NewID func() string
}

// DefaultRetryDelay lets a short failure of a provider pass, and is not felt by a
// person who watches.
const DefaultRetryDelay = time.Second

// Limits bound runs. Each is a configuration key of the same meaning.
type Limits struct {
	// FileBytes caps a workflow file.
	FileBytes int64
	// Steps is how many tasks a run may have done one after the other.
	Steps int
	// Parallel is how many tasks of all runs of this process work at once.
	Parallel int
	// Items caps the items of a collection, Tasks all tasks of a run, those within
	// others counted.
	Items, Tasks int
	// Attachments caps those of one task, Matches what one pattern finds.
	Attachments, Matches int
	// RetryDelay is waited before the first retry of a task, and twice as long
	// before each further one.
	RetryDelay time.Duration
}

// Request is a workflow that is to be run.
type Request struct {
	// Project is the absolute path of the project that agents work in, File that
	// of the workflow file.
	Project, File string
	// Within, where it is set, is the folder that File must lie in, links resolved:
	// a caller that may name only files of a project says so here.
	Within string
	// Key, where it is set, makes the request begin one run, however often it is sent in
	// the same project: in the words of HTTP, its Idempotency-Key.
	Key string
	// Input is what the workflow is given.
	Input map[string]any
	// Texts are further inputs, as a command line has them: what the schema of the
	// input wants as something else than text is read as JSON.
	Texts map[string]string
	// Provider and Model, where they are set, are those of all agents, whatever
	// the file says.
	Provider, Model string
	// Mode is the permission mode of the turns; "" is direct.
	Mode string
	// OnQuestion says what becomes of calls that a person must allow, as in
	// [turn.Opts].
	OnQuestion string
	// Allow are rules of calls that need no question, given by the person who
	// starts the run. Rules of the file only deny: see [PlannedTask.Asks].
	Allow []string
	// Strict has the attachments of all tasks that are certainly done opened and
	// fetched before the run begins: one that cannot be used is an ATTACHMENT_FAILURE,
	// and there is no run.
	Strict bool
	// SkipRefused lets tasks begin without attachments that cannot be used.
	SkipRefused bool

	// resumes is set where a run goes on with the file: it keeps its input.
	resumes bool
}

// Runner runs workflows in this process. It owns a goroutine for each run;
// [Runner.Close] ends them all.
type Runner struct {
	o     Options
	state state
	// places bounds the tasks at work.
	places chan struct{}

	work sync.WaitGroup

	mu     sync.Mutex
	closed bool
	active map[string]*execution
	// lost says of runs of this process why their end is not on record: the disk was
	// full, for one.
	lost map[string]*Failure
}

// New returns a runner that takes runs until it is closed.
func New(o Options) *Runner {
	return &Runner{o: o, state: state{filepath.Join(o.StateDir, "runs")}, places: make(chan struct{}, max(o.Limits.Parallel, 1)), active: map[string]*execution{}, lost: map[string]*Failure{}}
}

// enter counts an execution that Close waits for.
func (r *Runner) enter(x *execution) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return fault.New(fault.Overloaded, "the runner is shutting down and begins no runs")
	}
	r.active[x.id] = x
	delete(r.lost, x.id)
	r.work.Add(1)
	return nil
}

func (r *Runner) leave(x *execution) {
	r.mu.Lock()
	if r.active[x.id] == x { // it may have been taken up again meanwhile
		delete(r.active, x.id)
	}
	r.mu.Unlock()
	r.work.Done()
}

func (r *Runner) running(id string) *execution {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active[id]
}

// Close begins no more runs and waits for those under way until ctx is done; then
// it stops what is left. Such a run is interrupted, and can be resumed. It returns
// ctx's error if it had to.
func (r *Runner) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	for _, x := range r.active {
		if x.activity.idle() {
			x.stop(errInterrupted) // the next process goes on waiting
		}
	}
	r.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		r.work.Wait()
		close(idle)
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	for _, x := range r.active {
		x.stop(errInterrupted)
	}
	r.mu.Unlock()
	<-idle
	return ctx.Err()
}
