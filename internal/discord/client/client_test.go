package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"belay/internal/discord/client"
	"belay/internal/discord/message"
	"belay/test/discordtest"
)

// patience bounds every wait; only a failure reaches it.
const patience = 5 * time.Minute

func start(t *testing.T, o discordtest.Options) (*discordtest.Server, *client.Client, string) {
	t.Helper()
	s := discordtest.New(t, o)
	c, err := client.New(s.Token, client.Options{API: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return s, c, s.AddChannel(s.AddGuild("guild", 0), "general")
}

func upload(name string, data []byte) client.Upload {
	return client.Upload{Name: name, Size: int64(len(data)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	s, c, channel := start(t, discordtest.Options{})
	ctx := t.Context()
	asked := s.Say(channel, s.Person("ada"), "hi")
	m, err := c.Send(ctx, channel, client.NewMessage{
		Text: "@everyone <@" + asked.Author.ID + "> see", ReplyTo: asked.ID, Nonce: "n1",
		Files:   []client.Upload{upload("a.txt", []byte("one")), upload("ü.txt", []byte("two"))},
		Buttons: []client.Button{{ID: "yes", Label: "Yes", Style: client.Primary}},
	})
	if err != nil || m.ReplyTo != asked.ID || len(m.Attachments) != 2 || m.Attachments[1].Filename != "ü.txt" {
		t.Fatalf("sent %+v: %v", m, err)
	}
	got := s.Own(channel)[0]
	if string(s.File(t, got.Attachments[0])) != "one" || string(s.File(t, got.Attachments[1])) != "two" {
		t.Error("the files are others")
	}
	if len(got.Pinged) > 0 {
		t.Errorf("%v were notified", got.Pinged)
	}
	if again, err := c.Send(ctx, channel, client.NewMessage{Text: "other", Nonce: "n1"}); err != nil || again.ID != m.ID {
		t.Errorf("the nonce made %s, not %s: %v", again.ID, m.ID, err)
	}
	text, none := "edited", []client.Button{}
	if err := c.Edit(ctx, channel, m.ID, client.Change{Text: &text, Buttons: &none}); err != nil {
		t.Error(err)
	}
	if got := s.Own(channel)[0]; got.Content != "edited" || len(got.Attachments) != 2 || len(got.Components) != 0 {
		t.Errorf("edited to %+v", got)
	}
	if err := c.React(ctx, channel, asked.ID, "✏️"); err != nil || s.Messages(channel)[0].Reactions[0] != "✏️" {
		t.Errorf("reaction: %v", err)
	}
	if err := c.Typing(ctx, channel); err != nil {
		t.Error(err)
	}
	if m, err := c.Message(ctx, channel, asked.ID); err != nil || m.Text != "hi" || m.Author.Name != "ada" || m.Kind != message.Plain {
		t.Errorf("read %+v: %v", m, err)
	}
	s.Delete(channel, asked.ID)
	if m, err := c.Send(ctx, channel, client.NewMessage{Text: "late", ReplyTo: asked.ID}); err != nil || m.ReplyTo != "" {
		t.Errorf("a reply to nothing: %+v %v", m, err)
	}
	all, err := c.After(ctx, channel, asked.ID)
	if err != nil || len(all) != 2 || all[1].Text != "late" {
		t.Errorf("after: %+v %v", all, err)
	}
	if err := c.Delete(ctx, channel, m.ID); err != nil || len(s.Own(channel)) != 1 {
		t.Errorf("delete: %v", err)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	s, c, channel := start(t, discordtest.Options{Rate: 100, Per: time.Second})
	send := func(m client.NewMessage) error {
		_, err := c.Send(t.Context(), channel, m)
		return err
	}
	check := func(what string, err error, want client.Kind) {
		t.Helper()
		if client.KindOf(err) != want || err == nil || strings.Contains(err.Error(), s.Token) {
			t.Errorf("%s: %v is of kind %d, want %d", what, err, client.KindOf(err), want)
		}
	}
	check("nothing", send(client.NewMessage{}), client.Refused)
	check("a large file", send(client.NewMessage{Files: []client.Upload{upload("a", make([]byte, 10<<20+1))}}), client.TooLarge)
	check("no message", c.Delete(t.Context(), channel, "1"), client.Gone)
	check("no channel", c.Delete(t.Context(), "2", "1"), client.Lost)
	check("no id", c.Delete(t.Context(), "x", "1"), client.Refused)
	short := upload("a", []byte("abc"))
	short.Size = 5
	check("a file that shrank", send(client.NewMessage{Files: []client.Upload{short}}), client.Temporary)
	s.Wait(t, "the broken request", func() bool { return len(s.Calls("POST", "")) == 3 })
	s.Script(discordtest.Rule{Path: "/messages", Status: 503})
	check("overloaded", send(client.NewMessage{Text: "x"}), client.Temporary)
	s.Script(discordtest.Rule{Path: "/messages", Cut: true})
	check("a broken connection", send(client.NewMessage{Text: "x"}), client.Temporary)
	s.Forbid(channel, true)
	check("forbidden", send(client.NewMessage{Text: "x"}), client.Lost)
	s.Revoke()
	check("revoked", send(client.NewMessage{Text: "x"}), client.Revoked)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Send(ctx, channel, client.NewMessage{Text: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := client.New("not a token", client.Options{}); client.KindOf(err) != client.Revoked {
		t.Errorf("no token: %v", err)
	}
}

// A 429 is waited for, also from a server that names no bucket.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	s, c, channel := start(t, discordtest.Options{Rate: 100, Per: time.Second})
	s.Script(discordtest.Rule{Method: "POST", Path: "/messages", Status: 429, RetryAfter: time.Second})
	began := time.Now()
	if _, err := c.Send(t.Context(), channel, client.NewMessage{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(began); waited < time.Second || len(s.Calls("POST", "/messages")) != 2 {
		t.Errorf("%d calls within %v", len(s.Calls("POST", "/messages")), waited)
	}
}

// A ban that is longer than a call may take is waited for, not called again at once: the call
// ends with its time.
func TestLongRateLimit(t *testing.T) {
	t.Parallel()
	s, c, channel := start(t, discordtest.Options{Rate: 100, Per: time.Second})
	s.Script(discordtest.Rule{Method: "POST", Path: "/messages", Status: 429, RetryAfter: 3 * time.Hour, Times: 100})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if _, err := c.Send(ctx, channel, client.NewMessage{Text: "x"}); err == nil || len(s.Calls("POST", "/messages")) != 1 {
		t.Errorf("%d calls, %v", len(s.Calls("POST", "/messages")), err)
	}
}

// zeros is a file that is in no memory.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	clear(p[:n])
	z.left -= n
	return int(n), nil
}
func (*zeros) Close() error { return nil }

// Files are streamed: sending 20 MiB takes no memory of that size. The fake keeps the
// file, so what is counted is the client's part alone: the body is refused unread.
func TestUploadMemory(t *testing.T) {
	s, c, channel := start(t, discordtest.Options{Rate: 100, Per: time.Second})
	const size = 20 << 20
	file := client.Upload{Name: "a", Size: size, Open: func() (io.ReadCloser, error) { return &zeros{size}, nil }}
	var before, after runtime.MemStats
	s.Unread(true)
	runtime.ReadMemStats(&before)
	_, err := c.Send(t.Context(), channel, client.NewMessage{Files: []client.Upload{file}})
	runtime.ReadMemStats(&after)
	if client.KindOf(err) != client.TooLarge {
		t.Errorf("got %v", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("sending took %d KiB", used>>10)
	}
}

// watch receives events into a channel.
func watch(t *testing.T, c *client.Client) (<-chan client.Event, func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	events, ended := make(chan client.Event, 100), make(chan error, 1)
	go func() { ended <- c.Connect(ctx, func(e client.Event) { events <- e }) }()
	t.Cleanup(cancel)
	return events, func() error {
		select {
		case err := <-ended:
			return err
		case <-time.After(patience):
			return errors.New("it goes on")
		}
	}
}

func next(t *testing.T, events <-chan client.Event, is func(client.Event) bool) client.Event {
	t.Helper()
	for deadline := time.After(patience); ; {
		select {
		case e := <-events:
			if is(e) {
				return e
			}
		case <-deadline:
			t.Fatal("the event did not come")
		}
	}
}

func created(text string) func(client.Event) bool {
	return func(e client.Event) bool { return e.Created != nil && e.Created.Text == text }
}

func TestGateway(t *testing.T) {
	t.Parallel()
	s, c, channel := start(t, discordtest.Options{})
	thread := s.AddThread(channel, "thread")
	number, err := strconv.ParseUint(thread, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	ada := s.Person("ada")
	direct := s.AddDirect(ada)
	events, end := watch(t, c)
	if e := next(t, events, func(e client.Event) bool { return e.Ready != nil }); e.Ready.ID != s.Bot.ID {
		t.Errorf("the bot is %+v", e.Ready)
	}
	if e := next(t, events, func(e client.Event) bool { return e.Guild != nil }); len(e.Guild.Threads) != 1 || e.Guild.Threads[0] != (client.Thread{ID: thread, Parent: channel, Before: strconv.FormatUint(number-1, 10)}) {
		t.Errorf("the server is %+v", e.Guild)
	}
	first := s.Say(channel, ada, "one", s.With("a.png", "image/png", []byte("x")))
	if e := next(t, events, created("one")); e.Created.Guild == "" || e.Created.Attachments[0].MimeType != "image/png" {
		t.Errorf("got %+v", e.Created)
	}
	if s.Say(direct, ada, "two"); next(t, events, created("two")).Created.Guild != "" {
		t.Error("a direct message has a server")
	}
	// What happens while the connection is lost comes when it is resumed.
	s.Gateway.Shut(true)
	s.Gateway.Drop()
	s.Wait(t, "the end of the connection", func() bool { return !s.Gateway.Connected() })
	s.Edit(channel, first.ID, "one!")
	s.Say(channel, ada, "three", s.ReplyTo(first.ID))
	s.Gateway.Shut(false)
	if e := next(t, events, func(e client.Event) bool { return e.Edited != nil }); e.Edited.Text != "one!" {
		t.Errorf("edited: %+v", e.Edited)
	}
	if e := next(t, events, created("three")); e.Created.ReplyTo != first.ID || e.Created.ReplyAuthor != ada.ID || e.Created.Kind != message.Reply {
		t.Errorf("reply: %+v", e.Created)
	}
	// A session that Discord forgot begins anew.
	s.Gateway.Forget()
	s.Gateway.Reconnect()
	next(t, events, func(e client.Event) bool { return e.Ready != nil })
	if s.Gateway.Sessions() != 2 {
		t.Errorf("%d sessions", s.Gateway.Sessions())
	}
	s.Delete(channel, first.ID)
	next(t, events, func(e client.Event) bool { return len(e.Deleted) == 1 && e.Deleted[0].ID == first.ID })
	s.Revoke()
	s.Gateway.CloseWith(4004)
	if err := end(); client.KindOf(err) != client.Revoked {
		t.Errorf("ended with %v", err)
	}
}

func TestNoContent(t *testing.T) {
	t.Parallel()
	_, c, _ := start(t, discordtest.Options{NoContent: true})
	_, end := watch(t, c)
	if err := end(); client.KindOf(err) != client.Refused || !strings.Contains(err.Error(), "Message Content Intent") {
		t.Errorf("ended with %v", err)
	}
}

func TestInteractions(t *testing.T) {
	t.Parallel()
	s, c, channel := start(t, discordtest.Options{Rate: 100, Per: time.Second})
	ctx, ada := t.Context(), s.Person("ada")
	events, _ := watch(t, c)
	next(t, events, func(e client.Event) bool { return e.Guild != nil })
	if err := c.SetCommands(ctx, []client.Command{{Name: "link", About: "Connects this channel.", Option: "code", OptionAbout: "The code.", Required: true}}); err != nil {
		t.Fatal(err)
	}
	m, err := c.Send(ctx, channel, client.NewMessage{Text: "?", Buttons: []client.Button{{ID: "yes", Label: "Yes", Style: client.Primary}}})
	if err != nil {
		t.Fatal(err)
	}
	interaction := func(is func(in client.Interaction) bool) client.Interaction {
		return *next(t, events, func(e client.Event) bool { return e.Interaction != nil && is(*e.Interaction) }).Interaction
	}
	used := s.Command(ada, channel, "link", map[string]string{"code": "ABC"})
	in := interaction(func(in client.Interaction) bool { return in.Command == "link" })
	if in.Values["code"] != "ABC" || in.Who.ID != ada.ID || in.Channel != channel || in.Guild == "" {
		t.Errorf("command: %+v", in)
	}
	if err := c.Tell(ctx, in, "done"); err != nil || s.Answer(used).Text != "done" || !s.Answer(used).Private {
		t.Errorf("told %+v: %v", s.Answer(used), err)
	}
	if err := c.Tell(ctx, in, "again"); client.KindOf(err) != client.Gone {
		t.Errorf("answered twice: %v", err)
	}
	pressed := s.Press(ada, channel, m.ID, "yes")
	in = interaction(func(in client.Interaction) bool { return in.Button == "yes" })
	if err := c.Defer(ctx, in, false); err != nil || in.Message != m.ID || s.Answer(pressed).Type != 6 {
		t.Errorf("deferred %+v: %v", s.Answer(pressed), err)
	}
	if err := c.Whisper(ctx, in, "not you"); err != nil || s.Answer(pressed).Text != "not you" {
		t.Errorf("whispered %+v: %v", s.Answer(pressed), err)
	}
	pressed = s.Press(ada, channel, m.ID, "yes")
	in = interaction(func(in client.Interaction) bool { return in.Button == "yes" })
	if err := c.Ask(ctx, in, "form", "Why?", "Note", "note"); err != nil || s.Answer(pressed).Type != 9 {
		t.Errorf("asked %+v: %v", s.Answer(pressed), err)
	}
	s.Submit(ada, channel, m.ID, "form", map[string]string{"note": "because"})
	if in = interaction(func(in client.Interaction) bool { return in.Form == "form" }); in.Values["note"] != "because" || in.Message != m.ID {
		t.Errorf("form: %+v", in)
	}
	used = s.Command(ada, channel, "status", nil)
	in = interaction(func(in client.Interaction) bool { return in.Command == "status" })
	if err := errors.Join(c.Defer(ctx, in, true), c.Later(ctx, in, "fine")); err != nil || s.Answer(used).Text != "fine" {
		t.Errorf("later %+v: %v", s.Answer(used), err)
	}
}

// The library's log lines have no addresses, which hold tokens, and no bodies.
func TestLog(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t, discordtest.Options{})
	var log bytes.Buffer
	c, err := client.New(s.Token, client.Options{API: s.URL, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	s.Revoke()
	if _, err := c.Send(t.Context(), "1", client.NewMessage{Text: "secret words"}); err == nil {
		t.Error("it was sent")
	}
	if strings.Contains(log.String(), s.Token) || strings.Contains(log.String(), "secret words") || strings.Contains(c.Invite(), s.Token) {
		t.Errorf("the log has secrets:\n%s", log.String())
	}
}
