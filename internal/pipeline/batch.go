package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"time"

	"belay/internal/crash"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// job is the first turn of a session. The stream is that of a turn that has begun.
type job struct {
	request turn.Request
	stream  turn.Stream
}

// place names a batch: two projects may have one with the same id. A project that is named by
// a link is the one that the link leads to.
type place struct{ projectRoot, batch string }

func placeOf(projectRoot, batch string) place {
	if real, err := filepath.EvalSymlinks(projectRoot); err == nil {
		projectRoot = real
	}
	return place{projectRoot, batch}
}

// batch is the work of this process on a batch, while its goroutines run. The service's lock
// guards it.
type batch struct {
	ctx  context.Context //nolint:containedctx // it lives as long as the goroutines
	stop context.CancelFunc
	// jobs are those that no goroutine has taken, and sessions those of all that there were.
	jobs     []job
	sessions map[string]bool
	// workers is how many goroutines take jobs.
	workers int
	// err is why no more turns are started.
	err error
}

// launch starts the turns of a batch, a few at once. A batch that is under way gets those that
// it does not have. Where the service is closed it does nothing: the turns can be started later.
func (s *Service) launch(projectRoot, id string, atOnce int, jobs []job) {
	at := placeOf(projectRoot, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		for _, j := range jobs {
			j.close()
		}
		return
	}
	b := s.running[at]
	if b == nil || b.ctx.Err() != nil { // one that was stopped starts nothing more
		b = &batch{sessions: map[string]bool{}}
		b.ctx, b.stop = context.WithCancel(s.life)
		s.running[at] = b
		s.failed.remove(at)
	}
	for _, j := range jobs {
		if b.sessions[j.request.SessionID] {
			j.close()
			continue
		}
		b.sessions[j.request.SessionID] = true
		b.jobs = append(b.jobs, j)
	}
	for range min(max(atOnce, 1), MaxAtOnce, b.workers+len(b.jobs)) - b.workers {
		b.workers++
		s.work.Go(func() { s.workOff(at, b) })
	}
}

func (j job) close() {
	if j.stream != nil {
		_ = j.stream.Close() // it is only a reader
	}
}

// workOff starts one turn after the other, each when the one before has ended. A turn that
// waits for a person keeps its place: nobody is asked by a whole batch at once.
func (s *Service) workOff(at place, b *batch) {
	for {
		j, more := s.next(at, b)
		if !more {
			return
		}
		if err := crash.Caught(func() error { return s.carryOut(b.ctx, j) })(); err != nil && b.ctx.Err() == nil {
			s.o.Logger.Error("a pipeline could not start a turn", "session", j.request.SessionID, "error", err)
			s.mu.Lock()
			b.err = err
			s.mu.Unlock()
			b.stop()
		}
	}
}

// next gives a goroutine its next job. The last one that gets none ends the batch.
func (s *Service) next(at place, b *batch) (j job, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.ctx.Err() == nil && len(b.jobs) > 0 {
		j, b.jobs = b.jobs[0], b.jobs[1:]
		return j, true
	}
	if b.workers--; b.workers > 0 {
		return job{}, false
	}
	b.stop()
	for _, j := range b.jobs { // of a batch that was stopped
		j.close()
	}
	if s.running[at] == b {
		delete(s.running, at)
		if b.err != nil {
			s.failed.add(at, b.err)
		}
	}
	return job{}, false
}

// carryOut starts a turn and waits for its end. How the turn ends is the session's matter.
func (s *Service) carryOut(ctx context.Context, j job) (err error) {
	for j.stream == nil {
		j.stream, err = s.o.Engine.Start(ctx, j.request)
		switch {
		case fault.Is(err, fault.TurnInProgress), fault.Is(err, fault.SessionNotFound):
			return nil // a person was faster, or has deleted it
		case fault.Is(err, fault.Overloaded):
			select {
			case <-time.After(s.o.Retry):
			case <-ctx.Done():
				return nil
			}
		case err != nil:
			return err
		}
	}
	defer j.close()
	for {
		if _, err := j.stream.Next(ctx); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Continue starts the turns of a batch's sessions that have none yet. Each is checked like a
// new start, so it starts nothing if a deliverable or the instructions are gone.
func (s *Service) Continue(ctx context.Context, projectRoot, id string) error {
	release, err := s.alone(ctx, placeOf(projectRoot, id))
	if err != nil {
		return err
	}
	defer release()
	records, err := s.sessionsOf(ctx, projectRoot, id)
	if err == nil && len(records) == 0 {
		err = unknownBatch(id)
	}
	if err != nil {
		return err
	}
	return s.resume(ctx, projectRoot, id, records)
}

func (s *Service) resume(ctx context.Context, projectRoot, id string, records []session.Record) error {
	var jobs []job
	for _, rec := range records {
		entries, err := s.o.Engine.Transcript(ctx, rec.SessionID)
		if err != nil {
			return err
		}
		if hasTurn(entries) {
			continue
		}
		j, err := s.jobOf(ctx, projectRoot, rec)
		if err != nil {
			return err
		}
		jobs = append(jobs, j)
	}
	if len(jobs) > 0 {
		s.launch(projectRoot, id, records[0].Pipeline.AtOnce, jobs)
	}
	return nil
}

func hasTurn(entries []session.Entry) bool {
	return slices.ContainsFunc(entries, func(e session.Entry) bool { return e.Kind == session.EntryTurn })
}

// jobOf is the first turn of a session as its label describes it. The label may have come
// with the project, so it is checked like a request.
func (s *Service) jobOf(ctx context.Context, projectRoot string, rec session.Record) (job, error) {
	l := rec.Pipeline
	r := Request{
		ProjectRoot: projectRoot, Category: l.Category, Type: l.Type, ScopeMode: l.ScopeMode, KnowledgeType: l.KnowledgeType, Note: l.Note, AtOnce: l.AtOnce,
	}
	if l.Target != "" {
		r.Targets = []string{l.Target}
	}
	if len(l.Options) > 0 {
		if err := json.Unmarshal(l.Options, &r.Opts); err != nil {
			return job{}, fault.New(fault.InvalidRequest, "session %s cannot be started: its options are not readable", rec.SessionID).Because(err)
		}
	}
	r.Opts.Mode, r.Opts.Model = rec.Mode, rec.PreferredModel
	p, err := s.check(ctx, r)
	if err != nil {
		return job{}, err
	}
	if _, err := s.afford(p); err != nil {
		return job{}, err
	}
	if rec.Persona != p.kind.persona {
		return job{}, fault.New(fault.InvalidRequest, "session %s cannot be started: its persona %s is not that of %s", rec.SessionID, clip(rec.Persona), p.kind.id)
	}
	req := turn.Request{SessionID: rec.SessionID, Message: p.message(p.targets[0]), Opts: turnOpts(p.Opts)}
	return job{request: keyed(req, l)}, nil
}

// Stop starts no more turns of a batch. Running ones go on.
func (s *Service) Stop(projectRoot, id string) {
	at := placeOf(projectRoot, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.running[at]; b != nil {
		b.stop()
	}
}

func unknownBatch(id string) error {
	return fault.New(fault.NotFound, "the project has no batch %q", clip(id)).With("batch", clip(id)).
		WithHint("look at the project's batches")
}
