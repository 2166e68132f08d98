package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/discord/message"
	"belay/internal/discord/output"
	"belay/internal/durable"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func channel(t *testing.T, s *Store, id string) *Channel {
	t.Helper()
	c, err := s.Channel(id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// fill writes one of everything.
func fill(t *testing.T, c *Channel) {
	t.Helper()
	must(t,
		c.SetSession("s1", "/p"), c.SetSession("s2", "/q"), c.SetPersona("WRITER"), c.Begin("5"), c.Begin("6"),
		c.See(message.Message{ID: "10", Text: "one", ReplyTo: "9"}, true, true),
		c.See(message.Message{ID: "11", Text: "two"}, true, true),
		c.See(message.Message{ID: "12", Text: "three"}, true, true),
		c.See(message.Message{ID: "13", Text: "context"}, false, false),
		c.See(message.Message{ID: "10", Text: "one!", Edited: true}, false, false),
		c.Accept(Request{ID: "r1", Session: "s2", Messages: []string{"10"}, Text: "one!"}),
		c.Sent("r1", output.Message{Key: "t0", ID: "20"}),
		c.Sent("r1", output.Message{Key: "t0", ID: "21", Files: []string{"f"}}),
		c.Anchored("r1", Anchor{ID: "a", After: 3, AtOnce: true, ReplyTo: "11"}),
		c.Accept(Request{ID: "r2", Session: "s2", Messages: []string{"11"}}),
		c.Finish("r2"),
		c.Ask("q", func(q *Question) { q.Message = "30" }), c.Ask("q", func(q *Question) { q.Closed = true }),
	)
}

func check(t *testing.T, c *Channel) {
	t.Helper()
	var wanting []string
	for _, m := range c.Wanting() {
		wanting = append(wanting, m.ID)
	}
	if diff := cmp.Diff([]string{"12"}, wanting); diff != "" {
		t.Errorf("wanting (-want +got):\n%s", diff)
	}
	want := []Request{{ID: "r1", Session: "s2", Messages: []string{"10"}, Text: "one!", Sent: []output.Message{{Key: "t0", ID: "21", Files: []string{"f"}}},
		Anchors: []Anchor{{ID: "a", After: 3, AtOnce: true, ReplyTo: "11"}}}}
	if diff := cmp.Diff(want, c.Open()); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	if m, ok := c.Message("10"); !ok || m.Text != "one!" || m.ReplyTo != "9" || !m.Edited {
		t.Errorf("the edited message is %+v", m)
	}
	q, _ := c.Question("q")
	if c.Session() != "s2" || !c.Had("s1") || c.Had("s3") || c.Persona() != "WRITER" || !q.Closed || c.state.last != "13" || c.Since() != "5" || !c.Handled("11") || c.Handled("13") {
		t.Errorf("session %q, persona %q, question %+v, last %q", c.Session(), c.Persona(), q, c.state.last)
	}
}

func TestChannel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	c := channel(t, s, "7")
	fill(t, c)
	check(t, c)
	must(t, s.Close())
	s = open(t, dir)
	c = channel(t, s, "7")
	check(t, c)
	if ids, err := s.Known(); err != nil || len(ids) != 1 || ids[0] != "7" {
		t.Errorf("known %v: %v", ids, err)
	}
	// The beginning of an absence stays until it was read to its end, also where newer
	// messages came.
	missing := func(want string) {
		t.Helper()
		if got, err := c.Missing(); err != nil || got != want {
			t.Errorf("missing after %q, want %q: %v", got, want, err)
		}
	}
	missing("13")
	must(t, c.See(message.Message{ID: "14", Channel: "7"}, false, false))
	missing("13")
	must(t, s.Close())
	s = open(t, dir)
	c = channel(t, s, "7")
	missing("13")
	must(t, c.Complete())
	missing("14")
	must(t, c.Complete())
	must(t, c.Forget())
	if c.Session() != "" || !c.Had("s2") {
		t.Error("a forgotten session is the channel's no more, but was")
	}
}

// A file that grew long is written again, and says the same.
func TestRewrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	c := channel(t, s, "7")
	for range 5 {
		must(t, c.See(message.Message{ID: "1", Text: strings.Repeat("x", 1<<20)}, false, false))
	}
	must(t, c.See(message.Message{ID: "1", Text: "short"}, false, false))
	fill(t, c)
	must(t, s.Close())
	c = channel(t, open(t, dir), "7")
	check(t, c)
	info, err := os.Stat(filepath.Join(dir, channelFile("7")))
	if err != nil || info.Size() > 1<<16 {
		t.Errorf("the file has %d bytes: %v", info.Size(), err)
	}
}

// Only the last messages are remembered, but those that wait for an answer all are.
func TestManyMessages(t *testing.T) {
	t.Parallel()
	s := newState()
	for i := range 3 * keptMessages {
		s.apply(line{Message: &message.Message{ID: time.Unix(int64(1e9+i), 0).Format("150405") + strings.Repeat("0", i%2)}, Wants: i == 2*keptMessages})
	}
	if len(s.messages) > keptMessages+1 || len(s.wanting) != 1 || len(s.handled) > keptMessages+1 {
		t.Errorf("%d messages, %d wanting, %d handled", len(s.messages), len(s.wanting), len(s.handled))
	}
	// One that its author deletes waits no more, and holds up nothing.
	s.apply(line{Message: &message.Message{ID: s.wanting[0], Deleted: true}})
	if len(s.messages) > keptMessages || len(s.wanting) != 0 {
		t.Errorf("after the deletion: %d messages, %d wanting", len(s.messages), len(s.wanting))
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	fill(t, channel(t, s, "7"))
	if _, err := Open(dir); !errors.Is(err, ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	for _, id := range []string{"", "..", "7/8", "x", strings.Repeat("1", 30)} {
		if _, err := s.Channel(id); err == nil {
			t.Errorf("%q is a channel", id)
		}
	}
	must(t, s.Close())
	path := filepath.Join(dir, channelFile("7"))
	data, err := os.ReadFile(path)
	must(t, err, os.WriteFile(path, append(data, "{\"v\":1,\"mess\x00\n{\"v\":1,\"accepted\":{\"id\":\"torn"...), 0o600))
	s = open(t, dir)
	check(t, channel(t, s, "7"))
	must(t, s.Close(), os.WriteFile(path, []byte("{\"v\":2}\n"), 0o600))
	var newer *durable.NewerError
	if _, err := open(t, dir).Channel("7"); !errors.As(err, &newer) {
		t.Errorf("a newer file: %v", err)
	}
}

func TestBindings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	b := Binding{Guild: "1", Project: "/p", Mode: "mention", Deciders: []string{"2"}}
	must(t, s.Bind("7", b), s.Close())
	s = open(t, dir)
	if diff := cmp.Diff(map[string]Binding{"7": b}, s.Bindings()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	must(t, s.Close(), os.WriteFile(filepath.Join(dir, fileBindings), []byte("{"), 0o600))
	if _, err := Open(dir); err == nil {
		t.Error("damaged bindings are read")
	}
}

// Messages that wait as a part of one for the bot go on from it where a request has it, and not
// where it was deleted or waits as well.
func TestContinues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	for id, before := range map[string]func(c *Channel) error{
		"1": func(c *Channel) error { return c.Accept(Request{ID: "r", Messages: []string{"10"}}) },
		"2": func(c *Channel) error { return c.See(message.Message{ID: "10", Deleted: true}, false, false) },
		"3": func(*Channel) error { return nil },
	} {
		c := channel(t, s, id)
		must(t, c.See(message.Message{ID: "10"}, true, true), c.See(message.Message{ID: "11"}, true, false), before(c))
	}
	must(t, s.Close())
	s = open(t, dir)
	for id, want := range map[string]bool{"1": true, "2": false, "3": false, "4": false} {
		if got := channel(t, s, id).Continues(); got != want {
			t.Errorf("%s continues: %v", id, got)
		}
	}
}

// A request that is dismissed is at no time an open one.
func TestDismiss(t *testing.T) {
	t.Parallel()
	c := channel(t, open(t, t.TempDir()), "7")
	var seen atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				seen.Add(int64(len(c.Open())))
			}
		}
	}()
	for n := range 50 {
		id := fmt.Sprint(n + 10)
		must(t, c.See(message.Message{ID: id}, true, true), c.Dismiss(Request{ID: "r" + id, Messages: []string{id}}))
	}
	close(stop)
	<-stopped
	if seen.Load() > 0 || len(c.Wanting()) > 0 || !c.Handled("10") {
		t.Errorf("it was open %d times, %d messages wait", seen.Load(), len(c.Wanting()))
	}
}
