package turn

import (
	"context"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/telemetry"
	"belay/internal/turn/changes"
	"belay/internal/turn/ending"
	"belay/internal/turn/recovery"
)

// starter begins turns.
type starter struct {
	store    *session.Store
	newID    func() string
	logger   *slog.Logger
	tracer   trace.Tracer
	lifetime *lifetime
	projects *projects
	models   *models
	keys     *idempotencyKeys
	maker    *turnMaker
	records  *recovery.Records
	dead     *deadTurns
	streams  *streams
}

// start implements [Turns.Start]. The order of the checks is the contract's
// (section 1.7); the shape of the request is the surface's.
func (s *starter) start(ctx context.Context, r Request) (Stream, error) {
	if err := r.Opts.Validate(); err != nil {
		return nil, err
	}
	if s.maker.services.Redact.HoldsKey(r.Opts.Model) { // it would go on record
		return nil, fault.Invalid([]fault.Problem{{Field: "opts.model", Message: holdsKey}})
	}
	if err := s.projects.rules.Limits.admit(r.Message); err != nil {
		return nil, err
	}
	if r.Opts.Compact && len(r.Attachments)+len(r.Items)+len(r.Links) > 0 {
		return nil, fault.New(fault.InvalidRequest, "a turn that summarises the conversation takes no attachments").
			With("field", "attachments").WithHint("send the files with the next message")
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
func (s *starter) begin(ctx context.Context, rec session.Record, r Request) (_ Stream, err error) {
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
	ctx, span := telemetry.Begin(ctx, s.tracer, "turn", attribute.String("belay.session.id", rec.SessionID))
	defer func() {
		if !began { // also when a check panicked
			telemetry.End(span, err)
			s.lifetime.leave()
		}
	}()
	lease, err := s.acquire(ctx, rec.SessionID, r.Opts.OnBusy)
	if err != nil {
		return nil, err
	}
	t := s.maker.newTurn(ctx, lease, r, "turn_"+s.newID())
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
	t.began = t.Clock()
	go func() {
		defer s.lifetime.leave()
		defer t.report(nil)
		t.run()
	}()
	return s.streams.open(t.SessionID, t.ID, t, reader), nil
}

// acquire takes the session's lease, after those who wait for it.
func (s *starter) acquire(ctx context.Context, id, onBusy string) (lease *session.Lease, err error) {
	ctx, span := telemetry.Start(ctx, "queue")
	defer func() { telemetry.End(span, err) }()
	return s.dead.acquireIdle(ctx, id, onBusy)
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
	after := t.Lease.LastSeq()
	reader, err := s.store.Reader(ctx, t.SessionID, after)
	if err != nil {
		return nil, err
	}
	if err := t.record(after); err != nil {
		_ = reader.Close()
		return nil, err
	}
	// By the turn's first event. Where that cannot be noted, the next turn reports it again: a
	// turn that is on record must not be refused.
	if err := t.Lease.Reported(); err != nil {
		s.logger.Error("note that changed files were reported", "session", t.SessionID, "error", err)
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
			s.logger.Error("prepare a turn", "session", t.SessionID, "error", fault.From(err).Cause)
		}
	}()
	if s.acceptedAlready(t) {
		return session.Busy(t.SessionID)
	}
	root := t.Lease.Record().ProjectRoot
	if root != "" && s.dead.files.Journal.Left(root, t.SessionID) {
		// What a crash left half changed must not be read as an attachment.
		if err := s.dead.files.FinishProject(ctx, root); err != nil {
			return err
		}
	}
	open, err := s.records.DanglingQuestions(ctx, t.Lease)
	if err != nil {
		return err
	}
	if err := s.maker.settleOptions(ctx, t); err != nil {
		return err
	}
	for _, q := range open {
		t.main.Settings.Warn("QUESTION_CLOSED", recovery.ClosedByNewTurn(q))
	}
	if err := s.attach(ctx, t, root); err != nil {
		return err
	}
	warning := t.main.Refused
	takenBack := func() string {
		return strings.Trim(changes.TakenBack(t.Lease.Entries())+"\n\n"+warning, "\n")
	}
	t.main.Refused = takenBack()
	if err := t.main.Compose(root); err != nil {
		return err
	}
	if len(open) > 0 { // what is refused leaves them open
		if err := t.main.AffordFirst(); err != nil {
			return err
		}
	}
	if err := s.records.Settle(ctx, t.Lease); err != nil {
		return err
	}
	if err := s.maker.warnOfUndos(t); err != nil {
		return err
	}
	t.main.Refused = takenBack()
	t.main.OpenWindow()
	if err := t.main.AffordFirst(); len(open) == 0 {
		return err
	}
	return nil // the questions are closed: where the budget is too small now, the turn says so
}

// attach takes the files and links of the request, which it checks with its message.
func (s *starter) attach(ctx context.Context, t *turn, root string) error {
	ctx, span := telemetry.Start(ctx, "attachments", attribute.Int("belay.attachments", len(t.req.Attachments)))
	files, err := attachment.Resolve(ctx, t.req.Attachments, t.rules.policy(root), t.Blobs)
	telemetry.End(span, err)
	if err != nil {
		return err
	}
	if err := admit(t.req, files); err != nil {
		return err
	}
	t.main.Files, t.main.Refused = slices.Concat(t.req.Items, files.Items), files.Warning()
	if t.main.Links, err = keepLinks(s.maker.links, t.req.Links); err != nil {
		return err
	}
	if t.main.Refused != "" {
		t.main.Settings.Warn("ATTACHMENTS_REFUSED", t.main.Refused)
	}
	return nil
}
