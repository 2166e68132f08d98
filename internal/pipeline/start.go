package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/workspace/scan"
)

// Started is the batch that a start made, or that an earlier one with the same key had made.
type Started struct {
	Batch string `json:"batch"`
	// Sessions are in the order of the targets.
	Sessions []StartedSession `json:"sessions"`
}

// StartedSession is one session of a batch.
type StartedSession struct {
	SessionID string `json:"sessionId"`
	Target    string `json:"target,omitempty"`
	Title     string `json:"title"`
}

// Start makes a session for each target and starts the first turn. It returns when that is
// accepted; the other turns follow, AtOnce at a time. If anything is refused, all sessions
// are removed again and nothing runs. A request with the key of an earlier one returns
// what that one made; another request with that key is IDEMPOTENCY_CONFLICT.
func (s *Service) Start(ctx context.Context, r Request) (Started, error) {
	p, err := s.check(ctx, r)
	if err != nil {
		return Started{}, err
	}
	if _, err := s.afford(p); err != nil {
		return Started{}, err
	}
	id := s.batchID(r)
	release, err := s.alone(ctx, placeOf(r.ProjectRoot, id))
	if err != nil {
		return Started{}, err
	}
	defer release()
	earlier, err := s.sessionsOf(ctx, r.ProjectRoot, id)
	if err != nil {
		return Started{}, err
	}
	label, err := p.label(id)
	if err != nil {
		return Started{}, err
	}
	if len(earlier) > 0 && earlier[0].Pipeline.Digest != label.Digest {
		return Started{}, fault.New(fault.IdempotencyConflict, "Idempotency-Key %q was used for another start", clip(r.Key)).With("batch", id)
	}
	if len(earlier) == len(p.targets) {
		return started(id, earlier), nil
	}
	records, made, err := s.create(ctx, p, label, earlier)
	if err == nil && len(earlier) > 0 {
		err = s.resume(ctx, r.ProjectRoot, id, records)
	} else if err == nil {
		err = s.begin(ctx, p, id, records)
	}
	if err != nil {
		return Started{}, errors.Join(err, s.remove(made))
	}
	return started(id, records), nil
}

// begin starts the first turn of a batch, and leaves the others to its goroutines.
func (s *Service) begin(ctx context.Context, p *plan, id string, records []session.Record) error {
	jobs := make([]job, len(records))
	for i, rec := range records {
		req := turn.Request{SessionID: rec.SessionID, Message: p.message(p.targets[i]), Opts: turnOpts(p.Opts)}
		jobs[i] = job{request: keyed(req, rec.Pipeline)}
	}
	first, err := s.o.Engine.Start(ctx, jobs[0].request)
	if err != nil {
		return err
	}
	jobs[0].stream = first
	s.launch(p.ProjectRoot, id, p.AtOnce, jobs)
	return nil
}

// keyed gives a request the key of its batch: a session of a pipeline gets its first turn
// once, whoever starts it.
func keyed(r turn.Request, label *session.Pipeline) turn.Request {
	r.IdempotencyKey, r.BodyDigest = label.Batch, label.Digest
	return r
}

// turnOpts are the options of the turns themselves: mode and model are the sessions'.
func turnOpts(o turn.Opts) turn.Opts {
	o.Mode, o.Model = "", ""
	return o
}

// create makes the sessions that are not there yet, and returns all in the order of the
// targets, and those that it made.
func (s *Service) create(ctx context.Context, p *plan, label session.Pipeline, earlier []session.Record) (all, made []session.Record, err error) {
	byTarget := map[string]session.Record{}
	for _, rec := range earlier {
		byTarget[rec.Pipeline.Target] = rec
	}
	for _, d := range p.targets {
		rec, has := byTarget[targetOf(d)]
		if !has {
			if rec, err = s.createOne(ctx, p, label, d); err != nil {
				return nil, made, err
			}
			made = append(made, rec)
		}
		all = append(all, rec)
	}
	return all, made, nil
}

func (s *Service) createOne(ctx context.Context, p *plan, label session.Pipeline, d *scan.ListedDeliverable) (session.Record, error) {
	label.Target = targetOf(d)
	return s.o.Engine.Create(ctx, turn.CreateRequest{
		ProjectRoot: p.ProjectRoot, Persona: p.kind.persona, Mode: p.mode(), Model: p.Opts.Model, Title: p.title(d), Pipeline: &label,
	})
}

// remove deletes sessions in which nothing happened.
func (s *Service) remove(made []session.Record) (err error) {
	for _, rec := range made {
		if e := s.o.Engine.Delete(s.life, rec.SessionID); e != nil && !fault.Is(e, fault.SessionNotFound) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// label is what all sessions of a start have in common.
func (p *plan) label(id string) (session.Pipeline, error) {
	options, err := json.Marshal(turnOpts(p.Opts))
	if err != nil {
		return session.Pipeline{}, err
	}
	label := session.Pipeline{
		Batch: id, Of: len(p.targets), Category: p.category.id, Type: p.kind.id, ScopeMode: p.ScopeMode, KnowledgeType: p.KnowledgeType,
		Note: strings.TrimSpace(p.Note), AtOnce: p.AtOnce, Options: options,
	}
	whole, err := json.Marshal([]any{label, p.Targets, p.mode(), p.Opts.Model})
	if err != nil {
		return session.Pipeline{}, err
	}
	sum := sha256.Sum256(whole)
	label.Digest = hex.EncodeToString(sum[:])
	return label, nil
}

// batchID is the id of a start's batch. That of a request with a key follows from the key,
// so that the request is recognized when it is sent again.
func (s *Service) batchID(r Request) string {
	if r.Key == "" {
		return "batch_" + s.o.NewID()
	}
	sum := sha256.Sum256([]byte(r.Key))
	return "batch_" + hex.EncodeToString(sum[:12])
}

// sessionsOf are the sessions of a batch, in the order in which they were made.
func (s *Service) sessionsOf(ctx context.Context, projectRoot, batch string) ([]session.Record, error) {
	all, err := s.o.Engine.List(ctx, projectRoot)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(r session.Record) bool {
		return r.Pipeline == nil || r.Pipeline.Batch != batch || r.Damaged != ""
	}), nil
}

func started(id string, records []session.Record) Started {
	a := Started{Batch: id}
	for _, rec := range records {
		a.Sessions = append(a.Sessions, StartedSession{rec.SessionID, rec.Pipeline.Target, rec.Title})
	}
	return a
}
