package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/turn"
)

// asker puts a turn's questions to the person at the terminal. Whoever answers
// first counts, here or elsewhere: the turn never waits for this terminal alone. A
// nil asker asks nobody.
//
// Its goroutine begins with the first question and waits for lines from then on.
// It lasts as long as the process, because the reading of a terminal cannot be
// called off; between questions it drops what is typed.
type asker struct {
	c      *console
	engine turn.Engine
	// fed is set where somebody else reads the terminal, and hands over the lines.
	fed bool

	mu      sync.Mutex
	reading bool
	ctx     context.Context
	open    *permit.Request
}

// ask puts a question. What was typed before it was seen is no answer to it.
func (a *asker) ask(ctx context.Context, r permit.Request) {
	if a == nil {
		return
	}
	dropTyped(a.c.in)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ctx, a.open = ctx, &r
	if !a.reading && !a.fed {
		a.reading = true
		stayInBackground()
		go a.read()
	}
	a.prompt()
}

// settled says that a question has its answer, from wherever it came.
func (a *asker) settled(id string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open != nil && a.open.ID == id {
		a.open = nil
		_, _ = io.WriteString(a.c.err, "\n") // off the prompt's line; the sink keeps its first error
	}
}

// aside has something told while a question may wait at the prompt, which comes
// again behind it.
func (a *asker) aside(tell func()) {
	if a == nil {
		tell()
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		tell()
		return
	}
	_, _ = io.WriteString(a.c.err, "\n") // the sink keeps its first error
	tell()
	a.prompt()
}

// prompt asks for a line; a.mu is held.
func (a *asker) prompt() {
	choices := "y = allow, n = deny"
	if a.open.Session {
		choices += ", s = allow for the session"
	}
	_, _ = io.WriteString(a.c.err, a.c.paint(styleWarn, "allow?")+" ["+choices+"] ") // the sink keeps its first error
}

func (a *asker) read() {
	lines := bufio.NewReader(a.c.in)
	for {
		text, err := lines.ReadString('\n')
		if err == nil || text != "" {
			a.answer(text)
		}
		if err == nil {
			continue
		}
		a.over()
		return
	}
}

// over says that nothing more can be typed here.
func (a *asker) over() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reading = false
	if a.open != nil {
		_, _ = io.WriteString(a.c.err, "\n")
		a.c.note("answer", "from another terminal: "+answers(*a.open)[0])
		a.open = nil
	}
}

// asks reports whether a question waits for a line.
func (a *asker) asks() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.open != nil
}

// answer takes a line for an answer: y, n or s, and after it, if anything, what the
// agent is to be told.
func (a *asker) answer(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		return
	}
	verdict, note, ok := readAnswer(text, a.open.Session)
	if !ok {
		a.prompt()
		return
	}
	r, ctx := *a.open, a.ctx
	a.open = nil
	_, err := a.engine.Decide(ctx, turn.DecisionRequest{
		SessionID: r.SessionID, DecisionID: r.ID, Verdict: verdict, By: a.c.person(), Note: note,
	})
	switch {
	case err == nil, fault.Is(err, fault.DecisionClosed), errors.Is(err, context.Canceled):
		// the log tells what was decided
	default:
		a.c.warn(fmt.Sprintf("the answer was not taken: %v; give it with %s", err, answers(r)[0]))
	}
}

// readAnswer reads a line that was typed at the prompt.
func readAnswer(text string, session bool) (v permit.Verdict, note string, ok bool) {
	if !utf8.ValidString(text) {
		return "", "", false
	}
	word, note, _ := strings.Cut(strings.TrimSpace(text), " ")
	note = strings.TrimSpace(note)
	switch strings.ToLower(word) {
	case "y", "yes":
		return permit.VerdictAllow, note, true
	case "n", "no":
		return permit.VerdictDeny, note, true
	case "s", "session":
		return permit.VerdictAllowSession, note, session
	}
	return "", "", false
}
