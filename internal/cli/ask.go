package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/quantity"
	"belay/internal/render"
	"belay/internal/tool"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// asker puts the questions of a turn or a run to the person at the terminal. Whoever
// answers first counts, here or elsewhere: nothing waits for this terminal alone. A nil
// asker asks nobody.
//
// Its goroutine begins with the first question and waits for lines from then on.
// It lasts as long as the process, because the reading of a terminal cannot be
// called off; between questions it drops what is typed.
type asker struct {
	c      *console
	engine turn.Engine
	// runs takes the answers to wait tasks, nil where no run is watched.
	runs *run.Runner
	// fed is set where somebody else reads the terminal, and hands over the lines.
	fed bool
	// typing is done when nobody waits for an answer's outcome any more, nil where that is the
	// context of its question. It ends an answer to an engine that hangs.
	typing context.Context

	mu      sync.Mutex
	reading bool
	ctx     context.Context
	open    *pending
	// asked is when the open question was put.
	asked time.Time
}

// ask puts a question. What was typed before it was seen is no answer to it.
func (a *asker) ask(ctx context.Context, q pending) {
	if a == nil {
		return
	}
	dropTyped(a.c.in)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ctx, a.open, a.asked = ctx, &q, time.Now()
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
	if a.open != nil && a.open.id() == id {
		a.open = nil
		_, _ = io.WriteString(a.c.err, "\n") // off the prompt's line; the sink keeps its first error
	}
}

// aside shows something while a question may wait at the prompt, which comes
// again after it.
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
	label, choices := a.open.prompt()
	_, _ = io.WriteString(a.c.err, a.c.paint(styleWarn, label)+" ["+choices+"] ") // the sink keeps its first error
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
		a.c.note("answer", "from another terminal: "+a.open.answers()[0])
		a.open = nil
	}
}

// asks reports whether a question waits for a line that was read at that time. What was
// typed before the question was seen is no answer to it.
func (a *asker) asks(read time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.open != nil && read.After(a.asked)
}

// answer takes a line for an answer: y, n or s, and after it, if anything, a note for
// the agent; or o, and after it the files that count.
func (a *asker) answer(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		return
	}
	d, ok := a.readAnswer(text)
	if !ok {
		if d.Verdict == "" {
			_, choices := a.open.prompt()
			a.c.warn("that is not a valid answer; type one of these: " + choices)
		}
		a.prompt()
		return
	}
	q, ctx := *a.open, a.ctx
	if a.typing != nil {
		ctx = a.typing
	}
	a.open = nil
	var err error
	if q.wait != nil {
		_, err = a.runs.Answer(ctx, q.wait.Answered(d.Verdict == permit.VerdictAllow, d.Note, d.By))
	} else {
		_, err = a.engine.Decide(ctx, d)
	}
	switch {
	case err == nil, fault.Is(err, fault.DecisionClosed), errors.Is(err, context.Canceled):
		// the log reports what was decided
	default:
		a.c.warn(fmt.Sprintf("the answer was not taken: %v; give it with %s", err, q.answers()[0]))
	}
}

// readAnswer reads a line that was typed at the prompt; a.mu is held. Without a verdict the
// line is no answer to this question.
func (a *asker) readAnswer(text string) (d turn.DecisionRequest, ok bool) {
	if !utf8.ValidString(text) {
		return d, false
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	d = turn.DecisionRequest{SessionID: a.open.call.SessionID, DecisionID: a.open.id(), By: a.c.person(), Note: rest}
	switch strings.ToLower(word) {
	case "y", "yes":
		d.Verdict = permit.VerdictAllow
	case "n", "no":
		d.Verdict = permit.VerdictDeny
	case "s", "session":
		if !a.open.call.Session {
			return d, false
		}
		d.Verdict = permit.VerdictAllowSession
		return d, true
	case "o", "only":
		if len(a.open.call.Effect.Choices()) == 0 {
			return d, false
		}
		d.Verdict, d.Note = permit.VerdictAllow, ""
		d.Only = a.choose(rest)
		return d, len(d.Only) > 0
	default:
		return d, false
	}
	return d, true
}

// choose reads the files that a person picks of the changes, none where the text does
// not say so; then it shows the files with their numbers. a.mu is held.
func (a *asker) choose(text string) []string {
	all := a.open.call.Effect.Choices()
	if len(all) == 0 {
		return nil
	}
	if text != "" {
		only, err := a.open.call.Effect.Choose(text)
		if err == nil {
			return only
		}
		a.c.warn(err.Error())
	}
	for i, p := range all {
		a.c.note(strconv.Itoa(i+1), render.Visible(tool.Printable(p)))
	}
	if more := a.open.call.Effect.Done.Files - len(all); more > 0 && len(a.open.call.Effect.Done.Ignored) == 0 {
		a.c.note("and", quantity.Count(more, "more file", "more files")+", which belay decision allow --only can name")
	}
	a.c.note("answer", "such as: o 1, o 1-3, o src, o *.md; the rest is dropped")
	return nil
}
