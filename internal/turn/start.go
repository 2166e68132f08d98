package turn

import (
	"context"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn/changes"
	"belay/internal/turn/ending"
)

// starter begins turns.
type starter struct {
	store    *session.Store
	newID    func() string
	logger   *slog.Logger
	lifetime *lifetime
	projects *projects
	models   *models
	keys     *idempotencyKeys
	maker    *turnMaker
	records  *recordRecovery
	dead     *deadTurns
	streams  *streams
}

// start implements [Turns.Start]. The order of the checks is the contract's
// (section 1.7); the shape of the request is the surface's.
func (s *starter) start(ctx context.Context, r Request) (Stream, error) {
	if err := r.Opts.Validate(); err != nil {
		return nil, err
	}
	if err := s.projects.rules.Limits.admit(r.Message); err != nil {
		return nil, err
	}
	rec, err := s.store.Get(ctx, r.SessionID)
	if err != nil {
		return nil, err
	}
	if r.IdempotencyKey == "" {
		return s.begin(ctx, rec, r)
	}
	return s.once(ctx, rec, r)
}

// begin takes the lease, prepares the turn and sets it running.
func (s *starter) begin(ctx context.Context, rec session.Record, r Request) (Stream, error) {
	b, err := s.models.backendOf(&r)
	if err != nil {
		return nil, err
	}
	if err := b.Provider.Ready(); err != nil {
		return nil, err
	}
	if err := s.lifetime.enter(); err != nil {
		return nil, err
	}
	began := false
	defer func() {
		if !began { // also when a check panicked
			s.lifetime.leave()
		}
	}()
	lease, err := s.dead.acquireIdle(ctx, rec.SessionID, r.Opts.OnBusy)
	if err != nil {
		return nil, err
	}
	t := s.maker.newTurn(lease, r, "turn_"+s.newID())
	defer func() {
		if !began {
			t.retire()
		}
	}()
	reader, err := s.accept(ctx, t)
	if err != nil {
		return nil, err
	}
	began = true
	go func() {
		defer s.lifetime.leave()
		t.run()
	}()
	return s.streams.open(t.session, t.id, t, reader), nil
}

// accept passes the turn through its checks and puts it on record, which is what
// makes it a turn. The reader is before its first event.
func (s *starter) accept(ctx context.Context, t *turn) (*session.Reader, error) {
	if err := t.register(); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, t); err != nil {
		return nil, err
	}
	after := t.lease.LastSeq()
	reader, err := s.store.Reader(ctx, t.session, after)
	if err != nil {
		return nil, err
	}
	if err := t.record(after); err != nil {
		_ = reader.Close()
		return nil, err
	}
	return reader, nil
}

// prepare does every check that needs the lease and leaves the turn ready to
// run. It adds nothing to the record but the end of a turn that crashed. Files
// of any content pass through here: a panic over one of them refuses the turn.
func (s *starter) prepare(ctx context.Context, t *turn) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = ending.Panicked("the turn could not be prepared", v, debug.Stack())
			s.logger.Error("prepare a turn", "session", t.session, "error", fault.From(err).Cause)
		}
	}()
	if s.acceptedAlready(t) {
		return session.Busy(t.session)
	}
	open, err := s.records.danglingQuestions(ctx, t.lease)
	if err != nil {
		return err
	}
	if err := s.records.settle(ctx, t.lease); err != nil {
		return err
	}
	if err := s.maker.settleOptions(t); err != nil {
		return err
	}
	for _, q := range open {
		t.main.settings.warn("QUESTION_CLOSED", closedByNewTurn(q))
	}
	root := t.lease.Record().ProjectRoot
	files, err := attachment.Resolve(ctx, t.req.Attachments, t.rules.policy(root), t.blobs)
	if err != nil {
		return err
	}
	if err := admit(t.req, files); err != nil {
		return err
	}
	t.main.files, t.main.refused = slices.Concat(t.req.Items, files.Items), files.Warning()
	if t.main.links, err = keepLinks(s.maker.services.links, t.req.Links); err != nil {
		return err
	}
	if t.main.refused != "" {
		t.main.settings.warn("ATTACHMENTS_REFUSED", t.main.refused)
	}
	t.main.refused = strings.Trim(changes.TakenBack(t.lease.Entries())+"\n\n"+t.main.refused, "\n")
	if err := t.main.compose(root); err != nil {
		return err
	}
	return t.main.affordFirst()
}
