package discord_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord"
	"belay/internal/discord/client"
	"belay/internal/discord/record"
	"belay/internal/discord/routing"
	"belay/test/discordtest"
)

// What is said while belay is away is answered when it is back: at most an hour, and
// 100 messages.
func TestAbsence(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("before")
	w.agent.requested(1)
	w.down()
	w.mention("old", func(m *discordtest.Message) { m.Timestamp = time.Now().Add(-2 * time.Hour) })
	w.Say(w.channel, w.Person("Ben"), "between us")
	w.mention("missed")
	w.up()
	r := w.agent.requested(2)
	if !strings.Contains(text(r), "missed") || strings.Contains(text(r), "old") || strings.Contains(text(r), "between us") {
		t.Errorf("the request is %q", text(r))
	}
	w.Wait(t, "the note", func() bool {
		return slices.ContainsFunc(w.Own(w.channel), func(m discordtest.Message) bool { return strings.Contains(m.Content, "belay was away") })
	})
	// The same after a connection that could not be resumed.
	w.Gateway.Shut(true)
	w.Gateway.Drop()
	w.Wait(t, "the end of the connection", func() bool { return !w.Gateway.Connected() })
	w.mention("meanwhile")
	w.Gateway.Forget()
	w.Gateway.Shut(false)
	if r := w.agent.requested(3); !strings.Contains(text(r), "meanwhile") {
		t.Errorf("the request is %q", text(r))
	}
}

// A message that belay was given and never recorded is read after the restart, also where it
// is the first of its channel, of a thread, or of a post in a forum: in a channel that /link
// connected and in one of the settings. What is older than the connection stays unread, also
// where the clock was wrong, and nothing is said where nobody asked for belay.
func TestNothingOnRecord(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		configured bool
		wrong      time.Duration
	}{
		"linked":                     {},
		"configured":                 {configured: true},
		"a clock that was behind":    {configured: true, wrong: -48 * time.Hour},
		"a clock that was ahead":     {configured: true, wrong: 48 * time.Hour},
		"a clock that was never set": {configured: true, wrong: -50 * 365 * 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var wrong atomic.Int64
			wrong.Store(int64(c.wrong))
			bound := map[string]record.Binding{}
			w := begin(t, func(o *discord.Options) {
				o.Channels, o.Now = bound, func() time.Time { return time.Now().Add(time.Duration(wrong.Load())) }
			})
			if c.configured {
				w.down()
				bound[w.channel] = record.Binding{Project: "/project", Mode: routing.Mention, Deciders: []string{w.ada.ID}}
			}
			old := w.AddThread(w.channel, "old")
			w.Say(old, w.ada, w.Mention()+" before belay")
			w.mention("before belay")
			if c.configured {
				w.up()
			} else {
				w.link()
			}
			w.down()
			wrong.Store(0)
			w.mention("first of the channel")
			thread := w.AddThread(w.channel, "thread")
			w.Say(thread, w.ada, w.Mention()+" first of a thread")
			post := w.AddThread(w.channel, "post")
			w.Say(post, w.ada, w.Mention()+" first of a post", func(m *discordtest.Message) { m.ID = post })
			w.Say(old, w.ada, w.Mention()+" first of an old thread")
			talk := w.AddThread(w.channel, "talk")
			w.Say(talk, w.ada, "between us", func(m *discordtest.Message) { m.Timestamp = time.Now().Add(-2 * time.Hour) })
			w.up()
			var all []string
			for n := range 4 {
				_, said, _ := strings.Cut(text(w.agent.requested(n+1)), "first of ")
				all = append(all, said)
			}
			slices.Sort(all)
			if want := []string{"a post", "a thread", "an old thread", "the channel"}; !slices.Equal(all, want) {
				t.Errorf("the requests are %q", all)
			}
			w.mention("the last")
			if r := w.agent.requested(5); !strings.Contains(text(r), "the last") {
				t.Errorf("another request is %q", text(r))
			}
			if n := len(w.Own(talk)); n > 0 {
				t.Errorf("%d messages in a thread that is not about belay", n)
			}
		})
	}
}

// Of more than 100 messages in a long absence those of the last hour are read.
func TestLongAbsence(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	w := start(t, func(o *discord.Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	w.down()
	for n := range 150 {
		w.Say(w.channel, w.ada, fmt.Sprint("between us ", n))
	}
	now := time.Now().Add(5 * time.Hour)
	w.mention("asked lately", func(m *discordtest.Message) {
		m.Timestamp = now.Add(-10 * time.Minute)
		m.ID = client.IDAt(m.Timestamp)
	})
	later.Store(int64(5 * time.Hour))
	w.up()
	if r := w.agent.requested(1); !strings.Contains(text(r), "asked lately") {
		t.Errorf("the request is %q", text(r))
	}
	w.Wait(t, "the note", func() bool {
		return slices.ContainsFunc(w.Own(w.channel), func(m discordtest.Message) bool { return strings.Contains(m.Content, "belay was away") })
	})
}

// What was missed is not lost where belay is away again before it has read that, and newer
// messages came meanwhile.
func TestAbsenceTwice(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("before")
	w.agent.requested(1)
	w.down()
	w.mention("missed")
	w.Script(discordtest.Rule{Method: "GET", Path: w.channel + "/messages", Status: 503, Times: 1000})
	w.up()
	w.Wait(t, "the attempt to read it", func() bool { return len(w.Calls("GET", w.channel+"/messages")) > 0 })
	w.Say(w.channel, w.Person("Ben"), "between us")
	w.recorded("between us", 1)
	w.down()
	w.Rules(nil)
	w.up()
	if r := w.agent.requested(2); !strings.Contains(text(r), "missed") {
		t.Errorf("the request is %q", text(r))
	}
}

// Much that people wrote while belay was away becomes some requests. None of it is lost, also
// where all of it replies to long messages.
func TestMuchIsMissed(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.agent.onRequest = func(session, request string, _ *contract.RequestMessage) { w.agent.put(session, request, final("ok")) }
	w.mention("before")
	w.shown("ok")
	w.down()
	long := strings.Repeat("漢字漢 ", 490)
	for n := range 40 {
		before := w.Say(w.channel, w.Person("Ben"), long)
		w.mention(fmt.Sprintf("message %d. ", n)+long, w.ReplyTo(before.ID))
	}
	w.up()
	all := ""
	w.agent.until("all requests", func() bool {
		all = ""
		for _, r := range w.agent.requests {
			all += text(r)
		}
		return strings.Contains(all, "message 39.")
	})
	for n := range 40 {
		if !strings.Contains(all, fmt.Sprintf("message %d. ", n)) {
			t.Errorf("message %d is lost", n)
		}
	}
}

// A question that the bus does not keep any more, because it is older than a day, is asked when
// the surface comes back: the turn says that it waits. One of another turn is not.
func TestOldQuestion(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	w.down()
	other := changes("q2").Decision
	other.TurnID = "another"
	w.agent.mu.Lock()
	w.agent.working, w.agent.open = r.Request, []contract.Decision{changes("q1").Decision, other}
	w.agent.mu.Unlock()
	w.up()
	q := w.asked(1)
	if !strings.Contains(q.Shown(), "make all # `") {
		t.Errorf("the question is\n%s", q.Shown())
	}
	w.Press(w.ada, w.channel, q.ID, buttons(q)["Apply changes"])
	w.agent.until("the answer", func() bool { return len(w.agent.answers) == 1 })
	w.agent.put(r.Session, r.Request, final("Built."))
	w.Wait(t, "the rest", func() bool { return w.last().Content == "Built." && len(w.Own(w.channel)) == 2 })
}

// A server that listens on another port corrects the links of open questions, and leaves those of
// others.
func TestLinkAfterAMove(t *testing.T) {
	t.Parallel()
	page := "http://127.0.0.1:1"
	w := start(t, func(o *discord.Options) { o.Page = page })
	w.mention("build")
	r := w.agent.requested(1)
	w.agent.signal(r.Session, r.Request, changes("q1"))
	w.agent.signal(r.Session, r.Request, changes("q2"))
	w.asked(2)
	first := w.Own(w.channel)[0]
	w.Press(w.ada, w.channel, first.ID, buttons(first)["Apply changes"])
	w.Wait(t, "the end", func() bool { return len(buttons(w.Own(w.channel)[0])) == 0 })
	before := w.Own(w.channel)
	w.down()
	page = "http://127.0.0.1:2"
	w.up()
	w.Wait(t, "the link", func() bool {
		return w.last().Content == strings.Replace(before[1].Content, "127.0.0.1:1/q/q2", "127.0.0.1:2/q/q2", 1)
	})
	if q := w.last(); len(buttons(q)) != 4 || len(q.Embeds) != 1 || w.Own(w.channel)[0].Content != before[0].Content {
		t.Errorf("%+v", w.Own(w.channel))
	}
	w.Press(w.ada, w.channel, w.last().ID, buttons(w.last())["Discard"])
	w.Wait(t, "the end", func() bool {
		return len(buttons(w.last())) == 0 && strings.Contains(w.last().Content, "127.0.0.1:2/q/q2")
	})
}
