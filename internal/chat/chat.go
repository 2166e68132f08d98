// Package chat is the conversation on a terminal: [Run] shows a session as it
// happens and lets a person speak, steer, decide and interrupt.
//
// It is a surface like the others: it starts work and holds on to it through [turn.Engine],
// and shows nothing but what is in the session's
// log. One reader follows that log for as long as the chat lives, from the sequence
// it saw last, so a connection that breaks loses nothing, and a turn that another
// surface starts in the same session appears here as well.
//
// The parts, from the outside in. [Run] owns the program, its terminal and every
// goroutine. [Model] is the state: [Model.Update] takes keys, events and the
// answers of the engine, [Model.View] draws. What was said and done is a list of
// items ([conversation]) which draws only the lines that are on the screen and remembers
// what it drew, so a long session costs no more than a short one. Answers are cut
// into blocks while they stream ([cutter]); a block that is finished is set once
// and never again.
//
// Nothing from outside reaches the terminal as it is: control characters are
// replaced before anything else is done with a text ([clean]), also those that
// markdown can write without having them in its text, and only our own styles are
// put around it.
//
// Contract: the command line, "belay chat"; the HTTP contract, "Events" and steer;
// turn API REQ-03 and REQ-04.
package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/event"
	"belay/internal/redact"
	"belay/internal/skill"
	"belay/internal/turn"
)

// Options say what a chat is about. Engine is required.
type Options struct {
	Engine turn.Engine
	// Project is the root of a new session, as the engine knows it.
	Project string
	// Folder is where relative paths begin on this machine, an absolute path.
	Folder string
	// Session is the session to go on with; "" makes one at the first message, so
	// that a chat in which nothing was said leaves nothing behind.
	Session string
	// Say is said first, with the files Attach, as if it had been typed.
	Say    string
	Attach []string
	// Opts and Allow go with every turn.
	Opts  turn.Opts
	Allow []string
	// By is who decides, for the record.
	By string
	// History is the file that keeps what was typed, "" for none.
	History string
	// Redact takes secrets out of what History keeps; nil takes none out that it could know.
	Redact *redact.Redactor
	// Commands is the folder of the person's custom commands, "" for none.
	Commands string
	// Skills finds the skills that agents can use in a project; nil where turns run on another
	// machine.
	Skills func(project string) skill.Catalog
	// SkipRefused sends a message without the files that are refused; otherwise it is
	// not sent.
	SkipRefused bool
	// Upload brings a file of this machine to where the turns run and returns the
	// path it has there; nil where that is this machine.
	Upload func(ctx context.Context, sessionID, path string) (string, error)
	// TakeUp goes on with a turn of a session that a dead process left waiting for a
	// person; nil where somebody else does.
	TakeUp func(ctx context.Context, sessionID string) error
	// Opening says how a session began, "" where that is not known; nil asks the
	// engine for all that was said in it.
	Opening func(ctx context.Context, sessionID string) string
	// Explain says of a turn that failed, or stopped with another reason than that all
	// was said, what was wrong and what to do next, "" for nothing beyond what the log
	// says; nil says nothing of any.
	Explain func(exit event.Exit, stop string) (message, next string)
	// Models lists the models that turns can ask; nil where nobody knows them.
	Models func(ctx context.Context) ([]ModelChoice, error)
	// CheckKey says, while the chat opens, why messages will fail, "" for no reason; nil
	// checks nothing.
	CheckKey func(ctx context.Context) string
	// Always writes rules for calls that are not to be asked about again; nil where that is
	// somebody else's to do.
	Always *Always
	// Outlives is set where a running turn goes on without the chat.
	Outlives bool
	// Quiet keeps the terminal from ringing and notifying when a question waits.
	Quiet bool
	// Welcome is what the first screen of a new session says; nil shows none.
	Welcome *Welcome
	// Notices are shown at the beginning.
	Notices []string
	// Clock is time.Now when nil.
	Clock func() time.Time

	// Lend is called before another program gets the terminal, and back when that has
	// ended: a Ctrl-C between the two is not meant for the chat. nil does nothing.
	Lend func() (back func())

	// Input and Output are a terminal, Env is the environment that says what it
	// can do (TERM, NO_COLOR).
	Input  io.Reader
	Output io.Writer
	Env    []string
}

// Result is how a chat was left.
type Result struct {
	// Session is "" when nothing was said.
	Session string
	// Running is set when a turn was still at work.
	Running bool
}

// Run shows the chat until the person leaves or ctx is done, and gives the
// terminal back as it was. Everything that it started has ended when it returns;
// a turn that still runs was interrupted, unless turns outlive the chat.
func Run(ctx context.Context, o Options) (Result, error) {
	life, end := context.WithCancel(ctx)
	defer end()
	m := New(life, o)
	p := tea.NewProgram(m, tea.WithContext(life), tea.WithoutSignalHandler(),
		tea.WithInput(o.Input), tea.WithOutput(o.Output), tea.WithEnvironment(o.Env))
	_, err := p.Run()
	end()
	err = errors.Join(err, m.calls.end(), m.clipboard.close())
	result := Result{Session: m.session, Running: m.working()}
	if m.working() && !o.Outlives {
		// The process that runs the turn ends with the chat.
		err = errors.Join(err, m.calls.stop(context.WithoutCancel(ctx), m.session, m.reducer.turn))
	}
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return result, ctx.Err()
	}
	if err != nil {
		return result, fmt.Errorf("chat: %w", err)
	}
	return result, nil
}
