package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord"
	"belay/internal/discord/record"
	"belay/internal/discord/routing"
	"belay/test/discordtest"
)

// writing has a request run, and waits until the channel shows texts.
func (w *world) writing(r contract.Message, say string, shown ...string) []discordtest.Message {
	w.t.Helper()
	w.agent.signal(r.Session, r.Request, &contract.LifecycleChanged{State: contract.StateRunning, Time: time.Now()})
	w.agent.put(r.Session, r.Request, delta(say))
	return w.shown(shown...)
}

// An answer that is being written can be stopped and steered after /new, and after the
// channel's project changed. What does not reply to it belongs to the new conversation.
func TestAnswerOfAnEarlierConversation(t *testing.T) {
	t.Parallel()
	for _, change := range []string{"new", "project"} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			bound := map[string]record.Binding{}
			w := begin(t, func(o *discord.Options) { o.Channels = bound })
			connect := func(project string) {
				w.down()
				bound[w.channel] = record.Binding{Project: project, Mode: routing.Mention, Deciders: []string{w.ada.ID}}
				w.up()
			}
			connect("/one")
			stop := func() {
				used := w.Command(w.ada, w.channel, "stop", nil)
				w.Wait(t, "the answer", func() bool { return w.Answer(used).Text != "" })
			}
			expect := func(n int, session string, queue contract.Queue) contract.Message {
				t.Helper()
				r := w.agent.requested(n)
				if got := r.Payload.(*contract.RequestMessage).Queue; r.Session != session || got != queue {
					t.Errorf("request %d is %s in %s, not %s in %s", n, got, r.Session, queue, session)
				}
				return r
			}
			w.mention("one")
			first := expect(1, "session-1", contract.QueuePrompt)
			own := w.writing(first, "Hi", "Hi")
			w.recorded(`"sent"`, 1)
			if change == "new" {
				used := w.Command(w.ada, w.channel, "new", nil)
				w.Wait(t, "the answer", func() bool { return w.Answer(used).Text != "" })
			} else {
				connect("/two")
			}
			stop()
			expect(2, "session-1", contract.QueueInterrupt)
			w.Say(w.channel, w.Person("Ben"), w.Mention()+" another thing")
			second := expect(3, "session-2", contract.QueuePrompt)
			w.writing(second, "Ben", "Hi", "Ben")
			w.mention("no, in the other file", w.ReplyTo(own[0].ID))
			expect(4, "session-1", contract.QueueSteer)
			w.mention("and another thing")
			expect(5, "session-2", contract.QueueFollowUp)
			stop()
			expect(6, "session-2", contract.QueueInterrupt)
		})
	}
}

// What a burst says into an answer steers it, whoever wrote the first message of the burst.
func TestSteeringWithinABurst(t *testing.T) {
	t.Parallel()
	bound := map[string]record.Binding{}
	w := begin(t, func(o *discord.Options) { o.Channels, o.Debounce = bound, time.Second })
	w.down()
	bound[w.channel] = record.Binding{Project: "/project", Mode: routing.Active, Deciders: []string{w.ada.ID}}
	w.up()
	w.mention("one")
	w.writing(w.agent.requested(1), "Hi", "Hi")
	w.Say(w.channel, w.Person("Ben"), "ok")
	w.mention("no, the other file")
	if r := w.agent.requested(2); r.Payload.(*contract.RequestMessage).Queue != contract.QueueSteer {
		t.Errorf("the request is %+v", r.Payload)
	}
}

// A channel whose session somebody deleted begins a new one.
func TestDeletedSession(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("one")
	r := w.agent.requested(1)
	w.agent.put(r.Session, r.Request, final("ok"))
	w.shown("ok")
	w.recorded(`"finished"`, 1)
	w.agent.mu.Lock()
	w.agent.deleted = r.Session
	w.agent.mu.Unlock()
	w.mention("two")
	if again := w.agent.requested(2); again.Session == r.Session {
		t.Errorf("the request went to %s", again.Session)
	}
}

// Where the message for the bot is deleted before it is passed on, by its author or with others
// by a moderator, what was written beside it is not answered.
func TestDeletedFromABurst(t *testing.T) {
	t.Parallel()
	for _, many := range []bool{false, true} {
		t.Run(fmt.Sprint(many), func(t *testing.T) {
			t.Parallel()
			w := start(t, func(o *discord.Options) { o.Debounce = 2 * time.Second })
			m := w.mention("do the thing")
			other := w.Say(w.channel, w.Person("Ben"), "yes")
			w.Say(w.channel, w.ada, "lunch at noon, Ben?")
			w.recorded("lunch", 1)
			if many {
				w.DeleteMany(w.channel, m.ID, other.ID)
			} else {
				w.Delete(w.channel, m.ID)
			}
			w.recorded(`"finished"`, 1)
			w.mention("another thing")
			if r := w.agent.requested(1); strings.Contains(text(r), "lunch") || strings.Contains(text(r), "do the thing") {
				t.Errorf("the request is %q", text(r))
			}
		})
	}
}
