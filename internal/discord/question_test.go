package discord_test

import (
	"strings"
	"testing"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord"
	"belay/test/discordtest"
)

func changes(id string) *contract.DecisionOpened {
	return &contract.DecisionOpened{Decision: contract.Decision{
		DecisionID: id, TurnID: "t", ToolCallID: "c", Asks: contract.AsksChanges, Tool: "bash", Summary: "make *all*",
		Command: "make all # ```", Output: "exit code 2", Session: true, FileCount: 3,
		Files: []contract.ChangedFile{{Path: "a.txt", Class: contract.ClassOrdinary}, {Path: ".envrc", Class: contract.ClassRunsByItself},
			{Path: "_STATUS.md", Class: contract.ClassDropped}},
		Diff: "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two\n", Time: time.Now(),
	}}
}

// buttons are the labels and custom ids of a message.
func buttons(m discordtest.Message) map[string]string {
	all := map[string]string{}
	for _, row := range m.Components {
		for _, b := range row.(map[string]any)["components"].([]any) {
			b := b.(map[string]any)
			all[b["label"].(string)] = b["custom_id"].(string)
		}
	}
	return all
}

// asked waits until the bot has n messages, and returns the last one.
func (w *world) asked(n int) discordtest.Message {
	w.t.Helper()
	w.Wait(w.t, "the question", func() bool { return len(w.Own(w.channel)) == n })
	return w.Own(w.channel)[n-1]
}

// last is how the bot's last message is now.
func (w *world) last() discordtest.Message {
	own := w.Own(w.channel)
	return own[len(own)-1]
}

// A question shows the effect, its buttons work once, for the decider alone, and after
// a restart.
func TestQuestion(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ben := w.Person("Ben")
	w.mention("build")
	r := w.agent.requested(1)
	w.agent.signal(r.Session, r.Request, changes("q1"))
	q := w.asked(1)
	for _, want := range []string{"Apply these changes?", "make \\*all\\*", "make all # `", "exit code 2", "**Runs by itself**: `.envrc`", "**Never applied**: `_STATUS.md`",
		"Files: `a.txt`", "```diff\n--- a.txt", "<http://127.0.0.1:1/q/q1>"} {
		if !strings.Contains(q.Shown(), want) {
			t.Errorf("%q is not in the question:\n%s", want, q.Shown())
		}
	}
	// People who turned previews off see no embeds, and must know what is asked, and where.
	if !strings.Contains(q.Content, "make \\*all\\*") || !strings.Contains(q.Content, "/q/q") || strings.Contains(q.Content, "```") || len(q.Embeds) != 1 {
		t.Errorf("beside %d embeds it says %q", len(q.Embeds), q.Content)
	}
	if strings.Count(q.Shown(), "```")%2 != 0 || len(q.Pinged) != 1 || q.Pinged[0] != w.ada.ID {
		t.Errorf("it notifies %v:\n%s", q.Pinged, q.Shown())
	}
	b := buttons(q)
	for _, label := range []string{"Apply changes", "Apply for this session", "Discard", "Discard, with a note…"} {
		if !strings.Contains(b[label], "q1") {
			t.Errorf("the button %q has the id %q", label, b[label])
		}
	}
	it := w.Press(ben, w.channel, q.ID, b["Apply changes"])
	w.Wait(t, "the refusal", func() bool { return strings.Contains(w.Answer(it).Text, "Only the people") })
	if !w.Answer(it).Private {
		t.Error("everybody sees the refusal")
	}

	w.down()
	w.up()
	it = w.Press(w.ada, w.channel, q.ID, b["Apply for this session"])
	again := w.Press(w.ada, w.channel, q.ID, b["Discard"])
	w.Wait(t, "the end", func() bool { return len(buttons(w.last())) == 0 })
	if len(w.last().Embeds) != 1 {
		t.Error("the edit dropped the details")
	}
	if text := w.last().Content; !strings.Contains(text, "Allowed for this session by <@"+w.ada.ID+">") && !strings.Contains(text, "Refused by") {
		t.Errorf("the question says %q", text)
	}
	w.Wait(t, "both acknowledgements", func() bool { return w.Answer(it).Type != 0 && w.Answer(again).Type != 0 })
	if got := w.Answer(it).Type; got != 6 { // an edit that comes later: nothing was done before it
		t.Errorf("the first answer is of type %d", got)
	}
	w.agent.mu.Lock()
	if n := len(w.agent.answers); n != 1 {
		t.Errorf("%d answers reached the bus", n)
	}
	if by := w.agent.answers[0].Payload.(*contract.DecisionAnswer).By; by != "discord:"+w.ada.ID {
		t.Errorf("the answer is by %q", by)
	}
	w.agent.mu.Unlock()
	it = w.Press(w.ada, w.channel, q.ID, b["Apply changes"])
	w.Wait(t, "an answer", func() bool { return strings.Contains(w.Answer(it).Text, "answered already") })
}

// Two questions about one command are two messages. An answer closes its own, and only the one
// about files that run by themselves has the mark and no answer for the session.
func TestTwoQuestionsAboutACommand(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	first, second := changes("q1"), changes("q2")
	first.Files, first.FileCount = []contract.ChangedFile{{Path: "a.txt", Class: contract.ClassOrdinary}}, 1
	second.Files, second.FileCount, second.Session = []contract.ChangedFile{{Path: ".envrc", Class: contract.ClassRunsByItself}}, 1, false
	second.Notes = []string{"runs by itself: .git/hooks/x is run by git"}
	w.agent.signal(r.Session, r.Request, first)
	q1 := w.asked(1)
	if strings.Contains(q1.Shown(), "Runs by itself") || buttons(q1)["Apply for this session"] == "" {
		t.Errorf("the first question is %q %v", q1.Shown(), buttons(q1))
	}
	w.Press(w.ada, w.channel, q1.ID, buttons(q1)["Apply changes"])
	w.Wait(t, "the end of the first", func() bool { return strings.Contains(w.last().Content, "Allowed by") })
	w.agent.signal(r.Session, r.Request, second)
	q2 := w.asked(2)
	if b := buttons(q2); !strings.Contains(q2.Shown(), "**Runs by itself**: `.envrc`") || !strings.Contains(q2.Shown(), "runs by itself: .git/hooks/x") || b["Apply for this session"] != "" || b["Apply changes"] == "" {
		t.Errorf("the second question is %q %v", q2.Shown(), b)
	}
	w.Press(w.ada, w.channel, q2.ID, buttons(q2)["Discard"])
	w.Wait(t, "the end of the second", func() bool { return strings.Contains(w.last().Content, "Refused by") })
	if own := w.Own(w.channel); len(own) != 2 || !strings.Contains(own[0].Content, "Allowed by") {
		t.Errorf("the messages are %+v", own)
	}
}

// A question stands below the text that leads to it, also where it is the first to come, and
// where the text waited for more to be said.
func TestQuestionFollowsTheText(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	first, second := changes("q1"), changes("q2")
	first.After, second.After = 1, 3
	w.agent.signal(r.Session, r.Request, first)
	w.agent.put(r.Session, r.Request, delta("I build it."))
	w.asked(2)
	w.agent.put(r.Session, r.Request, delta(" And"), delta(" clean up."))
	w.agent.signal(r.Session, r.Request, second)
	w.asked(3)
	own := w.Own(w.channel)
	if own[0].Content != "I build it. And clean up." || len(buttons(own[1])) == 0 || len(buttons(own[2])) == 0 || own[2].Reference.MessageID != own[0].ID {
		t.Errorf("the channel shows %q, %q, %q", own[0].Content, own[1].Content, own[2].Content)
	}
}

// A form takes a note; the question closes with it. A question that is closed elsewhere
// says so.
func TestNoteAndOtherSurfaces(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	long := changes("q1")
	long.Diff = strings.Repeat("+line\n", 500)
	w.agent.signal(r.Session, r.Request, long)
	q := w.asked(1)
	if len(q.Attachments) != 1 || q.Attachments[0].Filename != "changes.diff" || string(w.File(t, q.Attachments[0])) != long.Diff {
		t.Errorf("the diff is in %+v", q.Attachments)
	}
	note := buttons(q)["Discard, with a note…"]
	it := w.Press(w.ada, w.channel, q.ID, note)
	w.Wait(t, "the form", func() bool { return w.Answer(it).Type == 9 })
	w.Submit(w.ada, w.channel, q.ID, w.Answer(it).Modal["custom_id"].(string), map[string]string{"note": "use tabs"})
	w.Wait(t, "the end", func() bool { return strings.Contains(w.last().Content, "Refused by <@"+w.ada.ID+">: use tabs") })
	if len(w.last().Attachments) != 1 {
		t.Error("the edit dropped the diff")
	}

	host := changes("q2")
	host.Asks, host.Hosts, host.Session, host.ExpiresAt = contract.AsksHost, []string{"example.org"}, false, time.Now().Add(10*time.Second)
	w.agent.signal(r.Session, r.Request, host)
	q = w.asked(2)
	if b := buttons(q); b["Allow host"] == "" || len(b) != 3 || !strings.Contains(q.Content, "Open until <t:") || !strings.Contains(q.Shown(), "`example.org`") {
		t.Errorf("the question is %q %v", q.Content, buttons(q))
	}
	w.agent.signal(r.Session, r.Request, &contract.DecisionClosed{DecisionID: "q2", TurnID: "t", Verdict: contract.VerdictDeny, By: "timeout", Time: time.Now()})
	w.Wait(t, "the end", func() bool {
		return strings.Contains(w.last().Content, "Nobody answered in time") && len(buttons(w.last())) == 0
	})
}

// With discord.questions: dm the deciders have the question in their direct messages, and
// the channel a note that shows nothing of it.
func TestQuestionInDirectMessages(t *testing.T) {
	t.Parallel()
	w := start(t, func(o *discord.Options) { o.Questions = discord.InDirect })
	w.mention("build")
	r := w.agent.requested(1)
	d := changes("q1")
	d.Diff = strings.Repeat("+line\n", 500)
	// The process dies between the message to the decider and the note.
	w.Script(discordtest.Rule{Method: "POST", Path: w.channel + "/messages", Status: 503, Times: 1000})
	w.agent.signal(r.Session, r.Request, d)
	w.Wait(t, "the note's failure", func() bool { return len(w.Calls("POST", w.channel+"/messages")) > 0 })
	w.down()
	w.Rules(nil)
	w.up()
	note := w.asked(1)
	direct := w.Direct(w.ada)
	own := w.Own(direct)
	if len(own) != 1 || !strings.Contains(own[0].Content, "In <#"+w.channel+">: **Apply these changes?**") || !strings.Contains(own[0].Shown(), "make all # `") ||
		len(own[0].Attachments) != 1 || len(buttons(own[0])) != 4 {
		t.Fatalf("the direct messages are %+v", own)
	}
	if want := "**Apply these changes?** The question is in the direct messages of <@" + w.ada.ID + ">."; note.Content != want || len(note.Pinged) > 0 || len(note.Attachments)+len(note.Embeds) > 0 || len(buttons(note)) > 0 {
		t.Errorf("the note is %+v", note)
	}
	it := w.Press(w.Person("Ben"), direct, own[0].ID, buttons(own[0])["Discard"])
	w.Wait(t, "the refusal", func() bool { return strings.Contains(w.Answer(it).Text, "Only the people") })
	w.Press(w.ada, direct, own[0].ID, buttons(own[0])["Apply changes"])
	closed := "Allowed by <@" + w.ada.ID + ">"
	w.Wait(t, "the end", func() bool { return strings.Contains(w.last().Content, closed) })
	if own = w.Own(direct); len(own) != 1 || !strings.Contains(own[0].Content, closed) || len(buttons(own[0])) > 0 || len(own[0].Attachments) != 1 {
		t.Errorf("the direct messages are %+v", own)
	}

	// A decider who takes no direct messages answers in the channel, which sees the link alone.
	w.Forbid(direct, true)
	w.agent.signal(r.Session, r.Request, changes("q2"))
	q := w.asked(2)
	if strings.Contains(q.Shown(), "```") || !strings.Contains(q.Content, "/q/q") || len(buttons(q)) != 4 || len(q.Pinged) != 1 {
		t.Errorf("the question is %+v", q)
	}
	w.Press(w.ada, w.channel, q.ID, buttons(q)["Discard"])
	w.Wait(t, "the end", func() bool { return strings.Contains(w.last().Content, "Refused by <@"+w.ada.ID+">") })
}

// A connected direct message is where its questions are asked in any case.
func TestQuestionOfADirectMessage(t *testing.T) {
	t.Parallel()
	w := begin(t, func(o *discord.Options) { o.Questions = discord.InDirect })
	w.channel = w.AddDirect(w.ada)
	used := w.Command(w.ada, w.channel, "link", map[string]string{"code": w.code})
	w.Wait(t, "the link", func() bool { return w.Answer(used).Type != 0 })
	w.mention("build")
	r := w.agent.requested(1)
	w.agent.signal(r.Session, r.Request, changes("q1"))
	q := w.asked(1)
	if !strings.HasPrefix(q.Content, "**Apply these changes?**") || !strings.Contains(q.Shown(), "```diff") {
		t.Errorf("the question is %q", q.Shown())
	}
	w.Press(w.ada, w.channel, q.ID, buttons(q)["Apply changes"])
	w.Wait(t, "the end", func() bool { return strings.Contains(w.last().Content, "Allowed by") && len(buttons(w.last())) == 0 })
	if own := w.Own(w.channel); len(own) != 1 {
		t.Errorf("%d messages", len(own))
	}
}

// With discord.questions: link the channel sees no command, output or diff.
func TestQuestionByLink(t *testing.T) {
	t.Parallel()
	w := start(t, func(o *discord.Options) { o.Questions = discord.ByLink })
	w.mention("build")
	r := w.agent.requested(1)
	w.agent.signal(r.Session, r.Request, changes("q1"))
	q := w.asked(1)
	if strings.Contains(q.Content, "make") || strings.Contains(q.Content, "```") || len(q.Embeds) > 0 || !strings.Contains(q.Content, "/q/q") || len(buttons(q)) != 4 {
		t.Errorf("the question is %q", q.Content)
	}
	w.closedWith("q1", "not in hr/salaries.csv")
	if text := w.last().Content; strings.Contains(text, "salaries") {
		t.Errorf("the channel sees the note: %q", text)
	}
}

// closedWith has ada refuse a question with a note, and waits until the channel says so.
func (w *world) closedWith(decision, note string) {
	w.t.Helper()
	w.agent.signal("session-1", "", &contract.DecisionClosed{DecisionID: decision, TurnID: "t", Verdict: contract.VerdictDeny, By: "discord:" + w.ada.ID, Note: note, Time: time.Now()})
	w.Wait(w.t, "the end", func() bool { return strings.Contains(w.last().Content, "Refused by <@"+w.ada.ID+">") })
}

// The note of a decider stays where the question was: in the direct messages.
func TestNoteInDirectMessages(t *testing.T) {
	t.Parallel()
	w := start(t, func(o *discord.Options) { o.Questions = discord.InDirect })
	w.mention("build")
	r := w.agent.requested(1)
	w.agent.signal(r.Session, r.Request, changes("q1"))
	w.asked(1)
	w.closedWith("q1", "not in hr/salaries.csv")
	own := w.Own(w.Direct(w.ada))
	if strings.Contains(w.last().Content, "salaries") || len(own) != 1 || !strings.Contains(own[0].Content, "salaries") {
		t.Errorf("the channel sees %q, the decider %+v", w.last().Content, own)
	}
	// A decider who takes none is asked in the channel, which sees neither summary nor note.
	w.Forbid(w.Direct(w.ada), true)
	w.agent.signal(r.Session, r.Request, changes("q2"))
	if q := w.asked(2); strings.Contains(q.Shown(), "make") {
		t.Errorf("the question is %q", q.Shown())
	}
	w.closedWith("q2", "not in hr/salaries.csv")
	if text := w.last().Content; strings.Contains(text, "salaries") {
		t.Errorf("the channel sees the note: %q", text)
	}
}

// Where Discord leaves embeds out, or another server refuses them, the details are in the text;
// those that do not fit are cut, and the link stays.
func TestQuestionWithoutEmbeds(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]discordtest.EmbedRule{"left out": discordtest.EmbedsLeftOut, "refused": discordtest.EmbedsRefused} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, nil)
			w.Embeds(w.channel, rule)
			w.mention("build")
			r := w.agent.requested(1)
			w.agent.signal(r.Session, r.Request, changes("q1"))
			w.Wait(t, "the question", func() bool {
				own := w.Own(w.channel)
				return len(own) == 1 && strings.Contains(own[0].Content, "```diff")
			})
			q := w.last()
			for _, want := range []string{"make all # `", "**Runs by itself**: `.envrc`", "/q/q", "<@" + w.ada.ID + ">"} {
				if !strings.Contains(q.Content, want) {
					t.Errorf("%q is not in the question:\n%s", want, q.Content)
				}
			}
			w.Press(w.ada, w.channel, q.ID, buttons(q)["Apply changes"])
			w.Wait(t, "the end", func() bool { return strings.Contains(w.last().Content, "Allowed by <@"+w.ada.ID+">") })
			if text := w.last().Content; !strings.Contains(text, "```diff") {
				t.Errorf("the closed question says %q", text)
			}
			w.agent.signal(r.Session, r.Request, hostile("q2"))
			w.Wait(t, "the question", func() bool { return len(w.Own(w.channel)) == 2 && strings.Contains(w.last().Content, "```sh") })
			if text := w.last().Content; strings.Count(text, "```")%2 != 0 || !strings.Contains(text, "/q/q") {
				t.Errorf("the long question says %q", text)
			}
		})
	}
}

// While a question waits, nothing shows that the agent writes.
func TestNobodyWritesDuringAQuestion(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	w.agent.signal(r.Session, r.Request, changes("q1"))
	q := w.asked(1)
	w.agent.put(r.Session, r.Request, delta("First")) // it runs
	w.Wait(t, "the text", func() bool { return len(w.Own(w.channel)) == 2 })
	time.Sleep(1100 * time.Millisecond)
	if n := len(w.Calls("POST", "/typing")); n > 0 {
		t.Errorf("it writes, %d times", n)
	}
	w.Press(w.ada, w.channel, q.ID, buttons(q)["Apply changes"])
	w.Wait(t, "the sign that the agent writes", func() bool { return len(w.Calls("POST", "/typing")) > 0 })
}

// Where Discord refuses to change a question that is answered, its buttons go. Where it refuses to
// take away those of one that is not shown whole, the question goes.
func TestChangeOfAQuestionThatIsRefused(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	w.agent.signal(r.Session, r.Request, changes("q1"))
	q := w.asked(1)
	refused := discordtest.Rule{Method: "PATCH", Path: w.channel + "/messages", Status: 400, Code: 200000}
	w.Script(refused)
	w.Press(w.ada, w.channel, q.ID, buttons(q)["Discard"])
	w.Wait(t, "the end", func() bool { return len(buttons(w.last())) == 0 })

	w.Embeds(w.channel, discordtest.EmbedsLeftOut)
	refused.Times = 2
	w.Script(refused)
	w.agent.signal(r.Session, r.Request, hostile("q2"))
	w.Wait(t, "the end of the question", func() bool { return len(w.Calls("DELETE", "/messages")) == 1 })
	w.Wait(t, "the message", func() bool { return len(w.Own(w.channel)) == 1 })
}

// hostile is a question in which everything is as long as it may be, and made of characters
// that count twice or are escaped.
func hostile(id string) *contract.DecisionOpened {
	d := changes(id)
	two, ticks := strings.Repeat("😀", 500), strings.Repeat("```", 300)
	d.Summary, d.Reason, d.Why, d.Command, d.Output, d.Destination = two, two, two, ticks, ticks, two[:200]
	d.Diff, d.Outside, d.FileCount, d.ExpiresAt = ticks[:690], true, 500, time.Now().Add(time.Minute)
	for range 50 {
		d.Hosts = append(d.Hosts, two[:200])
		d.Notes = append(d.Notes, two)
		for _, class := range []contract.Class{contract.ClassOrdinary, contract.ClassRunsByItself, contract.ClassRunsOnRequest, contract.ClassDropped} {
			d.Files = append(d.Files, contract.ChangedFile{Path: two, Class: class})
		}
	}
	d.Files = d.Files[:200]
	return d
}

// The largest question keeps to the limits of Discord.
func TestHostileQuestion(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	w.agent.signal(r.Session, r.Request, hostile("q1"))
	q := w.asked(1)
	if len(q.Embeds) != 1 || len(buttons(q)) != 2 || !strings.Contains(q.Shown(), "Runs by itself") || strings.Count(q.Shown(), "```")%2 != 0 {
		t.Errorf("the question is %q", q.Shown())
	}
	for _, c := range w.Calls("POST", w.channel+"/messages") {
		if c.Status != 200 {
			t.Errorf("Discord refused %s", c.Body)
		}
	}
}

// A question whose sending failed is sent again, once.
func TestQuestionIsRepeated(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	w.Script(discordtest.Rule{Method: "POST", Path: w.channel + "/messages", Status: 503})
	w.Script(discordtest.Rule{Method: "POST", Path: w.channel + "/messages", Cut: true})
	w.agent.signal(r.Session, r.Request, changes("q1"))
	w.agent.put(r.Session, r.Request, final("done"))
	w.Wait(t, "both", func() bool { return len(w.Own(w.channel)) == 2 })
	w.agent.signal(r.Session, r.Request, &contract.DecisionClosed{DecisionID: "q1", TurnID: "t", Verdict: contract.VerdictAllow, By: "the page", Time: time.Now()})
	w.Wait(t, "the end", func() bool {
		for _, m := range w.Own(w.channel) {
			if strings.Contains(m.Content, "Allowed by the page") {
				return true
			}
		}
		return false
	})
	if n := len(w.Own(w.channel)); n != 2 {
		t.Errorf("%d messages", n)
	}
}
