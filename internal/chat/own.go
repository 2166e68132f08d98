package chat

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/blank"
	"belay/internal/event"
	"belay/internal/processgroup"
	"belay/internal/render"
)

// The person's own commands: a line that begins with "!". They run as the person's shell
// would run them: with their files, environment and network, outside the sandbox, and
// nobody is asked. The model never starts one. Its output goes to the model with the
// person's next message, unless they drop it.

// Limits of a command of the person.
const (
	// maxOwnOutput is how much of an output goes to the model: its end.
	maxOwnOutput = 32 << 10
	// maxOwnWaiting is how many outputs wait for the next message.
	maxOwnWaiting = 8
	// ownPatience is how long a command may take to end after Ctrl-C, and how long
	// what it left in the background may hold its output.
	ownPatience = 2 * time.Second
)

// ownCommand is the command of a line that begins with "!", if it is one.
func ownCommand(text string) (string, bool) {
	command, ok := strings.CutPrefix(text, "!")
	return strings.TrimSpace(command), ok && !blank.Is(command)
}

// own has the person's commands.
type own struct {
	// running is the one that runs, nil for none; stop ends it.
	running *ownCard
	stop    context.CancelFunc
	// waiting are those whose output goes with the next message.
	waiting []*ownCard
}

// ownEnded is the end of a command.
type ownEnded struct {
	card *ownCard
	code int
	err  error
}

// runOwn runs a command of the person.
func runOwn(m *Model, command string) tea.Cmd {
	if m.own.running != nil {
		m.conversation.notify(noticeWarning, "your command "+render.Line(m.own.running.command)+" still runs; Ctrl-C stops it")
		return nil
	}
	card := &ownCard{command: command, began: m.o.Clock()}
	card.at = m.conversation.add(card)
	ctx, stop := context.WithCancel(m.calls.ctx)
	m.own.running, m.own.stop = card, stop
	env, folder := m.o.Env, m.o.Folder
	return m.calls.run(func(context.Context) tea.Msg {
		defer stop()
		cmd := ownShell(ctx, env, command)
		cmd.Dir, cmd.Env, cmd.WaitDelay = folder, env, ownPatience
		cmd.Stdout, cmd.Stderr = &card.output, &card.output
		processgroup.Set(cmd)
		cmd.Cancel = func() error { return processgroup.Interrupt(cmd) }
		err := cmd.Run()
		if ctx.Err() != nil {
			_ = processgroup.Kill(cmd) // what it left running; nothing is the usual answer
		}
		if errors.Is(err, exec.ErrWaitDelay) { // what runs on in the background is the person's
			err = nil
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
			return ownEnded{card, exit.ExitCode(), nil}
		}
		return ownEnded{card, 0, err}
	})
}

// ownShell is the person's shell with a command.
func ownShell(ctx context.Context, env []string, command string) *exec.Cmd {
	shell, flag := "/bin/sh", "-c"
	if runtime.GOOS == "windows" {
		shell, flag = "cmd", "/C"
	}
	for _, one := range env {
		name, value, _ := strings.Cut(one, "=")
		if name == "SHELL" && value != "" && runtime.GOOS != "windows" {
			shell = value
		}
	}
	return exec.CommandContext(ctx, shell, flag, command) //nolint:gosec // the person's own command
}

// taken takes the end of a command.
func (msg ownEnded) taken(m *Model) {
	c := msg.card
	c.refresh()
	c.done, c.code, c.took = true, msg.code, m.o.Clock().Sub(c.began)
	switch {
	case c.stopped:
		c.failed = "stopped"
	case msg.err != nil:
		c.failed = msg.err.Error()
	}
	if m.own.running == c {
		m.own.running = nil
	}
	m.own.waiting = append(m.own.waiting, c)
	if over := len(m.own.waiting) - maxOwnWaiting; over > 0 {
		m.own.waiting = m.own.waiting[over:]
		m.conversation.notify(noticeInfo, fmt.Sprintf("only the last %d outputs go with the next message", maxOwnWaiting))
	}
	if c.at < len(m.conversation.cells) && m.conversation.cells[c.at].item == item(c) {
		m.conversation.touch(c.at)
	}
}

// interrupt stops the command that runs, and reports whether there is one.
func (o *own) interrupt() bool {
	if o.running == nil || o.running.stopped {
		return false
	}
	o.running.stopped = true
	o.stop()
	return true
}

// refresh shows what the running command has written since.
func (o *own) refresh(r *conversation) {
	c := o.running
	if c == nil || !c.refresh() {
		return
	}
	if c.at < len(r.cells) && r.cells[c.at].item == item(c) { // not of another session
		r.touch(c.at)
	}
}

// take adds the outputs that wait to a message.
func (o *own) take(text string) string {
	for _, c := range o.waiting {
		text += "\n\n" + c.words()
	}
	o.waiting = nil
	return text
}

// ownOutput is what a command writes: the end of it. Its writer is the command, its reader
// the program.
type ownOutput struct {
	mu    sync.Mutex
	fresh []byte
	cut   bool
}

// Write never fails: a command that writes without end is cut, not stopped.
func (o *ownOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fresh = append(o.fresh, p...); len(o.fresh) > 2*keptLive {
		o.fresh, o.cut = append([]byte(nil), o.fresh[len(o.fresh)-keptLive:]...), true
	}
	return len(p), nil
}

// next is what was written since.
func (o *ownOutput) next() event.LiveOutput {
	o.mu.Lock()
	defer o.mu.Unlock()
	d := event.LiveOutput{Text: string(o.fresh), Tail: o.cut} // a letter may come in parts
	o.fresh, o.cut = nil, false
	return d
}
