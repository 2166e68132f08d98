package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/render"
	"belay/internal/turn"
)

// watcher shows one turn as it happens: the answer on stdout, all else on
// stderr. It is used by one goroutine.
type watcher struct {
	c       *console
	engine  turn.Engine
	session string
	// resume is the command that goes on with the session, but for its id.
	resume string
	// calls are those that have no result yet, by callKey; together is how many
	// there were since none was open.
	calls    map[string]*event.ToolUse
	together int
	// live is what commands have written that have no result yet, by callKey.
	live map[string]*liveLines
	// asker puts questions to the person at the terminal, nil where there is none;
	// unasked is set where such calls are refused instead.
	asker   *asker
	unasked bool
	// waits is the id of the question that waits for an answer, "" for none.
	waits string

	// open is set while the last line on stdout has no end, thinking while the
	// last thing on stderr was the model's reasoning.
	open, thinking bool
	said           bool
	reason         string
	// heard is what people said into the turn and it took in.
	heard   []string
	usage   *event.Tokens
	failure *event.Failure
	exit    *event.Exit
}

// interruptPatience bounds how long a server may take to answer an interrupt.
const interruptPatience = 10 * time.Second

// watch shows events until the turn ends. When ctx is done the turn is
// interrupted and watched to its end, which is on record then.
func (w *watcher) watch(ctx context.Context, s turn.Stream) error {
	w.c.note("session", w.session)
	life, leave := context.WithCancelCause(context.WithoutCancel(ctx))
	defer leave(nil)
	stop := context.AfterFunc(ctx, func() {
		asking, cancel := context.WithTimeout(life, interruptPatience)
		defer cancel()
		// The turn may have ended by itself in between.
		if err := w.engine.Interrupt(asking, w.session, s.Turn()); err != nil && !fault.Is(err, fault.SessionNotFound) {
			leave(fmt.Errorf("interrupt the turn: %w", err))
		}
	})
	defer stop()
	for {
		events, err := s.Next(life)
		for _, e := range events {
			if err := w.show(life, e); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return w.verdict()
		case err != nil && life.Err() != nil:
			return context.Cause(life)
		case err != nil:
			return w.unreached(err)
		}
	}
}

// show prints one event.
func (w *watcher) show(ctx context.Context, e event.Event) error {
	if w.c.json {
		if err := w.logLine(e); err != nil {
			return err
		}
	}
	payload, err := decode(e)
	if err != nil {
		return err
	}
	switch d := payload.(type) {
	case *event.Complete:
		w.reason = d.StopReason
	case *event.UsageReport:
		w.usage = &d.Totals
	case *event.Failure:
		w.failure = d
	case *event.Exit:
		w.exit = d
	case *question:
		w.waits = d.DecisionID
	case *event.Verdict:
		w.waits = ""
	}
	if w.c.json {
		return nil
	}
	w.tellStory(ctx, e.Type, payload)
	return nil
}

// logLine prints an event as its line in the session's log has it.
func (w *watcher) logLine(e event.Event) error {
	enc := json.NewEncoder(w.c.out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Seq  int64           `json:"seq"`
		Turn string          `json:"turn"`
		Time string          `json:"time"`
		Type event.Type      `json:"type"`
		Data json.RawMessage `json:"data"`
	}{e.Seq, e.Turn, e.Time.UTC().Format("2006-01-02T15:04:05.000000Z"), e.Type, e.Data})
	if err != nil {
		return fmt.Errorf("encode event %d: %w", e.Seq, err)
	}
	return nil
}

// tellStory prints what a person wants to see of an event.
func (w *watcher) tellStory(ctx context.Context, t event.Type, payload any) {
	switch d := payload.(type) {
	case *event.Init:
		w.begin(ctx, d)
	case *event.Text:
		w.text(t, d.Text)
	case *event.Warning:
		w.breakLine()
		w.c.warn(flagWords.Replace(d.Message))
	case *event.LiveOutput:
		w.wrote(d)
	case *event.ToolUse, *event.ToolOutcome, *question, *event.Verdict, *event.Subagent, *event.Input, *event.Attachment, *event.SentFile:
		w.breakLine()
		w.act(ctx, t, d)
	case *event.Gap:
		w.breakLine()
		w.c.warn(fmt.Sprintf("events before %d are missing here (%s); the log has what is left", d.Next, d.Reason))
	}
}

// begin says to whom the turn went and the outcome of its files.
func (w *watcher) begin(ctx context.Context, d *event.Init) {
	w.c.note("model", render.Answers(d))
	entries, err := w.engine.Transcript(ctx, w.session)
	for i := len(entries) - 1; err == nil && i >= 0; i-- {
		if entries[i].Turn != d.TurnID {
			continue
		}
		for _, it := range entries[i].Attachments {
			w.c.note("attached", describe(it))
		}
	}
	for _, warning := range d.Warnings {
		w.c.warn(flagWords.Replace(warning.Message))
	}
}

// text prints a piece of the answer, or of the reasoning before it.
func (w *watcher) text(t event.Type, s string) {
	switch t {
	case event.ChatThinking:
		if w.c.errTerminal {
			_, _ = io.WriteString(w.c.err, w.c.paint(styleQuiet, clean(s))) // the sink keeps its first error
			w.thinking = true
		}
		return
	case event.ChatComplete:
		// Its text was streamed; a provider that streamed nothing says it here.
		if !w.said {
			w.answer(s)
		}
		w.breakLine()
		w.said = false
		return
	}
	w.answer(s)
}

func (w *watcher) answer(s string) {
	if s == "" {
		return
	}
	if w.thinking {
		w.breakLine()
	}
	if w.c.outTerminal {
		s = clean(s)
	}
	w.c.write(s)
	w.said, w.open = true, !strings.HasSuffix(s, "\n")
}

// breakLine ends a line that is still open, so that what follows begins at the
// left margin.
func (w *watcher) breakLine() {
	if w.thinking {
		_, _ = io.WriteString(w.c.err, "\n") // the sink keeps its first error
		w.thinking = false
	}
	if w.open {
		w.c.write("\n")
		w.open = false
	}
}
