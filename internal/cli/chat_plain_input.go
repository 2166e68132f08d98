package cli

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"belay/internal/blank"
	"belay/internal/chat"
	"belay/internal/fault"
	"belay/internal/quantity"
	"belay/internal/session"
	"belay/internal/turn"
)

// interrupter is what Ctrl-C does while a turn runs: the first one stops the turn. One
// more, before that has ended, ends the chat. Leave gets the error of an engine that does not
// stop the turn. The engine is asked in a goroutine of its own, so that further signals are
// heard meanwhile. Done waits for it.
func (p *plainChat) interrupter(ctx context.Context, leave func(error)) (take func() bool, done func()) {
	id, pressed := p.o.Session, false
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	take = func() bool {
		if pressed {
			return false
		}
		pressed = true
		asking.Go(func() {
			if err := stopTurn(ctx, p.o.Engine, id); err != nil && ctx.Err() == nil {
				leave(unstoppable{fmt.Errorf("interrupt the turn: %w", err)})
			}
		})
		return true
	}
	return take, func() {
		cancel()
		asking.Wait()
	}
}

// unstoppable is why a turn could not be stopped. The chat ends with it.
type unstoppable struct{ error }

// Unwrap returns the reason.
func (u unstoppable) Unwrap() error { return u.error }

// stopTurn stops what runs in a session. It does not wait for ever.
func stopTurn(ctx context.Context, e turn.Engine, id string) error {
	ctx, cancel := context.WithTimeout(ctx, interruptPatience)
	defer cancel()
	err := e.Interrupt(ctx, id, "")
	if fault.Is(err, fault.SessionNotFound) {
		return nil // it has just ended
	}
	return err
}

// listen takes what a person types while a turn runs, until it has ended: an answer
// where a question waits, else words for the turn.
func (p *plainChat) listen(ctx context.Context, a *asker, ended <-chan error) error {
	lines := p.lines
	for {
		select {
		case err := <-ended:
			return err
		case l := <-lines:
			switch {
			case l.err != nil:
				p.over, lines = true, nil
				a.over()
			case a.asks(l.read):
				a.answer(l.text)
			case !blank.Is(l.text):
				p.steer(ctx, l.text)
			}
		}
	}
}

// steer says something into the running turn. Where that has just ended it is the
// next.
func (p *plainChat) steer(ctx context.Context, text string) {
	if err := isText("the line", text); err != nil {
		p.c.warn(fmt.Sprintf("not said: %v", err))
		return
	}
	files, missed := chat.Mentioned(p.o.Folder, text)
	for _, w := range missed {
		p.c.warn(w)
	}
	files, err := p.bring(ctx, files)
	if err == nil {
		err = p.o.Engine.Steer(ctx, turn.SteerRequest{SessionID: p.o.Session, Message: text, Attachments: files, Mode: session.Steer, Key: rand.Text()})
	}
	switch {
	case fault.Is(err, fault.NoTurnInProgress):
		p.next = append(p.next, text)
	case err != nil:
		p.c.warn(fmt.Sprintf("not said: %v", err))
	default:
		p.said = append(p.said, text)
		p.c.note("said", "it is heard at the next step")
	}
}

// inputLine is a line of stdin without its end and when it was read, or why there is none.
type inputLine struct {
	text string
	read time.Time
	err  error
}

// lines reads stdin beside the command, so that a signal is heard while nobody
// writes. A read that nothing ends is left to the end of the process.
func (c *console) lines(ctx context.Context) <-chan inputLine {
	lines := make(chan inputLine)
	give := func(l inputLine) bool {
		select {
		case lines <- l:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		s := bufio.NewScanner(c.in)
		s.Buffer(nil, maxStdin)
		for first := true; s.Scan(); first = false {
			text := s.Text()
			if first {
				text = strings.TrimPrefix(text, byteOrderMark)
			}
			if !give(inputLine{text: text, read: time.Now()}) {
				return
			}
		}
		err := io.EOF
		switch {
		case errors.Is(s.Err(), bufio.ErrTooLong):
			err = failed(ExitUsage, "attach long text as a file", fmt.Errorf("a line on stdin is larger than %s", quantity.Size(maxStdin)))
		case s.Err() != nil:
			err = fmt.Errorf("read stdin: %w", s.Err())
		}
		give(inputLine{err: err})
	}()
	return lines
}
