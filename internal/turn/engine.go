// Package turn is the one way in: every surface starts work through [Engine],
// and everything that then happens is an event in the session's log.
//
// [Local] runs turns in this process. The Go client implements the same
// interface over HTTP, so that a surface cannot tell where the work happens.
//
// This package starts, interrupts and ends turns, and streams their events. Below it,
// from the top to the bottom:
//
//	recovery      from a dead process's transcript to a suspended agent, or to the turn's end
//	agent         the model loop, tool calls, delegation
//	conversation  what is sent to the model and how it fits
//
// Packages changes and ending stand beside these.
//
// Contract: turn API REQ-01 to REQ-13, the HTTP contract, and sections 1.3 to
// 1.8 of the compatible contract, whose order of checks is kept.
package turn

import (
	"context"
	"io"
	"time"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/turn/changes"
)

// Engine is everything a surface can ask for. Errors are *fault.Error wherever
// the caller can do something about them.
type Engine interface {
	Turns
	Sessions
	Attachments
	Personas
	Control
	FileChanges
}

// Turns starts and stops work.
type Turns interface {
	// Start checks the request in the contract's order and, if nothing is
	// wrong, begins the turn. The returned stream is positioned before the
	// turn's first event. The turn's life is not ctx's: ctx bounds the checks
	// and, for a queued turn, the wait.
	Start(ctx context.Context, r Request) (Stream, error)
	// Interrupt asks a session's running turn to stop: that turn and no later
	// one, or, where turnID is "", whichever runs. It returns SESSION_NOT_FOUND
	// when there is none such, as the compatible contract says.
	Interrupt(ctx context.Context, sessionID, turnID string) error
	Boot(ctx context.Context, r BootRequest) (BootResult, error)
	// Events streams the session's log after a sequence. With a turn id the
	// stream ends after that turn's process:exit.
	Events(ctx context.Context, sessionID string, after int64, turnID string) (Stream, error)
}

// Sessions manages records.
type Sessions interface {
	Create(ctx context.Context, r CreateRequest) (session.Record, error)
	List(ctx context.Context, projectRoot string) ([]session.Record, error)
	// ListPage is List of a part of the sessions, also by their last use.
	ListPage(ctx context.Context, projectRoot string, o session.ListOptions) (session.Page, error)
	Get(ctx context.Context, sessionID string) (session.Record, error)
	// Find returns the sessions whose id begins with prefix, by id, 20 at most.
	Find(ctx context.Context, prefix string) ([]session.Record, error)
	Delete(ctx context.Context, sessionID string) error
	// Update changes what people set of a session. One in which a turn runs is
	// TURN_IN_PROGRESS.
	Update(ctx context.Context, sessionID string, c SessionChange) (session.Record, error)
	Transcript(ctx context.Context, sessionID string) ([]session.Entry, error)
	// Export writes a session with its attachments as a tar.gz; Import makes a session of
	// one in a project, under another id where its own is taken. The archive is not
	// trusted. LeftOut are the hashes of attachments that could not be written.
	Export(ctx context.Context, sessionID string, w io.Writer) (leftOut []string, err error)
	Import(ctx context.Context, projectRoot string, archive io.Reader) (session.Imported, error)
	// Manifest returns the manifest of a turn, of the last one for "".
	Manifest(ctx context.Context, sessionID, turnID string) (session.Manifest, error)
	// Usage sums up the turns of every session that ended since then, by day,
	// project and model, in that order.
	Usage(ctx context.Context, since time.Time) ([]UsageRow, error)
}

// Attachments takes files in and says what would become of them.
type Attachments interface {
	Upload(ctx context.Context, u Upload) (Uploaded, error)
	Inspect(ctx context.Context, r InspectRequest) ([]Inspection, error)
	// Blob opens the bytes of an attachment of that session; the caller closes.
	Blob(ctx context.Context, sessionID, sha256 string) (io.ReadCloser, attachment.Item, error)
}

// Personas lists whom a turn can be sent to, and what it can be given.
type Personas interface {
	Personas(ctx context.Context) ([]persona.Summary, error)
	Persona(ctx context.Context, name string) (persona.Persona, error)
	// Tools are the names of the tools that turns can be given; none where a server
	// does not say.
	Tools(ctx context.Context) ([]string, error)
}

// Control is how people steer a turn that acts, and answer its questions.
type Control interface {
	// Steer says something into a session's running turn, wherever it runs: at
	// its next tool boundary or, as a follow-up, when the model has answered. It
	// returns NO_TURN_IN_PROGRESS when no turn will take it.
	Steer(ctx context.Context, r SteerRequest) error
	// Decisions are the calls that wait for a person, of one session or, for "",
	// of all, oldest first.
	Decisions(ctx context.Context, sessionID string) ([]permit.Request, error)
	// Question is one of them, or one that has its answer; any other is NOT_FOUND.
	Question(ctx context.Context, decisionID string) (permit.Question, error)
	// Closed are the latest answers in a session, or in all for "", the latest first.
	Closed(ctx context.Context, sessionID string, most int) ([]permit.Closed, error)
	// Inputs are those that the running turn of a session has not taken yet, oldest
	// first. DropInput takes one back; one that the turn has taken is NOT_FOUND.
	Inputs(ctx context.Context, sessionID string) ([]session.Input, error)
	DropInput(ctx context.Context, sessionID, inputID string) error
	// Decide answers one of them. A question that is not open any more is
	// DECISION_CLOSED. The caller has the operator's authority.
	Decide(ctx context.Context, r DecisionRequest) (permit.Decision, error)
}

// FileChanges is what people do with changes of files: those of turns, and those of
// commands that are not real yet, because nobody answered in time or something else
// changed the same files.
type FileChanges interface {
	// Changes are the file changes of a session's turns, of one or, for "", of
	// all, in their order, as diffs.
	Changes(ctx context.Context, sessionID, turnID string) ([]changes.ChangeSet, error)
	// Undo takes a turn's file changes back, all of them or none. A file that is
	// not as the turn left it is CONTENT_CHANGED, a session in which a turn runs
	// TURN_IN_PROGRESS. The caller has the operator's authority.
	Undo(ctx context.Context, r changes.UndoRequest) (changes.UndoResult, error)
	// Fork makes a new session that begins as another one did, up to the end of
	// one of its turns. The other stays as it is.
	Fork(ctx context.Context, r changes.ForkRequest) (session.Record, error)
	// Kept are the kept changes of a project, the oldest first, without their diffs.
	Kept(ctx context.Context, projectRoot string) ([]changes.KeptChange, error)
	// KeptChange is one of them, as it would change the project now.
	KeptChange(ctx context.Context, projectRoot, id string) (changes.KeptChange, error)
	// ApplyKept makes one in the project, after a review of its own: the change may have
	// come with the project. DropKept removes it. One that a turn still
	// asks about is TURN_IN_PROGRESS. Paths that something else changed, and contents
	// that are damaged, are CONTENT_CHANGED; then the project is as it was, and the
	// change stays kept. The caller has the operator's authority.
	ApplyKept(ctx context.Context, r changes.KeptRequest) (changes.KeptResult, error)
	DropKept(ctx context.Context, r changes.KeptRequest) (changes.KeptResult, error)
}

// Stream reads a session's log. One goroutine at a time calls Next. Close may be
// called by any goroutine at any moment, and more than once.
type Stream interface {
	// Turn is the id of the turn that Start began or replayed, or "".
	Turn() string
	// Next blocks until there are events, ctx is done, or the stream is over
	// (io.EOF, after process:exit). It returns as many as are ready.
	Next(ctx context.Context) ([]event.Event, error)
	// Close releases the reader; it never affects the turn. It ends a Next that
	// waits: that one and every later one return [session.ErrReaderClosed], or
	// io.EOF if the stream was over.
	Close() error
}
