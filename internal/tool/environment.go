package tool

import (
	"context"
	"io"
	"os"
	"time"

	"belay/internal/attachment"
	"belay/internal/attachment/block"
	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/session"
)

// Environment is the tool environment of one agent in one turn: the files that its
// calls see and may change, their limits, and the ledger of their changes. The engine
// makes it for a turn and closes the roots at the end. It is safe for concurrent
// calls.
type Environment struct {
	// Agent is the persona whose calls these are. Session and Turn say where the calls
	// are made. Records name all three.
	Agent, Session, Turn string
	// Project is the absolute path of the project, Root the same folder opened.
	Project string
	Root    *os.Root
	// Scratch is the absolute path of the session's own folder, which holds HOME
	// and TMPDIR of commands; ScratchRoot is the same folder opened. File tools
	// read and write below it by absolute path.
	Scratch     string
	ScratchRoot *os.Root
	// Scope says what may be written in the project.
	Scope Scope
	// Unreadable is the rule of the person that denies agents to read a file of the project, or
	// all that is in a folder, "" where none does. Nil denies nothing. Ask [Environment.Hides].
	Unreadable func(path string, folder bool) string
	// Blobs keeps contents: files shown to the model, and what changes replaced.
	Blobs Blobs
	// Files admits a file that the model is to see, as a turn admits attachments.
	Files Admitter
	// Received are the files of the newest message of a person that has some; nil is none.
	Received func() []block.Item
	// Destination is where the turn's output goes, nil for surfaces on this machine.
	Destination *session.Destination
	// Seen remembers which contents the model was shown. Unread is set where there is no
	// model: files may be replaced that nobody has read.
	Seen   *Seen
	Unread bool
	// Ledger notes what was changed.
	Ledger *Ledger
	// Gate keeps what other tools change apart from what commands do, and Journal
	// keeps changes of the project's files from being half done.
	Gate    Gate
	Journal *journal.Store
	// Network decides which hosts commands reach, nil for none.
	Network Network
	// Jobs are the background jobs of the turn, nil where there can be none.
	Jobs   *Jobs
	Limits Limits
	// Path is the PATH of the person: programs in those of its folders that are in
	// the project run by their names.
	Path string
	// GitConfigs are the files that may have the person's own configuration of git, which
	// can name programs of the project.
	GitConfigs []string
	// Nested are other projects below this one: no command sees their .belay folders.
	Nested []string
	// ReadPaths are toolchains outside the project: links in it may lead to them.
	ReadPaths []string
	// Live shows people what the call of a context writes while it runs; nil shows nothing.
	// The caller closes the writer, which never fails, before the call ends.
	Live func(ctx context.Context) io.WriteCloser
	// Redact takes keys out of what is shown of files and output and kept with it; nil
	// leaves them.
	Redact func(string) string
	// Clock gives the time of records.
	Clock func() time.Time
}

// WithoutKeys is a text without the keys of the person that belay knows.
func (w *Environment) WithoutKeys(text string) string {
	if w.Redact == nil {
		return text
	}
	return w.Redact(text)
}

// Hides reports whether a file of the project is not there for an agent: nothing ever shows it
// or what is in it, or a rule denies to read it. Rules are about files: one hides a folder where it
// denies all that may be in it.
//
// Tools that look deliverables up ask Scope.Hidden alone: a denial to read files does not keep
// from agents what the index knows of registers, states and names.
func (w *Environment) Hides(path string, folder bool) bool {
	return w.Scope.Hidden(path) || w.Unreadable != nil && w.Unreadable(path, folder) != ""
}

// Scope says which project files an agent may change (workspace 9.5 and the
// protected paths); path is relative to the project, with slashes, and clean.
type Scope interface {
	// Allows returns nil, or an error that names path and the rule in words for
	// the model. Exists says whether there is a file now.
	Allows(path string, exists bool) error
	// HasZones reports whether parts of such a file may belong to people: of others
	// KeepsZones needs no content.
	HasZones(path string) bool
	// KeepsZones returns nil unless after, where before stood, changes parts of a
	// file that belong to people; before is nil where there was no file.
	KeepsZones(path string, before, after []byte) error
	// Hidden reports whether path is never shown to an agent nor listed.
	Hidden(path string) bool
	// Describe is one sentence for the model: what it may write.
	Describe() string
}

// Blobs is the project's content store; [belay/internal/session.Blobs] is one.
type Blobs interface {
	Put(ctx context.Context, r io.Reader, max int64) (sha256 string, n int64, err error)
	// Keep is Put of bytes whose hash is known.
	Keep(ctx context.Context, sha256 string, data []byte) error
	Content(sha256 string) (attachment.Content, error)
}

// Network decides which hosts a command reaches while it runs. The contexts are those of
// the call.
type Network interface {
	// Ask rules on a host ([permit.HostEffect]). Where a person must be asked it waits
	// until the context ends, and the outcome [permit.Ask] then says that the question
	// stays open.
	Ask(ctx context.Context, e permit.Effect) (permit.Ruling, error)
	// Local rules on a port of this machine that the person's settings name. Nobody is
	// asked: what would be asked about is allowed.
	Local(e permit.Effect) permit.Ruling
	// Record puts on the audit log that the command reaches a host, or why not.
	Record(ctx context.Context, e permit.Effect, r permit.Ruling) error
}

// Admitter checks and stores a project file as an attachment. A refusal of the
// policy is a [*Refusal].
type Admitter interface {
	Admit(ctx context.Context, path string) (attachment.Item, error)
}

// Limits that nobody has a reason to change. Package app puts them into [Limits].
const (
	// MaxReadBytes and MaxWriteBytes hold any text that people write, and bound the
	// memory of calls that run at once.
	MaxReadBytes = 16 << 20
	// MaxWriteBytes is the most that a call writes into one file.
	MaxWriteBytes = 8 << 20
	// MaxMatches is more than a model can use; it then narrows its search.
	MaxMatches = 500
	// MaxCommandOutput leaves room beside it in [Limits.OutputBytes].
	MaxCommandOutput = 48 << 10
	// MaxFetchBytes and MaxFetchTime hold any page; files are attached instead.
	MaxFetchBytes = 8 << 20
	MaxFetchTime  = 30 * time.Second
)

// Limits bound a call. All are positive.
type Limits struct {
	// OutputBytes caps what a call shows the model, ReadBytes what one read
	// looks at, WriteBytes what one call writes to a file.
	OutputBytes, ReadBytes, WriteBytes int64
	// Matches caps the results of glob, grep and list.
	Matches int
	// CommandTime is the default and the ceiling of a command's time,
	// CommandBytes caps what is kept of its output.
	CommandTime, CommandTimeMost time.Duration
	CommandBytes                 int64
	// FetchBytes and FetchTime bound a download.
	FetchBytes int64
	FetchTime  time.Duration
	// KeepBytes caps a file whose replaced content is kept for undo.
	KeepBytes int64
	// SendFileBytes caps a file that is sent to people, SendCallBytes all files of a
	// call.
	SendFileBytes, SendCallBytes int64
	// ReceiveFileBytes caps a file of people that is saved, ReceiveCallBytes all files of
	// a call.
	ReceiveFileBytes, ReceiveCallBytes int64
}
