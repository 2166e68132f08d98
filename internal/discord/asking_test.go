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
	"belay/internal/discord/record"
	"belay/internal/discord/routing"
	"belay/test/discordtest"
)

// A question whose message exists when the process dies, and is not on record, is not asked
// again: also where Discord knows its nonce no more, and where it is answered meanwhile.
func TestQuestionOfADeadProcess(t *testing.T) {
	t.Parallel()
	for _, where := range []discord.Questions{discord.InChannel, discord.InDirect} {
		for _, answered := range []bool{false, true} {
			for _, bare := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, answered %v, bare %v", where, answered, bare), func(t *testing.T) {
					t.Parallel()
					questionOfADeadProcess(t, where, answered, bare)
				})
			}
		}
	}
}

// questionOfADeadProcess has a process die as it sends a question, which is answered before the
// next one, or after it asked. Where the channel is bare it takes neither files nor embeds, so
// nobody may allow the question there.
func questionOfADeadProcess(t *testing.T, where discord.Questions, answered, bare bool) {
	var later atomic.Int64
	w := start(t, func(o *discord.Options) {
		o.Questions, o.Now = where, func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	at := w.channel
	if where == discord.InDirect {
		at = w.AddDirect(w.ada)
	}
	w.mention("build")
	r := w.agent.requested(1)
	for range 120 { // more than Discord lists at once
		w.Say(w.channel, w.Person("Ben"), "meanwhile")
	}
	d, cut := changes("q1"), discordtest.Rule{Method: "POST", Path: at + "/messages", Cut: true, Times: 100}
	if bare {
		d.Diff = strings.Repeat("+line\n", 500)
		w.ForbidFiles(at, true)
		w.Embeds(at, discordtest.EmbedsLeftOut)
		cut.Skip = 1 // the refusal of the file
	}
	w.Script(cut)
	w.agent.signal(r.Session, r.Request, d)
	w.Wait(t, "the question", func() bool { return len(w.Own(at)) == 1 })
	w.down()
	w.Rules(nil)
	w.ForgetNonces()
	later.Store(int64(30 * time.Minute))
	closed := &contract.DecisionClosed{DecisionID: "q1", TurnID: "t", Verdict: contract.VerdictDeny, By: "the page", Time: time.Now()}
	if answered {
		w.agent.signal(r.Session, r.Request, closed)
	}
	w.up()
	w.recorded(`"message":"`+w.Own(at)[0].ID, 1)
	if !answered {
		q := w.Own(at)[0]
		if allows(q) == bare || strings.Contains(q.Content, "The question cannot be shown whole here") != bare || strings.Contains(q.Content, "```") != bare {
			t.Errorf("the question is %q %v", q.Content, buttons(q))
		}
		w.agent.signal(r.Session, r.Request, closed)
	}
	w.Wait(t, "the end", func() bool { return strings.Contains(w.Own(at)[0].Content, "Refused by the page") })
	own := slices.DeleteFunc(w.Own(at), func(m discordtest.Message) bool { return strings.Contains(m.Content, "belay was away") })
	if len(own) != 1 || len(buttons(own[0])) > 0 {
		t.Errorf("%d messages, the first has %v", len(own), buttons(own[0]))
	}
}

// A channel that fails does not hold up the questions of another one. Its own question is
// asked when belay connects again.
func TestQuestionsOfOtherChannels(t *testing.T) {
	t.Parallel()
	bound := map[string]record.Binding{}
	w := begin(t, func(o *discord.Options) { o.Channels, o.Attempts = bound, 2 })
	other := w.AddChannel(w.guild, "other")
	w.down()
	for _, id := range []string{w.channel, other} {
		bound[id] = record.Binding{Project: "/project", Mode: routing.Mention, Deciders: []string{w.ada.ID}}
	}
	w.up()
	w.mention("build")
	first := w.agent.requested(1)
	w.Say(other, w.ada, w.Mention()+" build")
	second := w.agent.requested(2)
	looked := len(w.Calls("GET", "/users/@me"))
	w.Script(discordtest.Rule{Method: "POST", Path: w.channel + "/messages", Status: 500, Times: 1000})
	w.agent.signal(first.Session, first.Request, changes("q1"))
	w.agent.signal(second.Session, second.Request, changes("q2"))
	w.Wait(t, "the other question", func() bool { return len(w.Own(other)) == 1 })
	if n := len(w.Calls("GET", "/users/@me")); n > looked {
		t.Error("it came after all attempts in the channel that fails")
	}
	w.Wait(t, "the last attempt", func() bool { return len(w.Calls("GET", "/users/@me")) > looked })
	w.Rules(nil)
	w.reconnect()
	if q := w.asked(1); !allows(q) {
		t.Errorf("the question is %q", q.Shown())
	}
}
