package cli

import (
	"context"
	"crypto/rand"

	"belay/internal/fault"
	"belay/internal/turn"
)

// tried is a message with its key. The engine may have taken the message although it failed,
// and takes it only once when the same text comes again.
type tried struct{ session, message, key string }

// again is a message with the key that it is sent with.
func (t tried) again(session, message string) tried {
	if t.session == session && t.message == message {
		return t
	}
	return tried{session, message, rand.Text()}
}

// start begins a turn with files of this machine.
func (p *plainChat) start(ctx context.Context, r turn.Request, files []string) (turn.Stream, error) {
	var err error
	if r.Attachments, err = p.bring(ctx, files); err != nil {
		return nil, err
	}
	now := p.tried.again(r.SessionID, r.Message)
	r.IdempotencyKey, p.tried = now.key, tried{}
	s, err := p.o.Engine.Start(ctx, r)
	if err != nil && !fault.Is(err, fault.IdempotencyConflict) { // which means that it is there, with other options
		p.tried = now
	}
	return s, err
}

// bring turns paths of this machine into those of the engine, and reports files that
// are refused.
func (p *plainChat) bring(ctx context.Context, files []string) ([]string, error) {
	brought, refused, err := p.o.Bring(ctx, p.o.Session, files)
	for _, r := range refused {
		p.c.warn(r)
	}
	return brought, err
}
