package turn

import (
	"context"
	"runtime/debug"
	"slices"
	"strings"

	"belay/internal/attachment"
	"belay/internal/blank"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn/changes"
)

// Start implements [Engine]. The order of the checks is the contract's
// (section 1.7); the shape of the request is the surface's.
func (l *Local) Start(ctx context.Context, r Request) (Stream, error) {
	if err := r.Opts.Validate(); err != nil {
		return nil, err
	}
	if err := l.o.Rules.Limits.admit(r.Message); err != nil {
		return nil, err
	}
	rec, err := l.o.Store.Get(ctx, r.SessionID)
	if err != nil {
		return nil, err
	}
	if r.IdempotencyKey == "" {
		return l.begin(ctx, rec, r)
	}
	return l.once(ctx, rec, r)
}

// begin takes the lease, prepares the turn and sets it running.
func (l *Local) begin(ctx context.Context, rec session.Record, r Request) (Stream, error) {
	b, err := l.models.backendOf(&r)
	if err != nil {
		return nil, err
	}
	if err := b.Provider.Ready(); err != nil {
		return nil, err
	}
	if err := l.lifetime.enter(); err != nil {
		return nil, err
	}
	began := false
	defer func() {
		if !began { // also when a check panicked
			l.lifetime.leave()
		}
	}()
	lease, err := l.acquireIdle(ctx, rec.SessionID, r.Opts.OnBusy)
	if err != nil {
		return nil, err
	}
	t := l.newTurn(lease, r, "turn_"+l.o.NewID())
	defer func() {
		if !began {
			t.retire()
		}
	}()
	reader, err := l.accept(ctx, t)
	if err != nil {
		return nil, err
	}
	began = true
	go func() {
		defer l.lifetime.leave()
		t.run()
	}()
	s := l.stream(t.session, t.id, reader)
	s.own = t
	return s, nil
}

// accept passes the turn through its checks and puts it on record, which is what
// makes it a turn. The reader is before its first event.
func (l *Local) accept(ctx context.Context, t *turn) (*session.Reader, error) {
	if err := t.register(); err != nil {
		return nil, err
	}
	if err := l.prepare(ctx, t); err != nil {
		return nil, err
	}
	after := t.lease.LastSeq()
	reader, err := l.o.Store.Reader(ctx, t.session, after)
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
func (l *Local) prepare(ctx context.Context, t *turn) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked("the turn could not be prepared", v, debug.Stack())
			l.o.Logger.Error("prepare a turn", "session", t.session, "error", fault.From(err).Cause)
		}
	}()
	if l.acceptedAlready(t) {
		return session.Busy(t.session)
	}
	open, err := l.records.danglingQuestions(ctx, t.lease)
	if err != nil {
		return err
	}
	if err := l.records.settle(ctx, t.lease); err != nil {
		return err
	}
	if err := l.settleOptions(t); err != nil {
		return err
	}
	for _, q := range open {
		t.main.settings.add("QUESTION_CLOSED", closedByNewTurn(q))
	}
	root := t.lease.Record().ProjectRoot
	files, err := attachment.Resolve(ctx, t.req.Attachments, t.main.settings.rules.policy(root), t.blobs)
	if err != nil {
		return err
	}
	if err := admit(t.req, files); err != nil {
		return err
	}
	t.main.files, t.main.refused = slices.Concat(t.req.Items, files.Items), files.Warning()
	if t.main.refused != "" {
		t.main.settings.add("ATTACHMENTS_REFUSED", t.main.refused)
	}
	t.main.refused = strings.Trim(changes.TakenBack(t.lease.Entries())+"\n\n"+t.main.refused, "\n")
	if err := t.main.compose(root); err != nil {
		return err
	}
	return t.main.affordFirst()
}

// settleOptions resolves everything that follows from the session's record, the
// turn's options and the project's rules.
func (l *Local) settleOptions(t *turn) error {
	rec := t.lease.Record()
	var err error
	if rec.ProjectRoot, err = l.projects.check(rec.ProjectRoot); err != nil {
		return err
	}
	if t.main.settings, err = l.resolver.resolve(rec, t.req); err != nil {
		return err
	}
	if err := t.main.settings.rules.Limits.admit(t.req.Message); err != nil {
		return err // by what the project allows
	}
	t.events.interval, t.events.size = t.main.settings.rules.Limits.DeltaInterval, t.main.settings.rules.Limits.DeltaBytes
	agents, problems := delegates(l.o.Root, t.main.settings.governance)
	for _, p := range problems {
		t.main.settings.add("SUBAGENT", p)
	}
	if t.main.tools, err = t.main.settings.tools.With(agents...); err != nil {
		return err
	}
	var badRules []string
	if t.main.policy, badRules = t.main.policyOf(t.req.Allow, t.req.Deny); len(badRules) > 0 {
		t.main.settings.add("BAD_RULES", "these rules cannot be read and do not count: "+fault.List(badRules))
	}
	for _, sentence := range t.lease.Tampered() {
		t.main.settings.add("RECORD_CHANGED", sentence)
	}
	if t.unreported, err = l.Files.Unreported(rec.ProjectRoot, rec.SessionID); err != nil {
		return err
	}
	for _, undo := range t.unreported {
		t.main.settings.add("UNDO_SETTLED", changes.Notice(undo))
	}
	if t.blobs, err = t.lease.Blobs(); err != nil {
		return err
	}
	return nil
}

// admit refuses a message that is too long.
func (m Limits) admit(message string) error {
	if n := int64(len(message)); n > m.MessageBytes {
		return fault.New(fault.RequestTooLarge, "message has %d bytes, the limit is %d", n, m.MessageBytes).
			With("limit", m.MessageBytes).With("bytes", n).
			WithHint("attach long text as a file")
	}
	return nil
}

// admit decides whether anything is left to send (resolver REQ-08).
func admit(r Request, files attachment.Resolution) error {
	if !blank.Is(r.Message) || len(files.Items)+len(r.Items) > 0 {
		return nil
	}
	if len(r.Attachments) == 0 {
		return fault.New(fault.InvalidRequest, "message is empty and there are no attachments").With("field", "message")
	}
	return attachment.Failure(files.Refused)
}

// policy admits the attachments of a turn in the project; "" is no project.
func (r Rules) policy(projectRoot string) attachment.Policy {
	p := r.Policy
	if r.ConfineAttachments {
		p.Roots = []string{} // nothing: nil would be everything
		if projectRoot != "" {
			p.Roots = append(p.Roots, projectRoot)
		}
	}
	return p
}
