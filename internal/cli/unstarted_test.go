package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"belay/internal/chat"
	"belay/internal/client"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn"
)

// farEngine is an engine whose answers are made up. What a test does not expect panics.
type farEngine struct {
	turn.Engine
	startErr   error
	deleted    []string
	keys       []string
	interrupts int
	// steered and decided are what the turn was told and the questions that were answered.
	steered, decided []string
}

func (e *farEngine) Create(context.Context, turn.CreateRequest) (session.Record, error) {
	return session.Record{SessionID: "sess_1"}, nil
}

func (e *farEngine) Start(_ context.Context, r turn.Request) (turn.Stream, error) {
	e.keys = append(e.keys, r.IdempotencyKey)
	if e.startErr != nil {
		return nil, e.startErr
	}
	return &endless{closed: make(chan struct{})}, nil
}

func (e *farEngine) Delete(_ context.Context, id string) error {
	e.deleted = append(e.deleted, id)
	return nil
}

func (e *farEngine) Steer(_ context.Context, r turn.SteerRequest) error {
	e.steered = append(e.steered, r.Message)
	return nil
}

func (e *farEngine) Decide(_ context.Context, r turn.DecisionRequest) (permit.Decision, error) {
	e.decided = append(e.decided, r.DecisionID)
	return permit.Decision{}, nil
}

// Interrupt hangs as that of a server does which has stopped.
func (e *farEngine) Interrupt(ctx context.Context, _, _ string) error {
	e.interrupts++
	<-ctx.Done()
	return ctx.Err()
}

// endless is a turn that says nothing.
type endless struct{ closed chan struct{} }

func (s *endless) Turn() string { return "turn_1" }
func (s *endless) Close() error { close(s.closed); return nil }
func (s *endless) Next(ctx context.Context) ([]event.Event, error) {
	select {
	case <-s.closed:
		return nil, session.ErrReaderClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// plainWith is a plain chat on an engine, for a person who types lines, and what it prints.
func plainWith(e turn.Engine, lines <-chan inputLine) (*plainChat, *bytes.Buffer) {
	var errs bytes.Buffer
	c := newConsole(nil, io.Discard, &errs, nil)
	c.signals = &signals{}
	return &plainChat{c: c, o: chat.Options{Engine: e}, talks: true, lines: lines}, &errs
}

// A message that may have been taken has a paid answer, which is not deleted with the session.
func TestOnlyARefusalDeletesTheSession(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err  error
		kept bool
	}{
		"refused":           {fault.New(fault.MissingAPIKey, "there is no key"), false},
		"the reply is lost": {&client.Unreached{Address: "http://x", Err: io.ErrUnexpectedEOF}, true},
		"lost, then refused": {
			errors.Join(fault.New(fault.Overloaded, "no place"), &client.Unreached{Address: "http://x", Err: io.ErrUnexpectedEOF}), true,
		},
		"Ctrl-C":              {context.Canceled, true},
		"no belay server":     {fault.New(fault.SDKFailure, "it answered 502 Bad Gateway"), true},
		"an error in transit": {errors.New("broken"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check := func(what string, e *farEngine, err error, printed string) {
				if !errors.Is(err, tt.err) {
					t.Errorf("%s: the error is %v", what, err)
				}
				if kept := len(e.deleted) == 0; kept != tt.kept || kept != strings.Contains(printed, "sess_1 is kept") {
					t.Errorf("%s: deleted %v, printed %q", what, e.deleted, printed)
				}
			}
			e, errs := &farEngine{startErr: tt.err}, &bytes.Buffer{}
			err := takeTurn(t.Context(), newConsole(nil, io.Discard, errs, nil), e, "/p", turn.Request{Message: "hello"}, &turnFlags{})
			check("turn", e, err, errs.String())
			e = &farEngine{startErr: tt.err}
			p, printed := plainWith(e, nil)
			err = p.turn(t.Context(), "hello", nil)
			check("chat", e, err, printed.String())
			if kept := p.o.Session != ""; kept != tt.kept {
				t.Errorf("the chat goes on in %q", p.o.Session)
			}
		})
	}
}

// A server that hangs keeps nobody in the chat, and further signals are heard.
func TestInterruptingAServerThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &farEngine{}
		p, _ := plainWith(e, make(chan inputLine))
		ended := make(chan error, 1)
		go func() { ended <- p.turn(t.Context(), "hello", nil) }()
		synctest.Wait()
		if began := time.Now(); !p.c.signals.taken() || time.Since(began) > 0 {
			t.Error("the first Ctrl-C is not taken at once")
		}
		if p.c.signals.taken() {
			t.Error("the second Ctrl-C does not end the chat")
		}
		synctest.Wait()
		if len(ended) > 0 {
			t.Error("the server has no time to answer")
		}
		time.Sleep(interruptPatience)
		synctest.Wait()
		select {
		case err := <-ended:
			if !errors.As(err, new(unstoppable)) {
				t.Errorf("the chat ended with %v", err)
			}
		default:
			t.Fatal("the chat goes on")
		}
	})
}

// A message has a key, so that a lost reply does not begin a second turn. The same text keeps
// its key when it is sent again.
func TestMessagesHaveKeys(t *testing.T) {
	t.Parallel()
	lost := &client.Unreached{Address: "http://x", Err: io.ErrUnexpectedEOF}
	e := &farEngine{startErr: lost}
	if err := takeTurn(t.Context(), newConsole(nil, io.Discard, io.Discard, nil), e, "/p", turn.Request{Message: "hello"}, &turnFlags{}); !errors.Is(err, lost) {
		t.Error(err)
	}
	if len(e.keys) != 1 || e.keys[0] == "" {
		t.Errorf("the keys are %q", e.keys)
	}
	e = &farEngine{startErr: lost}
	p, _ := plainWith(e, nil)
	for _, text := range []string{"hello", "hello", "something else"} {
		if err := p.turn(t.Context(), text, nil); !errors.Is(err, lost) {
			t.Error(err)
		}
	}
	if k := e.keys; k[0] == "" || k[1] != k[0] || k[2] == k[0] {
		t.Errorf("the keys are %q", k)
	}
	e.startErr = fault.New(fault.IdempotencyConflict, "the key was used")
	for range 2 {
		if err := p.turn(t.Context(), "something else", nil); err == nil {
			t.Error("no error")
		}
	}
	if k := e.keys; k[3] != k[2] || k[4] == k[2] {
		t.Errorf("the keys are %q", k)
	}
}

// A line that was typed before a question came goes into the turn, whatever it says.
func TestALineIsNoAnswerToALaterQuestion(t *testing.T) {
	t.Parallel()
	e := &farEngine{}
	lines, ended := make(chan inputLine), make(chan error, 1)
	p, _ := plainWith(e, lines)
	a := &asker{c: p.c, engine: e, fed: true}
	before := time.Now()
	a.ask(t.Context(), pending{call: permit.Request{ID: "dec_1"}})
	go func() {
		lines <- inputLine{text: "yes, and more", read: before}
		lines <- inputLine{text: "y", read: time.Now()}
		ended <- nil
	}()
	if err := p.listen(t.Context(), a, ended); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(e.steered, []string{"yes, and more"}) || !slices.Equal(e.decided, []string{"dec_1"}) {
		t.Errorf("said %q, decided %q", e.steered, e.decided)
	}
}
