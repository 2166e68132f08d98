package discord_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord"
	"belay/internal/discord/record"
	"belay/internal/discord/routing"
	"belay/test/discordtest"
)

// A call of Discord that takes longer than an answer waits for its end loses nothing of it: the
// output has come meanwhile.
func TestASlowDiscordLosesNoEnd(t *testing.T) {
	t.Parallel()
	for n := range 6 { // without a rule the outcome would be one of two, by chance
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			w := start(t, nil)
			w.mention("go")
			r := w.agent.requested(1)
			w.agent.put(r.Session, r.Request, delta("Half"))
			w.shown("Half")
			var slow sync.Once
			editing := make(chan struct{})
			w.Watch(func(r *http.Request) {
				if r.Method == http.MethodPatch {
					slow.Do(func() {
						close(editing)
						time.Sleep(11 * time.Second)
					})
				}
			})
			w.agent.signal(r.Session, r.Request, &contract.LifecycleChanged{State: contract.StateResolved, TurnID: "t", Time: time.Now()})
			time.Sleep(200 * time.Millisecond) // the signal is there before the next call of Discord
			w.agent.put(r.Session, r.Request, delta(" and"))
			<-editing
			w.agent.put(r.Session, r.Request, delta(" more"), final("Half and more, to the end."))
			w.shown("Half and more, to the end.")
		})
	}
}

// What was added to a turn that another surface began has no answer here, and is marked as taken.
func TestSteeringTheTurnOfAnotherSurface(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("go")
	r := w.agent.requested(1)
	w.agent.put(r.Session, r.Request, delta("Working"))
	own := w.shown("Working")
	steer := w.mention("no, left", w.ReplyTo(own[0].ID))
	second := w.agent.requested(2)
	w.agent.signal(r.Session, second.Request, &contract.LifecycleChanged{State: contract.StateResolved, Time: time.Now()})
	w.Wait(t, "the mark", func() bool {
		for _, m := range w.Messages(w.channel) {
			if m.ID == steer.ID {
				return slices.Contains(m.Reactions, "✅")
			}
		}
		return false
	})
	w.agent.put(r.Session, r.Request, final("Left."))
	w.shown("Left.")
}

// Two different notes to one message are both there.
func TestTwoNotesToOneMessage(t *testing.T) {
	t.Parallel()
	w := start(t, func(o *discord.Options) { o.Debounce = time.Second })
	w.mention("one")
	r := w.agent.requested(1)
	w.agent.put(r.Session, r.Request, final("ok"))
	w.shown("ok")
	w.agent.setDown(true)
	// More files than a request takes, while the bus takes no request.
	files := func(m *discordtest.Message) {
		for i := range 101 {
			w.With(fmt.Sprintf("%s-%d.md", m.ID, i), "text/markdown", []byte("x"))(m)
		}
	}
	w.mention("many files", files)
	m := w.mention("and more", files)
	notes := func(text string) int {
		n := 0
		for _, own := range w.Own(w.channel) {
			if own.Reference != nil && own.Reference.MessageID == m.ID && strings.Contains(own.Content, text) {
				n++
			}
		}
		return n
	}
	w.Wait(t, "both notes", func() bool { return notes("More files came") == 1 && notes("cannot pass this message on") == 1 })
	w.agent.setDown(false)
}

// A channel that is linked to another project begins a conversation there.
func TestAnotherProjectBeginsAnew(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ask := func(text string, n int) contract.Message {
		t.Helper()
		w.mention(text)
		r := w.agent.requested(n)
		w.agent.put(r.Session, r.Request, final("ok"))
		w.Wait(t, "the answer", func() bool { return len(w.Own(w.channel)) == n })
		return r
	}
	first := ask("one", 1)
	restart := func(change func(*discord.Options)) {
		w.down()
		w.change = change
		w.up()
	}
	restart(nil)
	if again := ask("two", 2); again.Session != first.Session {
		t.Errorf("the same project has the sessions %s and %s", first.Session, again.Session)
	}
	restart(func(o *discord.Options) { o.Project = "/other" })
	w.link()
	linked := ask("three", 3)
	if linked.Session == first.Session {
		t.Error("after /link the old conversation goes on")
	}
	restart(func(o *discord.Options) {
		o.Channels = map[string]record.Binding{w.channel: {Project: "/third", Mode: routing.Mention, Deciders: []string{w.ada.ID}}}
	})
	if third := ask("four", 4); third.Session == linked.Session {
		t.Error("with other settings the old conversation goes on")
	}
	// The settings win, and the code stays good for another channel.
	it := w.Command(w.ada, w.channel, "link", map[string]string{"code": w.code})
	w.Wait(t, "the refusal", func() bool { return strings.Contains(w.Answer(it).Text, "The settings of belay") })
	other := w.AddChannel(w.guild, "other")
	it = w.Command(w.ada, other, "link", map[string]string{"code": w.code})
	w.Wait(t, "the link", func() bool { return strings.Contains(w.Answer(it).Text, "is connected") })
}

// After a restart it is known at once who decides in a thread.
func TestWhoDecidesInAThreadAfterARestart(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	thread := w.AddThread(w.channel, "thread")
	w.Say(thread, w.ada, w.Mention()+" go")
	r := w.agent.requested(1)
	w.down()
	w.agent.signal(r.Session, r.Request, changes("q1"))
	w.up()
	w.Wait(t, "the question", func() bool { return len(w.Own(thread)) == 1 })
	q := w.Own(thread)[0]
	if !slices.Contains(q.Pinged, w.ada.ID) {
		t.Errorf("it calls %v", q.Pinged)
	}
	w.Press(w.ada, thread, q.ID, buttons(q)["Apply changes"])
	w.Wait(t, "the end", func() bool { return strings.Contains(w.Own(thread)[0].Content, "Allowed by") })
}
