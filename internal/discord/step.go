package discord

import (
	"context"
	"io"
	"time"

	"belay/internal/discord/client"
	"belay/internal/discord/message"
	"belay/internal/discord/output"
)

const (
	// nonceWindow is how long Discord surely knows a nonce. "A few minutes" is all that
	// its documentation says.
	nonceWindow = 2 * time.Minute
	// defaultAttempts is how often one operation is tried that fails although Discord answers:
	// about seven minutes. An upload can take minutes by itself.
	defaultAttempts, fileAttempts = 18, 5
	// maxPages bounds the look for an earlier message: beyond 2,000 it counts as not sent.
	maxPages = 20
)

// step carries out the plan's next operation. It reports false when there is none, and when
// the operation failed for long with what may pass, or for the bot's token: then it is still the
// next one.
func (a *answer) step(ctx context.Context) bool {
	op, ok := a.plan.Next()
	if !ok || ctx.Err() != nil {
		return false
	}
	var uploads []client.Upload
	for _, f := range op.Files {
		u, err := a.upload(ctx, f)
		if ctx.Err() != nil {
			return false
		}
		if err != nil {
			// This file alone fails; the others wait for the next step.
			a.surface.log.Warn("Discord: a file of an answer cannot be read", "request", a.request.ID, "error", err)
			a.plan.Failed(output.Op{Kind: output.Create, Files: []output.File{f}}, output.Refused, unread(err))
			return true
		}
		uploads = append(uploads, u)
	}
	began := a.begin(op)
	most := a.surface.o.Attempts
	if len(op.Files) > 0 {
		most = fileAttempts
	}
	for failures := 0; ; failures++ {
		err := a.carryOut(ctx, op, uploads, began)
		if err == nil {
			delete(a.began, op.Key)
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		if client.KindOf(err) == client.Temporary && (failures < most || a.surface.away(ctx)) {
			if !pause(ctx, failures) {
				return false
			}
			continue
		}
		if is(err, client.Revoked) || is(err, client.Temporary) && len(op.Files) == 0 {
			a.surface.log.Warn("Discord: a part of an answer waits", "request", a.request.ID, "what", op.Kind, "reason", client.ReasonOf(err))
			return false
		}
		a.failed(op, err)
		return true
	}
}

// begin says when the first attempt at an operation was made, perhaps by a step before this one
// or by another process.
func (a *answer) begin(op output.Op) time.Time {
	if _, tried := a.began[op.Key]; !tried {
		a.began[op.Key] = a.surface.o.Now()
		if a.resumed {
			a.began[op.Key] = a.request.Time
		}
	}
	return a.began[op.Key]
}

// carryOut makes one attempt at an operation that was begun at a time.
func (a *answer) carryOut(ctx context.Context, op output.Op, uploads []client.Upload, began time.Time) error {
	s := a.surface
	switch op.Kind {
	case output.Edit:
		if err := s.client.Edit(ctx, a.channel.id, op.ID, client.Change{Text: &op.Text}); err != nil {
			return err
		}
		a.plan.Sent(op, output.Result{ID: op.ID})
		return nil
	case output.Delete:
		if err := s.client.Delete(ctx, a.channel.id, op.ID); err != nil {
			return err
		}
		a.plan.Sent(op, output.Result{ID: op.ID})
		return nil
	}
	m := client.NewMessage{Text: op.Text, ReplyTo: op.ReplyTo, Nonce: nonce(a.request.ID, op.Key), Files: uploads}
	if m.ReplyTo == "" {
		m.ReplyTo = a.request.Messages[len(a.request.Messages)-1]
	}
	got, found, err := a.earlier(ctx, m, began)
	if err == nil && !found {
		got, err = s.client.Send(ctx, a.channel.id, m)
	}
	if err != nil {
		return err
	}
	a.plan.Sent(op, output.Result{ID: got.ID, Text: got.Text, Files: len(got.Attachments)})
	return a.recordSent(op.Key)
}

// earlier looks for a message that an attempt before this one may have made, where
// that is too long ago for its nonce to be known.
func (a *answer) earlier(ctx context.Context, m client.NewMessage, began time.Time) (message.Message, bool, error) {
	s := a.surface
	if s.knowsNonce(began) {
		return message.Message{}, false, nil
	}
	s.mu.Lock()
	from := a.lastMessage()
	s.mu.Unlock()
	return s.search(ctx, a.channel.id, from, func(old message.Message) bool {
		return old.Nonce == m.Nonce || old.Nonce == "" && old.ReplyTo == m.ReplyTo && old.Text == m.Text && len(old.Attachments) == len(m.Files)
	})
}

// knowsNonce reports whether Discord surely knows the nonce of a message that was first sent at
// a time. A clock that was set back says nothing of it.
func (s *Surface) knowsNonce(began time.Time) bool {
	age := s.o.Now().Sub(began)
	return age >= 0 && age < nonceWindow
}

// search looks for a message of the bot after another one.
func (s *Surface) search(ctx context.Context, channel, from string, fits func(message.Message) bool) (message.Message, bool, error) {
	s.mu.Lock()
	bot := s.bot.ID
	s.mu.Unlock()
	for range maxPages {
		after, err := s.client.After(ctx, channel, from)
		if err != nil || len(after) == 0 {
			return message.Message{}, false, err
		}
		for _, old := range after {
			if old.Author.ID == bot && fits(old) {
				return old, true, nil
			}
		}
		from = after[len(after)-1].ID
	}
	return message.Message{}, false, nil
}

// recordSent puts a new message of the answer on record.
func (a *answer) recordSent(key string) error {
	for _, m := range a.plan.Messages() {
		if m.Key != key {
			continue
		}
		a.surface.mu.Lock()
		a.ids = append(a.ids, m.ID)
		a.surface.mu.Unlock()
		if err := a.channel.record.Sent(a.request.ID, m); err != nil {
			// The message is there; after a restart its nonce, or a look, finds it.
			a.surface.log.Error("Discord: a message of an answer could not be recorded", "request", a.request.ID, "error", err)
		}
	}
	return nil
}

// failed tells the plan, and the operator, that an operation cannot be done.
func (a *answer) failed(op output.Op, err error) {
	reason := client.ReasonOf(err)
	a.surface.log.Warn("Discord: a part of an answer could not be sent", "request", a.request.ID, "what", op.Kind, "reason", reason)
	why := output.Lost
	switch kind := client.KindOf(err); {
	case kind == client.TooLarge:
		why, reason = output.Refused, "it is too large for Discord"
	case kind == client.Refused, len(op.Files) > 0:
		why = output.Refused // the text may go without the files
	case kind == client.Gone:
		why = output.Gone
	}
	a.plan.Failed(op, why, reason)
}

// upload makes a file of the answer ready to be sent. It is opened once to see that
// it is there; a disk that does not give it now may do so later.
func (a *answer) upload(ctx context.Context, f output.File) (client.Upload, error) {
	file := a.files[f.Key]
	u := client.Upload{Name: f.Name, Size: f.Size, Open: func() (io.ReadCloser, error) {
		return a.surface.o.Bus.OpenFile(ctx, a.request.Session, file)
	}}
	for failures := 0; ; failures++ {
		r, err := u.Open()
		if err == nil {
			return u, r.Close()
		}
		if final(err) || failures == fileAttempts || !pause(ctx, failures) {
			return u, err
		}
	}
}
