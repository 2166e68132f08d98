// Package output plans the messages of an answer in Discord: which text and which
// files go on which message, in which order.
//
// An [Answer] takes what an agent puts out, and [Answer.Next] gives one operation at
// a time that brings Discord nearer to it. The caller carries it out and reports
// with [Answer.Sent] or [Answer.Failed]. The rules:
//
//   - There is no placeholder. The first message is created when there is text.
//   - After [Answer.Break] the text goes on in a new message; what was shown stays.
//   - Files that came before go on that message. Later ones go on messages of
//     their own at the end, each a reply to the last visible message.
//   - A message has at most [Limits].Files files. A file that does not fit, or that
//     Discord refuses, becomes a line of text.
//   - A message with files is never deleted, and an edit keeps them.
//   - A file that fails costs neither the text nor the other files. A part of the text that
//     Discord refuses becomes a line, and costs no other part. What it refuses while the agent
//     writes is tried once more at the end: the whole text may be taken.
//   - Whatever ends an answer, [Answer.End] sends what is left.
//
// The package is pure. After a restart [Answer.Restore] and the same output give the
// operations that are still missing.
// Specification: the bus and Discord, A3.
package output

import (
	"slices"
	"strings"

	"belay/internal/quantity"
)

// Limits are what Discord takes.
type Limits struct {
	// Characters of a message, as package split counts them.
	Characters int
	// Files on one message.
	Files int
	// FileBytes is the size of one file, RequestBytes that of all files of a message.
	FileBytes, RequestBytes int64
}

// Defaults are Discord's limits for a server without boosts:
// https://discord.com/developers/docs/reference#uploading-files. RequestBytes is
// lower than what Discord is known to take.
func Defaults() Limits {
	return Limits{Characters: 2000, Files: 10, FileBytes: 10 << 20, RequestBytes: 24 << 20}
}

// File is a file for people. Key tells it from all others of the answer.
type File struct {
	Key  string
	Name string
	Size int64
}

// Kind is what an operation does.
type Kind string

// The kinds.
const (
	Create Kind = "create"
	Edit   Kind = "edit"
	Delete Kind = "delete"
)

// Op is one call of Discord.
type Op struct {
	Kind Kind
	// Key names the message within its answer: "t0", "t1" for text, "f0" for files.
	// It stays the same after a restart.
	Key string
	// ID is the message to edit or delete.
	ID string
	// ReplyTo is the message that a new one answers, "" for the person's.
	ReplyTo string
	Text    string
	// Files are uploaded with a new message.
	Files []File
}

// Message is a message of the answer that exists.
type Message struct {
	Key string `json:"key"`
	ID  string `json:"id"`
	// Files are the keys of the files on it.
	Files []string `json:"files,omitempty"`
}

// message is a Message and what people see of it.
type message struct {
	Message
	shown string
	// stale says that shown is not known, gone that somebody deleted the message, fixed that
	// Discord takes no change of it.
	stale, gone, fixed bool
	// refused is the change that Discord did not take while the agent wrote. It is tried once
	// more at the end.
	refused string
}

// differs reports whether the message can be changed to show a text, and has to be.
func (m message) differs(text string) bool {
	return !m.gone && !m.fixed && (m.stale || m.shown != text)
}

// upload is a file that is on no message yet.
type upload struct {
	File
	alone bool // it failed together with others
}

// Answer is one answer. It is not safe for concurrent use.
type Answer struct {
	limits  Limits
	text    string
	ended   bool
	note    string
	notes   []string
	pending []upload
	known   map[string]bool // keys of all files
	texts   []message
	files   []message
	lanes   []lane // the first one begins with the text
	dead    bool
	// refused are the lines that stand for messages of text which Discord does not take, by
	// key. Unchanged says that it did not take a change at the end, apart that the notes stand
	// in a message of their own for that.
	refused          map[string]string
	unchanged, apart bool
}

// lane is a part of the text that stands in messages of its own.
type lane struct {
	from int
	// replyTo is the message that the first of them answers; "" is the person's.
	replyTo string
}

// New returns an empty answer. It begins with the messages that a process before
// this one sent.
func New(limits Limits, sent ...Message) *Answer {
	a := &Answer{limits: limits, known: map[string]bool{}, lanes: []lane{{}}, refused: map[string]string{}}
	for _, m := range sent {
		a.add(message{Message: m, stale: true})
		for _, key := range m.Files {
			a.known[key] = true
		}
	}
	return a
}

func (a *Answer) add(m message) {
	if strings.HasPrefix(m.Key, "t") {
		a.texts = append(a.texts, m)
	} else {
		a.files = append(a.files, m)
	}
}

// Append adds text that the agent wrote.
func (a *Answer) Append(delta string) { a.text += delta }

// SetText replaces the whole text.
func (a *Answer) SetText(text string) {
	if last := a.lanes[len(a.lanes)-1]; !strings.HasPrefix(text, a.text[:last.from]) {
		a.lanes = a.lanes[:1] // it is another text
	}
	a.text = text
}

// Break has the text that follows stand in a new message, which replies to one; "" is the
// person's.
func (a *Answer) Break(replyTo string) {
	last := &a.lanes[len(a.lanes)-1]
	if strings.TrimSpace(a.text[last.from:]) == "" {
		last.replyTo = replyTo // nothing of it is shown yet
		return
	}
	a.lanes = append(a.lanes, lane{len(a.text), replyTo})
}

// Messages are the messages that exist, in the order of their creation by kind.
func (a *Answer) Messages() []Message {
	var all []Message
	for _, m := range slices.Concat(a.texts, a.files) {
		all = append(all, m.Message)
	}
	return all
}

// AddFile adds a file. One with a key that the answer has already is the same file.
func (a *Answer) AddFile(f File) {
	if a.known[f.Key] {
		return
	}
	a.known[f.Key] = true
	f.Name = FileName(f.Name)
	switch {
	case f.Size == 0:
		a.notes = append(a.notes, code(f.Name)+" is empty. Discord takes no empty files.")
	case f.Size > a.limits.FileBytes || f.Size > a.limits.RequestBytes:
		a.notes = append(a.notes, code(f.Name)+" ("+quantity.Size(f.Size)+") is too large for Discord, which takes "+
			quantity.Size(min(a.limits.FileBytes, a.limits.RequestBytes))+" here.")
	default:
		a.pending = append(a.pending, upload{File: f})
	}
}

// SetNote gives the line that stands at the end, for an [Answer.End] that has none.
func (a *Answer) SetNote(note string) { a.note = note }

// End says that nothing more comes. Note stands at the end: why the answer is not
// whole. An empty one leaves what [Answer.SetNote] gave.
func (a *Answer) End(note string) {
	if !a.ended {
		clear(a.refused)
	}
	a.ended = true
	if note = strings.TrimSpace(note); note != "" {
		a.note = note
	}
}
