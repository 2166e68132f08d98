// Package discord lets people talk to agents in Discord: a surface like any other,
// which knows the rest of belay by the bus alone.
//
// [Surface.Run] receives what people write, decides whom to answer (package routing),
// waits until a burst of messages is over, makes one request of it (composition),
// and publishes that. It follows the output of each request and plans from it the
// messages of the answer (output, split). Questions of an agent become messages with
// buttons. Package client talks to Discord, and package record is the memory: what was
// accepted, and what was sent.
//
// Promises, also across kill -9 and lost connections: a message that is to be answered
// is on record before anything is done about it, and has one answer; each file of an
// answer is posted once; a button works after a restart. All of it rests on ids: a
// request's id is made of its first message, and each message of an answer has a
// nonce made of the request.
//
// Specification: the bus and Discord; docs/discord.md is for people.
package discord

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"time"

	"belay/internal/attachment/block"
	"belay/internal/bus/contract"
	"belay/internal/discord/record"
)

// Bus is what the surface needs of the bus; [bus.Client] has it. Errors with a type of
// package fault are final, all others pass.
type Bus interface {
	Request(ctx context.Context, session, request string, m *contract.RequestMessage) error
	Announce(ctx context.Context, id, session, request string, p contract.Payload) error
	Answer(ctx context.Context, session string, a *contract.DecisionAnswer) (contract.DecisionAnswered, error)
	CreateSession(ctx context.Context, request string, s *contract.SessionCreate) (contract.Session, error)
	Status(ctx context.Context, session string) (contract.SessionState, error)
	Personas(ctx context.Context) ([]contract.Persona, error)
	// Output gives the output of a request after a position, up to its end.
	Output(ctx context.Context, session, request string, after int64) iter.Seq2[contract.Message, error]
	// OpenFile opens the bytes of a file that an output of a session is about.
	OpenFile(ctx context.Context, session string, f contract.File) (io.ReadCloser, error)
	// Follow gives signals, each until handle returned nil for it.
	Follow(ctx context.Context, name string, types []contract.Type, handle func(context.Context, contract.Message) error) error
}

// Questions says where the details of a question may be shown.
type Questions string

// The places.
const (
	// InChannel shows command, output and diff in the channel.
	InChannel Questions = "channel"
	// InDirect shows them in direct messages to the deciders, and a note in the channel.
	InDirect Questions = "dm"
	// ByLink shows one line and the link to the page.
	ByLink Questions = "link"
)

// Options configure a surface.
type Options struct {
	Token string
	// API is the base of Discord's REST API, "" Discord's own.
	API string
	// Dir is the surface's folder in the state folder.
	Dir string
	Bus Bus
	// Guilds and Users narrow who is answered; see package routing.
	Guilds, Users []string
	// Channels are connected by the settings. They win over those of /link.
	Channels map[string]record.Binding
	// Project is what /link connects a channel to.
	Project string
	// Debounce is how long a burst of messages is gathered.
	Debounce time.Duration
	// Merge says what becomes of messages that come together; "" is [block.Union].
	Merge     block.Policy
	Questions Questions
	// Attempts is how often one operation is tried that fails although Discord answers; 0 is
	// as often as it fits into seven minutes.
	Attempts int
	// Page is the base URL of the page, "" for none.
	Page string
	// FileBytes caps a file beside Discord's own limit; 0 is that limit.
	FileBytes int64
	// Setup is called when a code for /link is made: with the link that invites the
	// bot and the code.
	Setup  func(invite, code string)
	Logger *slog.Logger
	Now    func() time.Time
}

func (o Options) check() error {
	switch {
	case o.Token == "" || o.Dir == "" || o.Bus == nil:
		return errors.New("discord: token, folder and bus are needed")
	case o.Debounce < 0:
		return errors.New("discord: the debounce must not be negative")
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Questions = cmp.Or(o.Questions, InChannel)
	o.Attempts = cmp.Or(o.Attempts, defaultAttempts)
	o.Merge = cmp.Or(o.Merge, block.Union)
	if o.Setup == nil {
		o.Setup = func(string, string) {}
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
