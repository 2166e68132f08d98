package app

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"belay/internal/api"
	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/page"
	"belay/internal/workspace"
)

// ServeOptions are called while a server runs.
type ServeOptions struct {
	// Listener is a socket that is open already, nil where the server opens its address
	// itself. The server closes it.
	Listener net.Listener
	// Listening is called once, when requests are answered: with the server's
	// base URL, a fresh one-time link to the page, and what the server goes
	// without. An error ends the server: nobody would know where it is.
	Listening func(url, link string, without []api.Missing) error
	// Draining gets, when ctx ends while turns run, how many of them may end
	// within which time. It may be nil.
	Draining func(turns int, grace time.Duration)
	// Resumed gets the number of turns that the server took up at its start, because
	// they waited for a person when their processes ended. Left gets the number of
	// turns that it leaves to the next server when it stops. Neither is called with 0;
	// both may be nil.
	Resumed, Left func(turns int)
	// Discord is called when channels can be connected: with the link that invites the
	// bot to a server, and the code for /link, which is used once. It may be nil.
	Discord func(invite, code string)
}

// Serve answers requests until ctx is done, then lets running turns end within
// the configured grace. It starts the bus, tells the state folder where the
// server is, and removes that note when it ends. Where the disk is full it goes
// without these, so that people can clean up through it.
func (a *App) Serve(ctx context.Context, o ServeOptions) (err error) {
	if p := a.Config.Project; p != "" {
		if _, err := workspace.CheckRoot(p, a.Root.Path(), PrivateFolders(a.Config)...); err != nil {
			return err
		}
	}
	token, err := accessToken(a.Config)
	if err != nil {
		return err
	}
	ln := o.Listener
	if ln == nil {
		if ln, err = a.listen(ctx); err != nil {
			return err
		}
	}
	closeListener := func() error {
		if err := ln.Close(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}
	a.MCP.Start() // so that the first turn need not wait for them
	here := newPresence(a, time.Now)
	operator, err := here.operatorToken()
	if err != nil {
		return errors.Join(err, closeListener())
	}
	carrier, err := a.startBus(ctx, here.ready)
	if err != nil {
		return errors.Join(err, closeListener())
	}
	here.carrier = carrier
	addr := ln.Addr().String()
	authority := api.NewOperator(api.OperatorOptions{Token: operator, BoundAddr: addr, StateDir: a.Config.Paths.StateDir, Logger: a.log})
	all := a.Overview()
	defer all.Close()
	ho := a.handlerOptions(addr, token, authority, carrier, here)
	ho.Overview = all
	work := newPipeline(a, ho.Engine)
	defer work.Close()
	ho.Pipeline = work
	h := api.New(ho)
	base := "http://" + reachable(addr)
	here.server = Server{URL: base, Addr: addr, PID: os.Getpid(), Project: a.Config.Project, Started: time.Now().UTC()}
	here.publish()
	if o.Listening != nil {
		link, _ := authority.Link(base)
		if err := o.Listening(base, link, here.ready.without()); err != nil {
			return errors.Join(err, closeListener(), here.leave(), carrier.stop())
		}
	}
	setGOGC(serverGOGC)
	defer addProcessors()()
	a.Engine.Recovery.Stay() // the first question about an abandoned turn must not end it
	a.startWorker(ctx, carrier, here.ready)
	a.startDiscord(ctx, carrier, base, here.ready, o.Discord)
	var background sync.WaitGroup
	life, end := context.WithCancel(ctx)
	background.Go(func() { sweepRequests(life, a) })
	background.Go(func() { a.freeWhenIdle(life) })
	background.Go(func() { here.attend(life) })
	background.Go(func() {
		resume(life, a)
		if n := a.Engine.Counts().TakenUp; n > 0 && o.Resumed != nil {
			o.Resumed(n)
		}
		background.Go(func() { a.tidy(life, carrier) }) // it takes the leases of sessions that wait
		followAnswers(life, a)
	})
	so := serveOptions(a.Config)
	so.Logger = a.log
	so.Quiesce = func(ctx context.Context) {
		if n := a.Engine.Counts().Working; n > 0 && o.Draining != nil {
			o.Draining(n, so.Grace)
		}
		carrier.drain()
		work.Close()
		a.drain(ctx)
		if n := a.Engine.Counts().Left; n > 0 && o.Left != nil {
			o.Left(n)
		}
	}
	err = api.Serve(ctx, ln, h, so)
	end()
	background.Wait()
	return errors.Join(err, here.leave(), carrier.stop())
}

// reachable is an address that leads to addr from this machine: one that listens
// on every address has none to connect to.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return addr
	}
	return net.JoinHostPort("127.0.0.1", port)
}

// resume completes what dead processes left half done: changes of files, in all
// projects, before anybody looks at those. Then it takes up the turns that a dead process left waiting for a person's
// decision, and puts the end of other such turns on record.
func resume(ctx context.Context, a *App) {
	if err := a.Engine.Recovery.RecoverFiles(ctx); err != nil && ctx.Err() == nil {
		a.log.Error("finish changes of files", "error", err)
	}
	ids, err := a.Store.Signals.Abandoned(ctx)
	if err != nil {
		a.log.Error("look for abandoned turns", "error", err)
	}
	// A question survives a power cut; what names the turn of a session may not.
	open, err := a.Engine.Decisions(ctx, "")
	if err != nil {
		a.log.Error("look for open questions", "error", err)
	}
	for _, q := range open {
		ids = append(ids, q.SessionID)
	}
	slices.Sort(ids)
	if err := a.Engine.Recovery.Resume(ctx, slices.Compact(ids)...); err != nil && ctx.Err() == nil {
		a.log.Error("take up abandoned turns", "error", err)
	}
	if n, err := a.Runs.TakeUpWaiting(ctx); err != nil && ctx.Err() == nil {
		a.log.Error("take up runs that wait", "error", err)
	} else if n > 0 {
		a.log.Info("took up runs that wait", "runs", n)
	}
}

// drain waits for running turns; called after new ones are refused. What is
// still running when the grace is over is interrupted, and is on record so.
func (a *App) drain(ctx context.Context) {
	// Runs first, and within a part of the time: one that begins another task while
	// turns are refused would fail instead of being interrupted.
	if end, ok := ctx.Deadline(); ok {
		some, cancel := context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
		if err := a.Runs.Close(some); err != nil {
			a.log.Warn("runs of workflows were interrupted to shut down; take them up again with belay run --resume", "reason", err)
		}
	}
	if err := a.Engine.Close(ctx); err != nil {
		a.log.Warn("turns were interrupted to shut down", "reason", err)
	}
}

func (a *App) handlerOptions(addr, token string, authority *api.Operator, c *carrier, here *presence) api.Options {
	cfg, metrics := a.Config, api.NewMetrics(a.version)
	o := handlerOptions(cfg)
	o.Engine, o.Logger, o.Version, o.Metrics, o.Page = a.engine(c), a.log, a.version, metrics, page.New()
	o.BoundAddr, o.Token, o.Operator, o.Tracer = addr, token, authority, a.traces.Tracer()
	o.Scaffolder = newScaffolder(cfg)
	o.Ready = here.readiness
	o.Config = func(context.Context) (any, error) { return cfg.Show(), nil }
	o.Doctor = func(ctx context.Context) (any, error) { return append(Doctor(ctx, cfg), here.ready.checks()...), nil }
	o.Models = func(context.Context) (api.ModelList, error) { return Models(a) }
	o.Info = func(context.Context) (api.SystemInfo, error) { return info(a) }
	o.Projects = a.projects()
	o.Workflows = a.workflows()
	a.watch(metrics, c)
	return o
}

// accessToken reads the token that callers need: required wherever others than
// this machine can reach the server.
func accessToken(cfg *config.Config) (string, error) {
	if cfg.TokenFile == "" {
		if !cfg.Loopback() {
			return "", fault.New(fault.InvalidRequest, "the address %s can be reached from other machines, which takes a token (token_file)", cfg.Addr).
				WithHint("put a secret of at least %d characters in a file and name it with --token-file or token_file", minTokenBytes)
		}
		return "", nil
	}
	data, _, err := durable.ReadFile(nil, cfg.TokenFile, maxNoteBytes)
	if err != nil {
		return "", fault.New(fault.InvalidRequest, "the token file cannot be read: %v", err).
			WithHint("check the path given with --token-file or token_file").Because(err)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < minTokenBytes {
		return "", fault.New(fault.InvalidRequest, "the token in %s has fewer than %d characters", cfg.TokenFile, minTokenBytes).
			WithHint("make one with: openssl rand -hex 32")
	}
	if len(data) > maxTokenFile || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fault.New(fault.InvalidRequest, "%s holds no token that a client can send: it must be one line of printable ASCII without blanks", cfg.TokenFile).
			WithHint("make one with: openssl rand -hex 32")
	}
	return token, nil
}

// The shortest token in bytes, and the largest file with one, as clients have it.
const (
	minTokenBytes = 16
	maxTokenFile  = 4 << 10
)

// watch has the metrics told of every event that this process appends, and of the bus.
func (a *App) watch(m *api.Metrics, c *carrier) {
	see := m.Observe
	if c.bus != nil {
		c.measure(m)
	}
	a.observe.Store(&see)
}
