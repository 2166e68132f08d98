package discord_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord"
	"belay/internal/fault"
	"belay/test/discordtest"
)

// patience bounds every wait; only a failure reaches it.
const patience = 5 * time.Minute

// agent is a bus with an agent behind it, in memory. It outlives surfaces, as the real
// one does. What it is given is encoded and decoded, so that both are valid.
type agent struct {
	t *testing.T

	mu       sync.Mutex
	changed  chan struct{}
	requests []contract.Message
	outputs  map[string][]contract.Message // by request
	signals  []contract.Message
	dealt    int // signals that were dealt with
	answers  []contract.Message
	seen     []contract.Payload // announced
	ids      map[string]bool
	sessions int
	made     map[string]contract.Session // by request
	late     int                         // replies about sessions that come too late
	files    map[string][]byte
	unread   string // the file that cannot be read once
	// onRequest is called for each new request, in a goroutine.
	onRequest func(session, request string, m *contract.RequestMessage)
	down      bool
	deleted   string // a session
	refusal   error  // of new sessions
	// working is the request of the turn that runs, and open are its questions.
	working string
	open    []contract.Decision
}

func newAgent(t *testing.T) *agent {
	return &agent{t: t, changed: make(chan struct{}), outputs: map[string][]contract.Message{}, ids: map[string]bool{}, made: map[string]contract.Session{}, files: map[string][]byte{}}
}

var errDown = errors.New("the bus is down")

// check encodes a message and decodes it again.
func (a *agent) check(e contract.Envelope, p contract.Payload) contract.Message {
	w, err := contract.Encode(e, p)
	if err == nil {
		var m contract.Message
		if m, err = contract.Decode(w); err == nil {
			return m
		}
	}
	a.t.Errorf("%s: %v", contract.TypeOf(p), err)
	return contract.Message{Envelope: e, Payload: p}
}

func (a *agent) notify() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// wait returns when done does, which is asked with the lock held.
func (a *agent) wait(ctx context.Context, done func() bool) bool {
	for {
		a.mu.Lock()
		ok, changed := done(), a.changed
		a.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}

func (a *agent) Request(_ context.Context, session, request string, m *contract.RequestMessage) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.down {
		return errDown
	}
	if a.ids[request] {
		return nil
	}
	a.ids[request] = true
	got := a.check(contract.Envelope{ID: "request:" + request, Session: session, Request: request, Client: "discord"}, m)
	a.requests = append(a.requests, got)
	if a.onRequest != nil {
		go a.onRequest(session, request, got.Payload.(*contract.RequestMessage))
	}
	a.notify()
	return nil
}

func (a *agent) Announce(_ context.Context, id, session, request string, p contract.Payload) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.check(contract.Envelope{ID: "discord:" + id, Session: session, Request: request, Client: "discord"}, p)
	a.seen = append(a.seen, m.Payload)
	if contract.TypeOf(p) == contract.TypeReanchor { // the surface follows it itself
		a.signals = append(a.signals, m)
	}
	a.notify()
	return nil
}

func (a *agent) Answer(_ context.Context, session string, p *contract.DecisionAnswer) (contract.DecisionAnswered, error) {
	a.mu.Lock()
	for _, m := range a.answers {
		if m.Payload.(*contract.DecisionAnswer).DecisionID == p.DecisionID {
			a.mu.Unlock()
			return contract.DecisionAnswered{}, fault.New(fault.DecisionClosed, "the question is closed")
		}
	}
	a.answers = append(a.answers, a.check(contract.Envelope{Session: session, Client: "discord"}, p))
	a.mu.Unlock()
	a.signal(session, "", &contract.DecisionClosed{DecisionID: p.DecisionID, TurnID: "t", Verdict: p.Verdict, By: p.By, Note: p.Note, Time: time.Now()})
	return contract.DecisionAnswered{DecisionID: p.DecisionID, Verdict: p.Verdict, By: p.By, Time: time.Now()}, nil
}

func (a *agent) CreateSession(_ context.Context, request string, c *contract.SessionCreate) (contract.Session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.down {
		return contract.Session{}, errDown
	}
	if a.refusal != nil {
		return contract.Session{}, a.refusal
	}
	a.check(contract.Envelope{Client: "discord", Request: request}, c)
	s, known := a.made[request]
	if !known {
		a.sessions++
		s = contract.Session{SessionID: "session-" + string(rune('0'+a.sessions)), ProjectRoot: c.ProjectRoot}
		a.made[request] = s
	}
	if a.late > 0 {
		a.late--
		return contract.Session{}, fault.New(fault.Overloaded, "the reply comes too late")
	}
	return s, nil
}

func (a *agent) Status(_ context.Context, session string) (contract.SessionState, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.down {
		return contract.SessionState{}, errDown
	}
	if a.deleted == session {
		return contract.SessionState{}, fault.New(fault.SessionNotFound, "no session has this id")
	}
	return contract.SessionState{Session: contract.Session{SessionID: session, Model: "model_x"}, Open: a.open,
		Running: &contract.RunningRequest{Request: cmp.Or(a.working, "discord:1:1"), TurnID: "t", Since: time.Now()}, Queued: []string{"discord:1:2"}}, nil
}

func (a *agent) Personas(context.Context) ([]contract.Persona, error) {
	return []contract.Persona{{ID: "WRITER", Description: "Writes."}, {ID: "CHECKER"}}, nil
}

func (a *agent) Output(ctx context.Context, _, request string, after int64) iter.Seq2[contract.Message, error] {
	return func(yield func(contract.Message, error) bool) {
		for {
			var m contract.Message
			if !a.wait(ctx, func() bool {
				if int64(len(a.outputs[request])) <= after {
					return false
				}
				m = a.outputs[request][after]
				return true
			}) {
				return
			}
			after++
			if !yield(m, nil) || contract.TypeOf(m.Payload) == contract.TypeResponseText {
				return
			}
		}
	}
}

func (a *agent) Follow(ctx context.Context, _ string, types []contract.Type, handle func(context.Context, contract.Message) error) error {
	for {
		var m contract.Message
		if !a.wait(ctx, func() bool {
			if len(a.signals) <= a.dealt {
				return false
			}
			m = a.signals[a.dealt]
			return true
		}) {
			return nil
		}
		failed := slices.Contains(types, contract.TypeOf(m.Payload)) && handle(ctx, m) != nil
		if ctx.Err() != nil {
			return nil
		}
		if failed {
			continue
		}
		a.mu.Lock()
		a.dealt++
		a.mu.Unlock()
	}
}

// put adds outputs of a request.
func (a *agent) put(session, request string, all ...contract.Payload) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range all {
		n := int64(len(a.outputs[request]) + 1)
		a.outputs[request] = append(a.outputs[request], a.check(contract.Envelope{ID: "o", Session: session, Request: request, Client: "discord", Seq: n}, p))
	}
	a.notify()
}

// until waits until done, which is asked with the lock held.
func (a *agent) until(what string, done func() bool) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), patience)
	defer cancel()
	if !a.wait(ctx, done) {
		a.t.Fatalf("%s did not happen", what)
	}
}

func (a *agent) setDown(down bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.down = down
}

// signal adds a signal.
func (a *agent) signal(session, request string, p contract.Payload) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if request == "" && len(a.requests) > 0 {
		request = a.requests[len(a.requests)-1].Request
	}
	a.signals = append(a.signals, a.check(contract.Envelope{ID: "s", Session: session, Request: request, Client: "discord"}, p))
	a.notify()
}

// file makes a blob and the output that sends it.
func (a *agent) file(name string, data []byte, index int) *contract.ResponseBinary {
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := sha256.Sum256(data)
	sha := hex.EncodeToString(sum[:])
	a.files[sha] = data
	return &contract.ResponseBinary{File: contract.File{SHA256: sha, Bytes: int64(len(data)), MIMEType: "image/png", Filename: name, ToolCallID: "call", Index: index}, Of: index + 1}
}

func (a *agent) OpenFile(_ context.Context, _ string, f contract.File) (io.ReadCloser, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f.SHA256 == a.unread {
		a.unread = ""
		return nil, fault.New(fault.StorageFailure, "too many files are open")
	}
	data, ok := a.files[f.SHA256]
	if !ok {
		return nil, fault.New(fault.NotFound, "no such blob")
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// requested waits for the n-th request.
func (a *agent) requested(n int) contract.Message {
	a.t.Helper()
	a.until(fmt.Sprintf("request %d", n), func() bool { return len(a.requests) >= n })
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.requests[n-1]
}

func text(m contract.Message) string { return m.Payload.(*contract.RequestMessage).Text }

func delta(s string) *contract.TextDelta { return &contract.TextDelta{Delta: s} }

func final(s string) *contract.ResponseText {
	return &contract.ResponseText{FinalText: s, State: contract.StateResolved}
}

// world is a Discord with a channel that is connected, and a surface.
type world struct {
	*discordtest.Server
	t       *testing.T
	agent   *agent
	dir     string
	guild   string
	channel string
	ada     discordtest.User
	code    string
	change  func(*discord.Options)
	stop    func() error
	// stopped waits for a surface that ends by itself.
	stopped func() error
	log     *bytes.Buffer
}

// start makes a world and connects its channel with /link, as ada.
func start(t *testing.T, change func(*discord.Options)) *world {
	t.Helper()
	w := begin(t, change)
	w.link()
	return w
}

// link connects the channel with /link, as ada.
func (w *world) link() {
	w.t.Helper()
	used := w.Command(w.ada, w.channel, "link", map[string]string{"code": w.code})
	w.Wait(w.t, "the link", func() bool { return w.Answer(used).Type != 0 })
}

// begin makes a world whose channel is not connected.
func begin(t *testing.T, change func(*discord.Options)) *world {
	t.Helper()
	s := discordtest.New(t, discordtest.Options{Rate: 1000, Per: time.Second})
	w := &world{Server: s, t: t, agent: newAgent(t), dir: t.TempDir(), change: change, log: &bytes.Buffer{}}
	w.guild = s.AddGuild("guild", 0)
	w.channel = s.AddChannel(w.guild, "general")
	w.ada = s.Person("Ada")
	w.up()
	t.Cleanup(func() {
		if w.stop != nil {
			w.down()
		}
	})
	return w
}

// up starts a surface and waits until it is connected.
func (w *world) up() {
	w.t.Helper()
	codes := make(chan string, 10)
	sessions := w.Gateway.Sessions()
	o := discord.Options{
		Token: w.Token, API: w.URL, Dir: w.dir, Bus: w.agent, Project: "/project", Debounce: 50 * time.Millisecond,
		Page: "http://127.0.0.1:1", Setup: func(_, code string) { codes <- code }, Logger: slog.New(slog.NewTextHandler(w.log, nil)),
	}
	if w.change != nil {
		w.change(&o)
	}
	surface, err := discord.New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- surface.Run(ctx) }()
	w.stopped = func() error {
		defer cancel()
		w.stop = nil
		select {
		case err := <-ended:
			return errors.Join(err, surface.Close())
		case <-time.After(patience):
			return errors.New("it goes on")
		}
	}
	w.stop = func() error {
		cancel()
		return w.stopped()
	}
	select {
	case w.code = <-codes:
	case <-time.After(patience):
		w.t.Fatalf("the surface does not start:\n%s", w.log)
	}
	w.Wait(w.t, "the connection", func() bool { return w.Gateway.Connected() && w.Gateway.Sessions() > sessions })
}

// down ends the surface.
func (w *world) down() {
	w.t.Helper()
	if err := w.stop(); err != nil {
		w.t.Errorf("the surface ended with: %v", err)
	}
	w.stop = nil
}

// mention says something to the bot as ada.
func (w *world) mention(text string, change ...func(*discordtest.Message)) discordtest.Message {
	return w.Say(w.channel, w.ada, w.Mention()+" "+text, change...)
}

// shown waits until the bot's messages are these.
func (w *world) shown(want ...string) []discordtest.Message {
	w.t.Helper()
	var own []discordtest.Message
	defer func() {
		if w.t.Failed() {
			for _, m := range own {
				w.t.Logf("shown: %q %d files", m.Content, len(m.Attachments))
			}
			w.t.Logf("log:\n%s", w.log)
		}
	}()
	w.Wait(w.t, "the answer", func() bool {
		own = w.Own(w.channel)
		if len(own) != len(want) {
			return false
		}
		for i, m := range own {
			if m.Content != want[i] {
				return false
			}
		}
		return true
	})
	return own
}
