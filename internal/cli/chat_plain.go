package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/chat"
	"belay/internal/turn"
)

// chatPlain makes a turn of every line of stdin. One that fails does not keep the
// next from being sent; the exit code is that of the last one that failed.
func (c *console) chatPlain(cmd *cobra.Command, o chat.Options) error {
	for _, n := range o.Notices {
		c.warn(n)
	}
	c.note("input", "every line is a turn; a call that needs a decision waits for belay decision")
	ctx, code := cmd.Context(), ExitDone
	lines := c.lines(ctx)
	for {
		var l inputLine
		select {
		case <-ctx.Done():
			return ended(ExitInterrupted)
		case l = <-lines:
		}
		switch {
		case errors.Is(l.err, io.EOF):
			return ended(code)
		case l.err != nil:
			return l.err
		case strings.TrimSpace(l.text) == "":
			continue
		}
		if err := c.chatTurn(ctx, &o, l.text); err != nil {
			code = c.report(cmd, err)
		}
		if ctx.Err() != nil {
			return ended(code)
		}
	}
}

// chatTurn sends one line, the first one in a new session.
func (c *console) chatTurn(ctx context.Context, o *chat.Options, message string) error {
	fresh := o.Session == ""
	if fresh {
		rec, err := o.Engine.Create(ctx, turn.CreateRequest{ProjectRoot: o.Project, Persona: o.Opts.Persona, Mode: o.Opts.Mode})
		if err != nil {
			return err
		}
		o.Session = rec.SessionID
	}
	s, err := o.Engine.Start(ctx, turn.Request{SessionID: o.Session, Message: message, Opts: o.Opts, Allow: o.Allow})
	if err != nil {
		if fresh {
			err = errors.Join(err, o.Engine.Delete(context.WithoutCancel(ctx), o.Session))
			o.Session = ""
		}
		return err
	}
	w := &watcher{c: c, engine: o.Engine, session: o.Session}
	return errors.Join(w.watch(ctx, s), s.Close())
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
		for s.Scan() {
			if !give(inputLine{text: s.Text()}) {
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
