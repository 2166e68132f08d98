package discord_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord"
	"belay/internal/discord/record"
	"belay/internal/discord/routing"
	"belay/test/discordtest"
)

// file is the name of the record of a channel.
func (w *world) file(channel string) string {
	return filepath.Join(w.dir, "channels", channel+".jsonl")
}

// gone reports whether a channel has no record.
func (w *world) gone(channel string) bool {
	_, err := os.Stat(w.file(channel))
	return os.IsNotExist(err)
}

// A record that cannot be read costs its channel alone.
func TestBadRecord(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.down()
	if err := os.WriteFile(w.file("999"), []byte(`{"v":2,"since":"1"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.up()
	w.mention("hello")
	w.agent.requested(1)
	w.down()
	if !strings.Contains(w.log.String(), "channel=999") {
		t.Errorf("the log says nothing of it: %s", w.log)
	}
}

// A channel that is not connected any more is forgotten: what waited there is not passed on.
func TestDisconnectedChannel(t *testing.T) {
	t.Parallel()
	bound := map[string]record.Binding{}
	w := begin(t, func(o *discord.Options) { o.Channels = bound })
	other := w.AddChannel(w.guild, "other")
	w.down()
	for _, id := range []string{w.channel, other} {
		bound[id] = record.Binding{Project: "/project", Mode: routing.Mention, Deciders: []string{w.ada.ID}}
	}
	w.up()
	w.mention("one")
	w.agent.requested(1)
	w.agent.setDown(true)
	w.mention("two")
	w.recorded("accepted", 2)
	w.down()
	delete(bound, w.channel)
	w.agent.setDown(false)
	w.up()
	w.Say(other, w.ada, w.Mention()+" three")
	if r := w.agent.requested(2); !strings.Contains(text(r), "three") || !w.gone(w.channel) {
		t.Errorf("the request is %q, and the record is gone: %v", text(r), w.gone(w.channel))
	}
}

// Many threads keep no files open. Those in which nothing is new are not read after a restart.
func TestManyThreads(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	const count = 30
	var threads []string
	for range count {
		thread := w.AddThread(w.channel, "thread")
		w.Say(thread, w.ada, "between us")
		threads = append(threads, thread)
	}
	for _, thread := range threads {
		for end := time.Now().Add(patience); w.gone(thread) && time.Now().Before(end); time.Sleep(time.Millisecond) {
		}
		if open := opened(t, w.file(thread)); open > 0 {
			t.Errorf("the file of a thread is open %d times", open)
		}
	}
	w.down()
	said := threads[3]
	w.Say(said, w.ada, w.Mention()+" something new")
	before := len(w.Calls("GET", "/messages"))
	w.up()
	if r := w.agent.requested(1); !strings.Contains(r.Request, said) {
		t.Errorf("the request is %s", r.Request)
	}
	if n := len(w.Calls("GET", "/messages")) - before; n > 4 {
		t.Errorf("%d lists of messages were read", n)
	}
}

// A channel that was deleted in Discord is forgotten, also where belay was away then.
func TestDeletedChannel(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.Say(w.channel, w.ada, "between us")
	w.recorded("between us", 1)
	thread := w.AddThread(w.channel, "thread")
	other := w.AddThread(w.channel, "other")
	w.Say(thread, w.ada, "between us")
	w.Say(other, w.ada, "between us")
	forgotten := func(channel string, is bool) {
		t.Helper()
		for end := time.Now().Add(patience); w.gone(channel) != is; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the record is gone: %v", !is)
			}
		}
	}
	forgotten(other, false)
	w.RemoveChannel(thread)
	forgotten(thread, true)
	w.down()
	w.RemoveChannel(w.channel)
	w.up()
	forgotten(w.channel, true)
}

// disconnected waits until no channel is connected.
func (w *world) disconnected() {
	w.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		data, err := os.ReadFile(filepath.Join(w.dir, "bindings.json"))
		if err == nil && strings.Contains(string(data), `"channels": {}`) {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("%s, %v", data, err)
		}
	}
}

// A channel that /link connected and that was deleted in Discord is not connected any more, also
// where belay was away and has nothing on record of the channel.
func TestDeletedChannelIsDisconnected(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.RemoveChannel(w.channel)
	w.disconnected()
	for _, unknown := range []bool{false, true} {
		w.down()
		w.channel = w.AddChannel(w.guild, "next")
		w.up()
		w.link()
		w.down()
		w.RemoveChannel(w.channel)
		if unknown {
			if err := os.Remove(w.file(w.channel)); err != nil {
				t.Fatal(err)
			}
		}
		w.up()
		w.disconnected()
	}
}

// A channel stays connected while Discord does not have its server: it is not deleted.
func TestChannelOfAServerThatIsAway(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	for i, unknown := range []bool{false, true} {
		w.down()
		if unknown {
			if err := os.Remove(w.file(w.channel)); err != nil {
				t.Fatal(err)
			}
		}
		w.HideGuild(w.guild, true)
		w.up()
		w.Wait(t, "the look", func() bool { return len(w.Calls("GET", "/guilds/")) == i+1 })
		w.down()
		w.HideGuild(w.guild, false)
		w.up()
		w.mention("hello")
		w.agent.requested(i + 1)
	}
}

// A channel of the settings that Discord does not have is in the log.
func TestUnknownChannelOfTheSettings(t *testing.T) {
	t.Parallel()
	w := begin(t, func(o *discord.Options) {
		o.Channels = map[string]record.Binding{"4711": {Project: "/project", Mode: routing.Mention}}
	})
	w.down()
	if !strings.Contains(w.log.String(), "channel=4711") {
		t.Errorf("the log says nothing of it: %s", w.log)
	}
}

// A channel that was deleted in Discord while an answer was under way is forgotten when that ends.
func TestDeletedChannelWithAnAnswer(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	thread := w.AddThread(w.channel, "thread")
	w.Say(thread, w.ada, w.Mention()+" go")
	r := w.agent.requested(1)
	w.agent.put(r.Session, r.Request, delta("Half"))
	w.Wait(t, "the beginning", func() bool { return len(w.Own(thread)) == 1 })
	w.RemoveChannel(thread)
	w.mention("another thing") // its request comes after the end of the thread
	w.agent.requested(2)
	if w.gone(thread) {
		t.Error("the record of an answer under way is gone")
	}
	w.agent.put(r.Session, r.Request, final("Half and the rest"))
	for end := time.Now().Add(patience); !w.gone(thread); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the record of the thread stays")
		}
	}
}

// A message that waits to be passed on when its channel is deleted is not answered, and nothing of
// the channel is recorded any more.
func TestDeletedChannelWithAMessage(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	thread := w.AddThread(w.channel, "thread")
	w.agent.setDown(true)
	w.Say(thread, w.ada, w.Mention()+" go")
	w.Wait(t, "the note", func() bool { return len(w.Own(thread)) == 1 })
	w.RemoveChannel(thread)
	until := func(what string, done func() bool) {
		t.Helper()
		for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s does not happen", what)
			}
		}
	}
	until("the end of the record", func() bool { return w.gone(thread) })
	w.agent.setDown(false)
	until("the session", func() bool {
		w.agent.mu.Lock()
		defer w.agent.mu.Unlock()
		return w.agent.sessions == 1
	})
	w.down()
	w.agent.mu.Lock()
	defer w.agent.mu.Unlock()
	if !w.gone(thread) || len(w.agent.requests) > 0 {
		t.Errorf("the record is gone: %v; %d requests", w.gone(thread), len(w.agent.requests))
	}
}

// opened is how often this process has a file open just now; it looks some times, because a
// file is open while something is added.
func opened(t *testing.T, name string) (n int) {
	t.Helper()
	for range 20 {
		n = 0
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return 0 // another system
		}
		for _, e := range all {
			if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && to == name {
				n++
			}
		}
		if n == 0 {
			return 0
		}
		time.Sleep(10 * time.Millisecond)
	}
	return n
}

// In a server that the settings do not name, a code for /link is not used up, and nothing is
// kept of what people say there, also where the settings connect the channel.
func TestOtherServer(t *testing.T) {
	t.Parallel()
	bound := map[string]record.Binding{}
	var guild string
	w := begin(t, func(o *discord.Options) {
		o.Channels = bound
		if guild != "" {
			o.Guilds = []string{guild}
		}
	})
	w.down()
	guild = w.AddGuild("ours", 0)
	bound[w.channel] = record.Binding{Project: "/project", Mode: routing.Active, Deciders: []string{w.ada.ID}}
	ours, theirs := w.AddChannel(guild, "general"), w.AddChannel(w.guild, "other")
	w.up()
	w.Say(w.channel, w.ada, "secret talk")
	refused := w.Command(w.ada, theirs, "link", map[string]string{"code": w.code})
	w.Wait(t, "the refusal", func() bool { return strings.Contains(w.Answer(refused).Text, "discord.guilds") })
	used := w.Command(w.ada, ours, "link", map[string]string{"code": w.code})
	w.Wait(t, "the link", func() bool { return strings.Contains(w.Answer(used).Text, "is connected") })
	w.Say(ours, w.ada, w.Mention()+" hello")
	w.agent.requested(1)
	data, _ := os.ReadFile(w.file(w.channel))
	w.agent.mu.Lock()
	defer w.agent.mu.Unlock()
	for _, seen := range w.agent.seen {
		if m, ok := seen.(*contract.AdapterMessageCreated); ok && m.ChannelID == w.channel {
			t.Error("the message is on the bus")
		}
	}
	if strings.Contains(string(data), "secret talk") {
		t.Error("the message is on record")
	}
}

// Commands that could not be set are set later.
func TestCommandsAreSetLater(t *testing.T) {
	t.Parallel()
	w := begin(t, nil)
	w.down()
	before := len(w.Calls("PUT", "/commands"))
	w.Script(discordtest.Rule{Method: "PUT", Path: "/commands", Status: 500, Times: 2})
	w.up()
	w.Wait(t, "the commands", func() bool {
		calls := w.Calls("PUT", "/commands")
		return len(calls) == before+3 && calls[before+2].Status == 200
	})
}
