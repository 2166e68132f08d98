package discord

import (
	"context"
	"time"

	"belay/internal/bus/contract"
)

// signal deals with what the bus says about requests and questions.
func (s *Surface) signal(ctx context.Context, m contract.Message) error {
	switch p := m.Payload.(type) {
	case *contract.LifecycleChanged:
		if a := s.answerTo(m.Request); a != nil {
			a.stands(p)
		}
	case *contract.Reanchor:
		if a := s.answerTo(m.Request); a != nil {
			return a.reanchor(ctx, m.ID, p)
		}
	case *contract.DecisionOpened:
		return questions{s}.opened(m, p)
	case *contract.DecisionClosed:
		return questions{s}.ended(m, p)
	}
	return nil
}

// answerTo is the answer to a request, nil where none is being written.
func (s *Surface) answerTo(request string) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channelOf(request)]; c != nil {
		return c.answers[request]
	}
	return nil
}

// stands notes where the request of an answer stands.
func (a *answer) stands(l *contract.LifecycleChanged) {
	a.surface.mu.Lock()
	defer a.surface.mu.Unlock()
	switch {
	case l.State == contract.StateRunning:
		a.running = true
	case l.State.Final():
		select {
		case a.ended <- l:
		default:
		}
	}
}

// typing shows that the agent works, until ctx is done. While it waits for a person it does not.
func (a *answer) typing(ctx context.Context) {
	s := a.surface
	for failures := 0; failures < 3; {
		s.mu.Lock()
		works := a.running
		s.mu.Unlock()
		works = works && !a.channel.record.Waits(a.request.ID)
		if works {
			if err := s.client.Typing(ctx, a.channel.id); err != nil {
				failures++
			} else {
				failures = 0
			}
		}
		wait := typingEvery
		if !works {
			wait = time.Second / 2
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}
