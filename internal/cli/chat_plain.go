package cli

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"belay/internal/blank"
	"belay/internal/chat"
	"belay/internal/turn"
)

// plainChat is a chat without a screen: line by line.
type plainChat struct {
	c *console
	o chat.Options
	// talks is set where a person types the lines; then they answer questions and
	// steer.
	talks bool
	lines <-chan inputLine
	// next are lines that were meant for a turn that had just ended.
	next []string
	// said went into the turn that runs.
	said []string
	over bool
	// tried is the message that failed last, for another try.
	tried tried
}

// chatPlain makes a turn of every line of stdin. One that fails does not keep the
// next from being sent; the exit code is that of the last one that failed. Where no
// person types them, a line that is wrong ends the chat: what follows it may count on
// the mode or the file that it names.
func chatPlain(c *console, cmd *cobra.Command, o chat.Options) error {
	for _, n := range o.Notices {
		c.warn(n)
	}
	ctx, code := cmd.Context(), ExitDone
	p := &plainChat{c: c, o: o, talks: isTerminal(c.in), lines: c.lines(ctx)}
	if p.talks {
		c.note("input", "every line is a turn, or goes into the one that runs; /help lists what else there is")
	} else {
		c.note("input", "every line is a turn; a call that needs a decision waits for belay decision")
	}
	if !blank.Is(o.Say) {
		p.next = append(p.next, o.Say)
	}
	for {
		text, err := p.line(ctx)
		if ctx.Err() != nil && p.talks {
			return p.leave(ExitDone)
		}
		if ctx.Err() != nil {
			return ended(ExitInterrupted)
		}
		if errors.Is(err, io.EOF) {
			return p.leave(code)
		}
		if err == nil {
			err = p.take(ctx, text)
		}
		switch {
		case errors.As(err, new(unstoppable)):
			return p.leave(c.report(cmd, err))
		case errors.Is(err, errLeave):
			return p.leave(code)
		case err != nil && p.talks && ctx.Err() == nil:
			p.tell(cmd, err)
		case err != nil:
			if code = c.report(cmd, err); code == ExitUsage {
				return p.leave(code) // the lines after it count on what was mistyped
			}
		}
		if ctx.Err() != nil {
			return ended(code)
		}
	}
}

// tell reports a turn that did not end well to the person, who goes on or not.
func (p *plainChat) tell(cmd *cobra.Command, err error) {
	if f := (*failure)(nil); errors.As(err, &f) && f.code == ExitInterrupted {
		p.c.note("stopped", "the turn was interrupted")
		return
	}
	_ = p.c.report(cmd, err) // the exit code is not of interest
}

// leave ends the chat. A person learns how to come back.
func (p *plainChat) leave(code int) error {
	if p.talks && p.o.Session != "" {
		_, _ = io.WriteString(p.c.err, "\n") // after the prompt
		p.c.note("go on", "belay chat --session "+p.o.Session)
	}
	return ended(code)
}

// line is the next line that is not blank, or io.EOF.
func (p *plainChat) line(ctx context.Context) (string, error) {
	for {
		if len(p.next) > 0 {
			text := p.next[0]
			p.next = p.next[1:]
			return text, nil
		}
		if p.over {
			return "", io.EOF
		}
		if p.talks {
			_, _ = io.WriteString(p.c.err, "> ") // the sink keeps its first error
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case l := <-p.lines:
			if l.err != nil {
				p.over = true
				return "", l.err
			}
			if !blank.Is(l.text) {
				return l.text, nil
			}
		}
	}
}

// take carries a line out: as a command, or as a turn.
func (p *plainChat) take(ctx context.Context, text string) error {
	if err := isText("the line", text); err != nil {
		return err
	}
	if name, rest, ok := chat.Command(text); ok {
		return p.command(ctx, name, rest)
	}
	files, missed := chat.Mentioned(p.o.Folder, text)
	for _, w := range missed {
		p.c.warn(w)
	}
	files = append(p.o.Attach, files...)
	p.o.Attach = nil
	return p.turn(ctx, text, files)
}

// turn sends a message, the first one in a new session.
func (p *plainChat) turn(ctx context.Context, message string, files []string) error {
	e := p.o.Engine
	fresh := p.o.Session == ""
	if fresh {
		rec, err := e.Create(ctx, turn.CreateRequest{ProjectRoot: p.o.Project, Persona: p.o.Opts.Persona, Mode: p.o.Opts.Mode})
		if err != nil {
			return err
		}
		p.o.Session = rec.SessionID
	}
	if !fresh {
		if err := carryOut(ctx, p.c, e, p.o.Session, func(s turn.Stream) error { return p.watch(ctx, s) }); err != nil {
			return err
		}
	}
	r := turn.Request{SessionID: p.o.Session, Message: message, Opts: p.o.Opts, Allow: p.o.Allow}
	s, err := p.start(ctx, r, files)
	if err != nil && fresh {
		var deleted bool
		if deleted, err = unstarted(ctx, p.c, e, p.o.Session, err); deleted {
			p.o.Session = ""
		}
	}
	if err != nil {
		return err
	}
	return p.watch(ctx, s)
}

// watch shows a turn to its end. What a person types meanwhile answers its questions or
// goes into it.
func (p *plainChat) watch(ctx context.Context, s turn.Stream) error {
	e := p.o.Engine
	w := &watcher{c: p.c, engine: e, session: p.o.Session, resume: "belay chat --session "}
	if !p.talks {
		return errors.Join(w.watch(ctx, s), s.Close())
	}
	typing, endTyping := context.WithCancel(ctx)
	w.asker = &asker{c: p.c, engine: e, fed: true, typing: typing}
	defer endTyping()
	ended, watched := make(chan error, 2), make(chan struct{}) // an end is that of the turn, or of a stop that failed
	take, done := p.interrupter(ctx, func(err error) {
		ended <- err
		endTyping()
	})
	defer done()
	defer p.c.signals.taking(take)()
	go func() {
		defer close(watched)
		ended <- w.watch(ctx, s)
	}()
	err := errors.Join(p.listen(typing, w.asker, ended), s.Close())
	<-watched
	p.tellUnheard(w.heard)
	return err
}

// tellUnheard names what was said too late for the turn that has ended. It is on
// record, where the next turn finds it.
func (p *plainChat) tellUnheard(heard []string) {
	for _, text := range p.said {
		if i := slices.Index(heard, text); i >= 0 {
			heard = slices.Delete(heard, i, i+1)
			continue
		}
		p.c.note("unheard", line(text)+" (it is heard with your next message)")
	}
	p.said = nil
}
