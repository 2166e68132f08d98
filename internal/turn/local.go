package turn

import (
	"context"
	"sync"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/turn/agent"
	"belay/internal/turn/changes"
	"belay/internal/turn/recovery"
)

// Local is the [Engine] that runs turns in this process.
//
// It owns one goroutine per running turn and one that listens for interrupts
// from other processes; [Local.Close] ends them all. A turn's goroutine is
// never a request's: the caller that started it may go away.
//
// It does nothing by itself. Each of its parts does one job.
type Local struct {
	*sessions
	*attachments
	personas
	*control
	FileChanges
	// Files settles what dead processes left half done in projects.
	Files *changes.Files
	// Recovery takes care of the turns that dead processes left.
	Recovery Recovery

	lifetime *lifetime
	// listener is the goroutine that takes interrupts of other processes.
	listener sync.WaitGroup

	signals  session.Signals
	provider model.Provider
	running  *runningTurns
	starter  *starter
	boots    *boots
	dead     *deadTurns
	streams  *streams
}

var _ Engine = (*Local)(nil)

// NewLocal returns an engine that takes turns until it is closed.
func NewLocal(o Options) *Local {
	o = o.withDefaults()
	var (
		life     = newLifetime()
		running  = newRunningTurns(o.Rules.Limits.InFlight)
		leases   = newLeases(life.closing, o.Store, running, o.Rules.Limits)
		resolver = newResolver(&o)
		projects = resolver.projects
		models   = resolver.models
		asked    = agent.Questions{Requests: o.Requests, Logger: o.Logger}
		ends     = recovery.NewUnrecordedEnds(o.Clock)
		files    = &changes.Files{Store: o.Store, Journal: o.Journal, Gate: o.Gate, Audit: o.Audit, Logger: o.Logger, Clock: o.Clock}
	)
	records := &recovery.Records{Store: o.Store, Files: files, Questions: asked, Requests: o.Requests, Audit: o.Audit, Ends: ends, Clock: o.Clock}
	services := &agent.Services{
		Logger: o.Logger, Clock: o.Clock, FilePlanner: o.Planner, Questions: asked, Audit: o.Audit, Hooks: o.Hooks, Redact: o.Redact, Publish: o.Publish, AddedRules: o.AddedRules,
		Scope: o.Scope, Gate: o.Gate, Journal: o.Journal, FileRecovery: files, ProjectsIn: o.Store.ProjectsIn,
		ScratchDir: o.ScratchDir, OwnSkills: o.OwnSkills, SearchPath: o.SearchPath, GitConfigs: o.GitConfigs, ReadPaths: o.ReadPaths,
	}
	keys := newIdempotencyKeys(o.Clock, o.Rules.Limits.IdempotencyTTL)
	maker := &turnMaker{services, o.NewID, o.Root, life, running, projects, resolver, ends, o.Links}
	dead := &deadTurns{
		store: o.Store, tracer: o.Tracer, lifetime: life, leases: leases, files: files, records: records,
		waiting: &recovery.SuspendedTurns{Store: o.Store, Questions: asked}, maker: maker,
	}
	streams := &streams{
		store: o.Store, clock: o.Clock, closing: life.closing, running: running, ends: ends, dead: dead,
		poll: orphanPoll, patience: readPatience,
	}
	l := &Local{
		sessions:    &sessions{o.Store, projects, leases, o.ScratchDir, updates{life, dead, o.Redact}},
		attachments: &attachments{o.Store, projects, models, dryRun{o.Store, o.Planner, o.ScratchDir}},
		personas:    personas{o.Root, o.Tools, o.MoreTools},
		control:     &control{o.Store, projects, o.Requests, o.Clock, o.Redact, o.Links, keys},
		FileChanges: changes.New(files, changesEngine{life, projects, dead, o.Store, services}, o.Requests),
		Files:       files,
		lifetime:    life, signals: o.Store.Signals, provider: o.Provider, running: running,
		starter: &starter{
			store: o.Store, newID: o.NewID, logger: o.Logger, tracer: o.Tracer, lifetime: life, projects: projects, models: models,
			keys: keys, maker: maker, records: records, dead: dead, streams: streams,
		},
		boots: &boots{
			store: o.Store, root: o.Root, provider: o.Provider, clock: o.Clock, newID: o.NewID,
			lifetime: life, projects: projects, resolver: resolver, records: records, dead: dead,
		},
		dead: dead, streams: streams,
	}
	l.Recovery = Recovery{l}
	l.listener.Go(func() { running.listen(life.ctx, o.Store.Signals) })
	return l
}

// Start implements [Turns].
func (l *Local) Start(ctx context.Context, r Request) (Stream, error) { return l.starter.start(ctx, r) }

// Boot implements [Turns].
func (l *Local) Boot(ctx context.Context, r BootRequest) (BootResult, error) {
	return l.boots.boot(ctx, r)
}

// Events implements [Turns].
func (l *Local) Events(ctx context.Context, sessionID string, after int64, turnID string) (Stream, error) {
	return l.streams.events(ctx, sessionID, after, turnID)
}

// Interrupt implements [Turns]: it stops the turn, wherever on this machine it runs.
func (l *Local) Interrupt(ctx context.Context, sessionID, turnID string) error {
	if here, err := l.running.interrupt(ctx, sessionID, turnID); here || err != nil {
		return err
	}
	err := l.signals.RequestInterrupt(sessionID, turnID)
	if fault.Is(err, fault.SessionNotFound) {
		if ended, failed := l.dead.end(ctx, sessionID, turnID); ended || failed != nil {
			return failed
		}
	}
	return err
}

// ModelWarning says that nothing is known of a model of the usual provider and its
// limits are assumed. It is "" for a model that the provider knows.
func ModelWarning(l *Local, name string) string { return agent.ModelWarning(l.provider, name) }

// Counts returns the numbers of turns as they are now.
func (l *Local) Counts() Counts { return l.running.counts() }

// Close refuses new turns, sends away those that wait in line, and leaves those that
// wait for a person to the next process, where this one would take up such turns
// ([Local.Stay]). It waits for the running ones until ctx is done; then it interrupts
// them and waits for them to end cleanly. It returns ctx's error if it had to.
func (l *Local) Close(ctx context.Context) error {
	err := l.lifetime.close(ctx)
	l.listener.Wait()
	return err
}
