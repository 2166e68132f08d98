package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/blank"
	"belay/internal/chat"
	"belay/internal/fault"
	"belay/internal/session"
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
	if err != nil {
		if fresh {
			err = errors.Join(err, e.Delete(context.WithoutCancel(ctx), p.o.Session))
			p.o.Session = ""
		}
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
	defer p.c.signals.taking(p.interrupter(ctx))()
	w.asker = &asker{c: p.c, engine: e, fed: true}
	ended := make(chan error, 1)
	go func() { ended <- w.watch(ctx, s) }()
	err := p.listen(ctx, w.asker, ended)
	p.tellUnheard(w.heard)
	return errors.Join(err, s.Close())
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

// interrupter is what Ctrl-C does while a turn runs: the first one stops the turn. One
// more, before that has ended, ends the chat.
func (p *plainChat) interrupter(ctx context.Context) func() bool {
	id, pressed := p.o.Session, false
	return func() bool {
		if pressed {
			return false
		}
		pressed = true
		err := p.o.Engine.Interrupt(ctx, id, "")
		return err == nil || fault.Is(err, fault.SessionNotFound) // it has just ended
	}
}

// start begins a turn with files of this machine.
func (p *plainChat) start(ctx context.Context, r turn.Request, files []string) (turn.Stream, error) {
	var err error
	if r.Attachments, err = p.bring(ctx, files); err != nil {
		return nil, err
	}
	return p.o.Engine.Start(ctx, r)
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
			case a.asks():
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
		err = p.o.Engine.Steer(ctx, turn.SteerRequest{SessionID: p.o.Session, Message: text, Attachments: files, Mode: session.Steer})
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

// inputLine is a line of stdin without its end, or why there is none.
type inputLine struct {
	text string
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
			if !give(inputLine{text: text}) {
				return
			}
		}
		err := io.EOF
		switch {
		case errors.Is(s.Err(), bufio.ErrTooLong):
			err = failed(ExitUsage, "attach long text as a file", fmt.Errorf("a line on stdin is larger than %s", size(maxStdin)))
		case s.Err() != nil:
			err = fmt.Errorf("read stdin: %w", s.Err())
		}
		give(inputLine{err: err})
	}()
	return lines
}
