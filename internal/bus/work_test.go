package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"belay/internal/bus/contract"
	"belay/internal/fault"
)

func prompt(text string) *contract.RequestMessage {
	return &contract.RequestMessage{Queue: contract.QueuePrompt, Text: text}
}

func deadlined(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	return ctx
}

// messages returns how many messages a stream holds.
func messages(t testing.TB, b *Bus, stream string) uint64 {
	t.Helper()
	s, err := b.js.Stream(deadlined(t), stream)
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}

// letters returns the dead letters.
func letters(t testing.TB, b *Bus) (all []DeadLetter) {
	t.Helper()
	s, err := b.js.Stream(deadlined(t), contract.StreamDead)
	if err != nil {
		t.Fatal(err)
	}
	for seq := s.CachedInfo().State.FirstSeq; seq <= s.CachedInfo().State.LastSeq; seq++ {
		m, err := s.GetMsg(deadlined(t), seq)
		if err != nil {
			t.Fatal(err)
		}
		var d DeadLetter
		if err := json.Unmarshal(m.Data, &d); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

func TestRequestIsStoredOnce(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{})
	c := NewClient(b, "discord")
	for range 3 {
		if err := c.Request(deadlined(t), "s1", "r1", prompt("x")); err != nil {
			t.Fatal(err)
		}
	}
	if n := messages(t, b, contract.StreamRequests); n != 1 {
		t.Errorf("the stream holds %d requests, want 1", n)
	}
}

func TestFullQueueRefusesRequests(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{})
	s, err := b.js.Stream(deadlined(t), contract.StreamRequests)
	if err != nil {
		t.Fatal(err)
	}
	small := s.CachedInfo().Config
	small.MaxMsgs = 1
	if _, err := b.js.UpdateStream(deadlined(t), small); err != nil {
		t.Fatal(err)
	}
	c := NewClient(b, "discord")
	if err := c.Request(deadlined(t), "s1", "r1", prompt("x")); err != nil {
		t.Fatal(err)
	}
	err = c.Request(deadlined(t), "s1", "r2", prompt("x"))
	if f := fault.From(err); !fault.Is(err, fault.Overloaded) || f.NextStep() != "wait until some are answered" {
		t.Errorf("the second request: %v", err)
	}
	if !b.Health().OK {
		t.Errorf("a full queue is no fault of the bus: %+v", b.Health())
	}
}

func TestClosedServerRefusesClearly(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{AckTimeout: 300 * time.Millisecond})
	b.server.mu.Lock()
	b.server.halt()
	b.server.mu.Unlock()
	c := NewClient(b, "discord")
	err := c.Request(deadlined(t), "s1", "r1", prompt("x"))
	if f := fault.From(err); !fault.Is(err, fault.StorageFailure) || !strings.Contains(f.NextStep(), "belay serve") {
		t.Errorf("request: %v", err)
	}
	if h := b.Health(); h.OK || h.Err == nil {
		t.Errorf("health: %+v", h)
	}
	if _, err := c.Personas(deadlined(t)); !fault.Is(err, fault.Overloaded) {
		t.Errorf("question: %v", err)
	}
	until(t, "the bus heals by itself", func() bool {
		return c.Request(deadlined(t), "s1", "r1", prompt("x")) == nil
	})
}

// What breaks the contract is a dead letter, without a word of what it said, and does
// not stop what follows.
func TestMalformedRequestIsADeadLetter(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{})
	const secret = "a secret word"
	_, err := b.js.PublishMsg(deadlined(t), &nats.Msg{
		Subject: "belay.v1.cmd.request.message.s1", Data: []byte(`{"queue":"prompt","text":"` + secret + `","more":1}`),
		Header: nats.Header{contract.HeaderType: {"cmd.request.message"}, contract.HeaderVersion: {"1"}, contract.HeaderID: {"x"},
			contract.HeaderSession: {"s1"}, contract.HeaderRequest: {strings.Repeat("r", 2000)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := NewClient(b, "discord").Request(deadlined(t), "s1", "r2", prompt("x")); err != nil {
		t.Fatal(err)
	}
	taken := make(chan *Delivery, 10)
	stop, err := b.Requests(deadlined(t), func(d *Delivery) { taken <- d })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	d := <-taken
	if d.Envelope.Request != "r2" || d.Request().Text != "x" {
		t.Errorf("delivered %+v", d.Message)
	}
	if err := d.Done(deadlined(t)); err != nil {
		t.Fatal(err)
	}
	until(t, "the queue is empty", func() bool { return messages(t, b, contract.StreamRequests) == 0 })
	all := letters(t, b)
	if len(all) != 1 || !strings.Contains(all[0].Error, "unknown field") || len(all[0].Request) > maxEvidence || all[0].SHA256 == "" || all[0].Bytes == 0 {
		t.Fatalf("dead letters: %+v", all)
	}
	if text := fmt.Sprint(all); strings.Contains(text, secret) {
		t.Errorf("the evidence has the text: %s", text)
	}
}

func state(s contract.State) *contract.LifecycleChanged {
	l := &contract.LifecycleChanged{State: s, Time: time.Now().UTC()}
	if s == contract.StateFailed {
		l.Error = &contract.Failure{Code: "OVERLOADED", Message: "too much"}
	}
	return l
}

// A signal that fails comes again, before the next one; after five failures it is a
// dead letter. A reader that comes back goes on where it was.
func TestFollowRetriesInOrder(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{})
	b.backoff = func(int) time.Duration { return time.Millisecond }
	c := NewClient(b, "discord")
	for _, id := range []string{"r1", "r2", "r3"} {
		if err := c.Announce(deadlined(t), id, "s1", id, state(contract.StateRunning)); err != nil {
			t.Fatal(err)
		}
	}
	if err := NewClient(b, "page").Announce(deadlined(t), "r9", "s1", "r9", state(contract.StateRunning)); err != nil {
		t.Fatal(err)
	}
	var got []string
	follow := func(last string) {
		ctx, cancel := context.WithCancel(deadlined(t))
		err := c.Follow(ctx, "test", []contract.Type{contract.TypeLifecycleChanged}, func(_ context.Context, m contract.Message) error {
			got = append(got, m.Envelope.Request)
			if len(got) < 3 || m.Envelope.Request == "r2" {
				return errors.New("not now")
			}
			if m.Envelope.Request == last {
				cancel()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	follow("r3")
	if err := c.Announce(deadlined(t), "r4", "s1", "r4", state(contract.StateFailed)); err != nil {
		t.Fatal(err)
	}
	follow("r4")
	all := strings.Join(got, " ")
	// The acknowledgement of r3 may have met the end of its reader.
	want := "r1 r1 r1 r2 r2 r2 r2 r2 r3 r4"
	if all != want && all != strings.Replace(want, "r3", "r3 r3", 1) {
		t.Errorf("delivered %s, want %s", all, want)
	}
	if d := letters(t, b); len(d) != 1 || d[0].Request != "r2" || d[0].Deliveries != attempts || d[0].Error != "not now" {
		t.Errorf("dead letters: %+v", d)
	}
}

// However many publish the output of a request, from wherever they go on, it has each
// message once and in order.
func TestOutboxesOfOneRequest(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{})
	e := contract.Envelope{Session: "s1", Request: "r1", Client: "discord"}
	const n = 60
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for i := range n {
				box := NewOutbox(b, e) // as after a crash
				for at := max(0, i-w); at <= i; at++ {
					if err := box.Publish(deadlined(t), Place{Event: int64(at + 1)}, &contract.TextDelta{Delta: fmt.Sprint(at)}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	last := NewOutbox(b, e)
	for range 2 {
		if err := last.Publish(deadlined(t), Place{Event: n + 1}, &contract.ResponseText{State: contract.StateResolved}); err != nil {
			t.Fatal(err)
		}
	}
	var got, want []string
	for m, err := range NewClient(b, "discord").Output(deadlined(t), "s1", "r1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := m.Payload.(*contract.TextDelta); ok {
			got = append(got, fmt.Sprint(m.Seq, " ", d.Delta))
		}
	}
	for i := range n {
		want = append(want, fmt.Sprint(i+1, " ", i))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// Another process of the user attaches to the server through its socket, however long
// the folder's name is, and sees the server being replaced.
func TestAttach(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/" + strings.Repeat("long", 30)
	if _, err := Open(deadlined(t), Options{Dir: dir, Attach: true}); !fault.Is(err, fault.NotFound) {
		t.Errorf("without a server: %v", err)
	}
	b := openBus(t, Options{Dir: dir})
	if b.server.door == nil {
		t.Skip("this system has no room for the name of the socket")
	}
	if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("others can enter the folder of the socket: %v, %v", info.Mode(), err)
	}
	other := openBus(t, Options{Dir: dir, Attach: true})
	c := NewClient(other, "discord")
	if err := c.Request(deadlined(t), "s1", "r1", prompt("x")); err != nil {
		t.Fatal(err)
	}
	stop, err := b.Replies(replies{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	personas, err := c.Personas(deadlined(t))
	if err != nil || len(personas) != 1 {
		t.Errorf("personas: %v, %v", personas, err)
	}
	if err := b.Renew(deadlined(t)); err != nil {
		t.Fatal(err)
	}
	until(t, "connected again", func() bool {
		return c.Request(deadlined(t), "s1", "r2", prompt("x")) == nil
	})
}

// A process that connects while the bus is being closed does not hold that up.
func TestCloseWhileSomebodyConnects(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{Dir: t.TempDir()})
	if b.server.door == nil {
		t.Skip("this system has no room for the name of the socket")
	}
	b.server.mu.Lock() // as a restart of the server has it
	closed := make(chan error, 1)
	go func() { closed <- b.server.stop() }()
	time.Sleep(50 * time.Millisecond) // it waits for the lock
	c, err := dialer{b.opts.Dir}.Dial("", "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	until(t, "the connection", func() bool {
		b.server.door.mu.Lock()
		defer b.server.door.mu.Unlock()
		return len(b.server.door.conns) > 0
	})
	b.server.mu.Unlock()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(deadline):
		t.Fatal("the bus does not close")
	}
}

type replies struct{}

func (replies) Reply(_ context.Context, m contract.Message) (contract.Payload, error) {
	switch m.Payload.(type) {
	case *contract.PersonaList:
		return &contract.Personas{Personas: []contract.Persona{{ID: "HELP"}}}, nil
	case *contract.SessionStatus:
		return &contract.Personas{}, nil // not what was asked for
	}
	return nil, fault.New(fault.SessionNotFound, "no such session").WithHint("look again")
}

func TestQuestionsAndReplies(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{})
	c := NewClient(b, "discord")
	stop, err := b.Replies(replies{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	_, err = c.Sessions(deadlined(t), &contract.SessionList{ProjectRoot: "/p"})
	if f := fault.From(err); f.Type != fault.SessionNotFound || f.Message != "no such session" || f.NextStep() != "look again" {
		t.Errorf("refused: %v", err)
	}
	if _, err := c.Status(deadlined(t), "s1"); err == nil || !strings.Contains(err.Error(), "reply.persona.list") {
		t.Errorf("another reply: %v", err)
	}
	if _, err := c.Status(deadlined(t), "no session"); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("no id: %v", err)
	}
}

// The address of a person's file is asked of the surface that has it, wherever it runs.
func TestRenewLink(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{})
	renew := func(id string) (string, error) { return b.RenewLink(deadlined(t), "discord", id) }
	stop, err := NewClient(b, "discord").Renewals(func(_ context.Context, id string) (string, error) {
		if id == "gone" {
			return "", fault.New(fault.NotFound, "the message is gone")
		}
		return "https://cdn.example/" + id, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := renew("discord:1:2:3"); got != "https://cdn.example/discord:1:2:3" || err != nil {
		t.Errorf("renewed: %q, %v", got, err)
	}
	if _, err := renew("gone"); !fault.Is(err, fault.NotFound) {
		t.Errorf("gone: %v", err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := renew("discord:1:2:3"); !fault.Is(err, fault.Overloaded) {
		t.Errorf("nobody is there: %v", err)
	}
}

// A session that was deleted leaves nothing on the bus.
func TestForgetRemovesWork(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{})
	c := NewClient(b, "discord")
	for _, s := range []string{"s1", "s2"} {
		e := contract.Envelope{Session: s, Request: "r", Client: "discord"}
		for _, err := range []error{
			c.Request(deadlined(t), s, "r"+s, prompt("x")),
			c.Announce(deadlined(t), s, s, "r", state(contract.StateRunning)),
			NewOutbox(b, e).Publish(deadlined(t), Place{Event: 1}, &contract.TextDelta{Delta: "x"}),
			b.Lend(deadlined(t), ObjectName(s, "ab"), strings.NewReader("file")),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := b.Forget(deadlined(t), "s1"); err != nil {
		t.Fatal(err)
	}
	ids, err := b.Sessions(deadlined(t))
	if diff := cmp.Diff([]string{"s2"}, ids); diff != "" || err != nil {
		t.Errorf("sessions: %v\n%s", err, diff)
	}
	for _, stream := range []string{contract.StreamRequests, contract.StreamSignals, contract.StreamOutput} {
		if n := messages(t, b, stream); n != 1 {
			t.Errorf("%s holds %d messages, want that of the other session", stream, n)
		}
	}
	if n, err := b.Objects(deadlined(t)); n != 1 || err != nil {
		t.Errorf("%d copies of files, %v; want that of the other session", n, err)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{})
	c := NewClient(b, "discord")
	begun := time.Now().Add(-time.Second)
	if err := c.Announce(deadlined(t), "1", "s1", "r1", state(contract.StateRunning)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.js.PublishMsg(deadlined(t), &nats.Msg{Subject: "belay.v1.evt.decision.opened.s1", Data: []byte("x"), Header: nats.Header{contract.HeaderType: {"evt.decision.opened"}, contract.HeaderSession: {"s1"}}}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for m, err := range b.Tail(deadlined(t), TailOptions{Since: begun, Session: "s"}) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, m.Type); m.Type == "evt.decision.opened" {
			if m.Problem == "" || m.Payload != nil {
				t.Errorf("a malformed message: %+v", m)
			}
			// Requests are seen as they come.
			if err := c.Request(deadlined(t), "s2", "r2", prompt("x")); err != nil {
				t.Fatal(err)
			}
			if err := c.Request(deadlined(t), "s1", "r1", prompt("x")); err != nil {
				t.Fatal(err)
			}
		}
		if m.Type == "cmd.request.message" {
			break
		}
	}
	if diff := cmp.Diff([]string{"evt.request.lifecycle.changed", "evt.decision.opened", "cmd.request.message"}, got); diff != "" {
		t.Errorf("traffic (-want +got):\n%s", diff)
	}
}

// The disk does not take the requests: who asks learns it, and what it takes; so does the
// operator. Afterwards the request is stored, once.
func TestFullDiskRefusesClearly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := openBus(t, Options{Dir: dir, AckTimeout: 300 * time.Millisecond})
	c := NewClient(b, "discord")
	until(t, "a first request is stored", func() bool { return c.Request(deadlined(t), "s1", "r0", prompt("x")) == nil })
	// A file where the store wants its folder: new blocks cannot be created, as on a full disk.
	msgs, err := filepath.Glob(filepath.Join(dir, "store", "jetstream", "*", "streams", contract.StreamRequests, "msgs"))
	if err != nil || len(msgs) != 1 {
		t.Fatalf("message folder: %v, %v", msgs, err)
	}
	if err := os.Rename(msgs[0], msgs[0]+".away"); err != nil {
		t.Skipf("the folder cannot be moved while it is open: %v", err)
	}
	if err := os.WriteFile(msgs[0], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long, refused := strings.Repeat("x", contract.MaxText), ""
	for i := range 200 { // more than a block of the store
		id := fmt.Sprint("r", i)
		if err := c.Request(deadlined(t), "s1", id, prompt(long)); err != nil {
			if f := fault.From(err); f.Type != fault.StorageFailure || f.NextStep() == "" {
				t.Errorf("%s: %v", id, err)
			}
			refused = id
			break
		}
	}
	if refused == "" {
		t.Fatal("nothing was refused")
	}
	if h := b.Health(); h.OK || h.Err == nil {
		t.Errorf("health: %+v", h)
	}
	if err := os.Remove(msgs[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(msgs[0]+".away", msgs[0]); err != nil {
		t.Fatal(err)
	}
	until(t, "the request is stored", func() bool { return c.Request(deadlined(t), "s1", refused, prompt(long)) == nil })
	if h := b.Health(); !h.OK {
		t.Errorf("health: %+v", h)
	}
}
