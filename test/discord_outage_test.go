package test

import (
	"slices"
	"strings"
	"testing"

	"belay/test/discordtest"
)

// outage takes Discord away: the gateway and all calls.
func (d *inDiscord) outage() {
	d.Rules([]*discordtest.Rule{{Times: 1 << 30, Status: 503}})
	d.Gateway.Shut(true)
	d.Gateway.Drop()
}

// back ends an outage. What the gateway's session was is forgotten.
func (d *inDiscord) back() {
	d.Gateway.Forget()
	d.Gateway.Shut(false)
	d.Rules(nil)
	d.Wait(d.t, "the connection", d.Gateway.Connected)
}

// questions are the bot's messages that ask.
func (d *inDiscord) questions() (all []discordtest.Message) {
	for _, m := range d.Own(d.channel) {
		if strings.Contains(m.Shown(), "a.txt") {
			all = append(all, m)
		}
	}
	return all
}

const writesLater = `turns:
  - steps:
      - wait: 2s
      - say: I write it.
      - call: {name: write, input: {path: a.txt, content: "one\n"}}
      - say: It is written.
`

// A question opens while Discord is away. When Discord is back it is posted once, and its
// button answers it.
func TestDiscordQuestionOpensInOutage(t *testing.T) {
	t.Parallel()
	d := newDiscord(t, writesLater)
	d.place.env = append(d.place.env, d.publishes("*.txt"))
	d.serve()
	d.Say(d.channel, d.ada, d.Mention()+" write it")
	d.Wait(t, "the turn", func() bool { return d.runs() })
	d.outage()
	d.place.asked("write")
	if n := len(d.questions()); n != 0 {
		t.Fatalf("%d questions are there while Discord is away", n)
	}
	d.back()
	d.Wait(t, "the question", func() bool { return len(d.questions()) == 1 })
	d.press(d.questions()[0], "Apply changes")
	d.answeredOnce("Allowed by <@" + d.ada.ID + ">")
}

// A question is answered elsewhere while Discord is away. When Discord is back its message
// says so, once, and the answer follows.
func TestDiscordQuestionAnsweredInOutage(t *testing.T) {
	t.Parallel()
	d := newDiscord(t, writesLater)
	d.place.env = append(d.place.env, d.publishes("*.txt"))
	d.serve()
	d.Say(d.channel, d.ada, d.Mention()+" write it")
	d.Wait(t, "the question", func() bool { return len(d.questions()) == 1 })
	d.outage()
	d.place.run("decision", "allow", d.place.asked("write").ID)
	d.Wait(t, "an attempt that fails", func() bool {
		return slices.ContainsFunc(d.Calls("", "/messages"), func(c discordtest.Call) bool { return c.Status == 503 })
	})
	d.back()
	d.answeredOnce("Allowed by")
}

// runs reports whether a turn of the project runs.
func (d *inDiscord) runs() bool {
	out, err := d.place.command("session", "list", "--json").Output()
	return err == nil && strings.Contains(string(out), "running")
}

// answeredOnce waits for the end of the answer and looks at all of the bot's messages: one
// question, which says how it ended and has no buttons, and the answer.
func (d *inDiscord) answeredOnce(how string) {
	d.t.Helper()
	d.Wait(d.t, "the end", func() bool {
		all := d.questions()
		return len(all) == 1 && strings.Contains(all[0].Shown(), how) && len(all[0].Components) == 0 &&
			slices.ContainsFunc(d.Own(d.channel), func(m discordtest.Message) bool { return strings.Contains(m.Content, "It is written.") })
	})
	said := ""
	for _, m := range d.Own(d.channel) {
		said += m.Content + "\n"
	}
	for _, text := range []string{"I write it.", "It is written."} {
		if n := strings.Count(said, text); n != 1 {
			d.t.Errorf("%q is there %d times:\n%s", text, n, said)
		}
	}
}
