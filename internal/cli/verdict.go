package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"belay/internal/attachment"
	"belay/internal/client"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/quantity"
)

// verdict ends a turn for the person: what it used, and how it ended. The error
// carries the exit code.
func (w *watcher) verdict() error {
	if !w.c.json {
		w.breakLine()
		if w.usage != nil {
			w.c.note("used", tokens(*w.usage))
		}
		if w.exit != nil {
			notPermitted(w.c, w.exit.Calls, w.unasked)
		}
	}
	x := w.exit
	resume := cmp.Or(w.resume, "belay turn --session ") + w.session
	if w.resume == "" {
		resume += ` "go on"`
	}
	switch {
	case x == nil:
		return failed(ExitFailed, "see belay session show "+w.session, errors.New("the stream ended without process:exit"))
	case x.Interrupted != nil && *x.Interrupted, x.ExitCode == ExitInterrupted:
		return failed(ExitInterrupted, "the record is whole; go on with "+resume, errors.New("the turn was interrupted"))
	case x.ExitCode != ExitDone:
		f := fault.New(fault.Type(x.ErrorType), "%s", x.Error)
		if w.failure != nil {
			f.Status, f.Details = w.failure.Status, w.failure.Details
		}
		return &failure{code: x.ExitCode, err: f}
	case w.reason != "" && w.reason != string(model.StopEndTurn):
		return failed(ExitFailed, stopHint(w.reason, resume), fmt.Errorf("the turn stopped with %s; the answer may be incomplete", w.reason))
	}
	return nil
}

// unreached explains the loss of the server in the middle of a turn: the outcome of the
// turn, and which command shows it. A server that stops ends its turns before its
// streams, but for those that wait for a person.
func (w *watcher) unreached(err error) error {
	if away := (*client.Unreached)(nil); !errors.As(err, &away) {
		return err
	}
	w.breakLine()
	show := "see it with belay session show " + w.session
	if w.waits == "" {
		return failed(ExitFailed, show, fmt.Errorf("%w; if the server has stopped, the turn has ended with it", err))
	}
	return failed(ExitFailed, show+", and answer with belay decision allow "+shortened(w.waits)+", or deny",
		fmt.Errorf("%w; the turn waits for a person: if the server has stopped, the next belay serve takes the turn up", err))
}

// stopHint is the next step after a turn that did not come to its own end.
func stopHint(reason, resume string) string {
	switch model.StopReason(reason) {
	case model.StopMaxTokens:
		return `go on with ` + resume + `; where turn.max_tokens or the provider's max_tokens is set, raise it`
	case model.StopMaxTurns:
		return `raise --max-turns, or go on with ` + resume
	case model.StopBudget:
		return "go on with " + resume + ` for as much again, or raise the limit that the warning names`
	case model.StopContext:
		return "begin a new session with fewer or smaller files"
	case model.StopRefusal:
		return "say it in other words"
	case model.StopRepeats:
		return "permit the call with --allow or another --mode, or say how to do without it: " + resume
	}
	return "go on with " + resume
}

// explainEnd is for who sees a turn end in a chat: what was wrong, and the next step.
func explainEnd(x event.Exit, stop string) (message, next string) {
	switch {
	case x.ExitCode == ExitInterrupted:
		return "", ""
	case x.ExitCode != ExitDone:
		f := fault.New(fault.Type(x.ErrorType), "%s", x.Error)
		f.Status, f.Details = x.Status, x.ErrorDetails
		return sentence(f), nextStep(f)
	}
	switch model.StopReason(stop) {
	case "", model.StopEndTurn:
		return "", ""
	case model.StopMaxTokens:
		return "", `say "go on"; where turn.max_tokens or the provider's max_tokens is set, raise it`
	case model.StopMaxTurns:
		return "", `say "go on", or give the next chat a higher --max-turns`
	case model.StopBudget:
		return "", `say "go on" for as much again, or raise the limit that the warning names`
	case model.StopContext:
		return "", "/new begins a session with room; send fewer or smaller files"
	case model.StopRefusal:
		return "", "say it in other words"
	case model.StopRepeats:
		return "", "permit the call with another /mode, or say how to do without it"
	}
	return "", `say "go on"`
}

// tokens says what a turn used.
func tokens(t event.Tokens) string {
	parts := []string{grouped(t.InputTokens) + " tokens in", grouped(t.OutputTokens) + " out"}
	if t.CacheReadTokens > 0 || t.CacheWriteTokens > 0 {
		parts = append(parts, fmt.Sprintf("cache %s read, %s written", grouped(t.CacheReadTokens), grouped(t.CacheWriteTokens)))
	}
	if t.CostUSD != nil {
		parts = append(parts, fmt.Sprintf("US$ %.4f", *t.CostUSD))
	}
	return strings.Join(parts, ", ")
}

// describe is an accepted attachment in one line.
func describe(it attachment.Item) string {
	s := fmt.Sprintf("%s: %s, %s", it.Name, it.MIMEType, quantity.Size(it.Bytes))
	switch {
	case it.Width > 0:
		s += fmt.Sprintf(", %d×%d px", it.Width, it.Height)
	case it.Pages > 0:
		s += ", " + quantity.Count(it.Pages, "page", "pages")
	}
	return s
}
