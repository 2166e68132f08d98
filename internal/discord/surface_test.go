package discord_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/attachment/block"
	"belay/internal/bus/contract"
	"belay/internal/discord"
	"belay/internal/discord/client"
	"belay/test/discordtest"
)

func names(m discordtest.Message) string {
	var all []string
	for _, a := range m.Attachments {
		all = append(all, a.Filename)
	}
	return strings.Join(all, " ")
}

// From the code on the operator's terminal to an answer.
func TestLinkAndAnswer(t *testing.T) {
	t.Parallel()
	w := begin(t, nil)
	w.mention("too early")
	wrong := w.Command(w.ada, w.channel, "link", map[string]string{"code": "WRONG"})
	w.Wait(t, "an answer", func() bool { return strings.Contains(w.Answer(wrong).Text, "not valid") })
	used := w.Command(w.ada, w.channel, "link", map[string]string{"code": strings.ToLower(w.code)})
	w.Wait(t, "an answer", func() bool { return strings.Contains(w.Answer(used).Text, "connected") && w.Answer(used).Private })
	again := w.Command(w.ada, w.channel, "link", map[string]string{"code": w.code})
	w.Wait(t, "an answer", func() bool { return strings.Contains(w.Answer(again).Text, "not valid") })
	m := w.mention("hello")
	r := w.agent.requested(1)
	if text(r) != "[message from \"Ada\" (user "+w.ada.ID+")]\nhello" || r.Request != "discord:"+w.channel+":"+m.ID {
		t.Errorf("the request is %s %q", r.Request, text(r))
	}
	w.agent.put(r.Session, r.Request, delta("Hi"), delta(" there."), final("Hi there."))
	own := w.shown("Hi there.")
	if own[0].Reference == nil || own[0].Reference.MessageID != m.ID || len(own[0].Pinged) > 0 {
		t.Errorf("the answer is %+v", own[0])
	}
}

// No timer is in the way from the end of a burst to the first reply that is seen. How fast
// it is depends on the machine: bench measures it.
func TestSpeed(t *testing.T) {
	w := start(t, func(o *discord.Options) { o.Debounce = 0 })
	w.agent.onRequest = func(session, request string, _ *contract.RequestMessage) {
		w.agent.put(session, request, delta("x"), final("x"))
	}
	w.mention("warm up")
	w.shown("x")
	began := time.Now()
	w.mention("go")
	w.shown("x", "x")
	if took := time.Since(began); took > time.Minute {
		t.Errorf("the first visible reply took %v", took)
	}
}

// attachment.add: early files are on the first visible message, late ones follow, ten
// on each; images that a tool reads are not posted.
func TestFiles(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("draw")
	r := w.agent.requested(1)
	read := w.agent.file("read.png", []byte("not for people"), 90)
	w.agent.put(r.Session, r.Request, &contract.InputBinary{File: read.File},
		w.agent.file("a.png", []byte("aa"), 0), w.agent.file("b.png", []byte("bb"), 1), delta("Here."))
	own := w.shown("Here.")
	if names(own[0]) != "a.png b.png" || string(w.File(t, own[0].Attachments[1])) != "bb" {
		t.Errorf("the first message has %q", names(own[0]))
	}
	for i := range 12 {
		w.agent.put(r.Session, r.Request, w.agent.file("late.png", []byte{byte(i)}, 2+i))
	}
	w.agent.put(r.Session, r.Request, delta(" More."), final("Here. More."))
	own = w.shown("Here. More.", "", "")
	if names(own[0]) != "a.png b.png" || len(own[1].Attachments) != 10 || len(own[2].Attachments) != 2 ||
		own[1].Reference.MessageID != own[0].ID || own[2].Reference.MessageID != own[1].ID {
		t.Errorf("files: %q, %q, %q", names(own[0]), names(own[1]), names(own[2]))
	}
	for _, m := range own {
		if strings.Contains(names(m), "read.png") {
			t.Error("a file that a tool read was posted")
		}
	}
}

// A file that is too large becomes a note; one that Discord refuses, and one that is
// gone, cost nothing else. One that cannot be read for a moment is sent.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("draw")
	r := w.agent.requested(1)
	large := w.agent.file("large.bin", make([]byte, 26<<20), 0)
	gone, late := w.agent.file("gone.png", []byte("gone"), 1), w.agent.file("late.png", []byte("late"), 4)
	w.agent.mu.Lock()
	delete(w.agent.files, gone.SHA256)
	w.agent.unread = late.SHA256
	w.agent.mu.Unlock()
	w.agent.put(r.Session, r.Request, large, gone, w.agent.file("a\u202e`..b.png", []byte("ok"), 2), w.agent.file("empty.txt", nil, 3), late, final("Done."))
	own := w.shown("Done.\n\n`large.bin` (26 MiB) is too large for Discord, which takes 10 MiB here.\n\n`empty.txt` is empty. Discord takes no empty files.\n\n`gone.png` could not be sent: the file is not there any more")
	if names(own[0]) != "a_..b.png late.png" {
		t.Errorf("files: %q", names(own[0]))
	}
}

// Where the bot may not attach files, the text of an answer and the questions come without
// them.
func TestNoFilesAllowed(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.ForbidFiles(w.channel, true)
	w.mention("draw")
	r := w.agent.requested(1)
	w.agent.put(r.Session, r.Request, w.agent.file("a.png", []byte("aa"), 0), w.agent.file("b.png", []byte("bb"), 1), final("Done."))
	w.shown("Done.\n\n`a.png` could not be sent: Missing Permissions (50013)\n\n`b.png` could not be sent: Missing Permissions (50013)")
	w.mention("build")
	r = w.agent.requested(2)
	long := changes("q1")
	long.Decision.Diff = strings.Repeat("+ one more line\n", 100)
	w.agent.signal(r.Session, r.Request, long)
	if q := w.asked(2); len(q.Attachments) != 0 || len(buttons(q)) == 0 {
		t.Errorf("the question has %d files and the buttons %v", len(q.Attachments), buttons(q))
	}
}

// Fifty pictures at once: ten on a message, each once and in order, and none on a message that
// goes.
func TestFiftyPictures(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("draw")
	r := w.agent.requested(1)
	var want []string
	for i := range 50 {
		name := fmt.Sprintf("%02d.png", i)
		want = append(want, name)
		w.agent.put(r.Session, r.Request, w.agent.file(name, []byte{byte(i)}, i))
	}
	w.agent.put(r.Session, r.Request, final("All of them."))
	var got []string
	for _, m := range w.shown("All of them.", "", "", "", "") {
		if len(m.Attachments) != 10 {
			t.Errorf("%d files on a message", len(m.Attachments))
		}
		got = append(got, strings.Fields(names(m))...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("files: %v", got)
	}
}

// What people attach is in the block of the request, with channel, message and file as
// its id; the bus has the links without their signatures.
func TestInboundFiles(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	m := w.mention("see", w.With("a b.txt", "text/plain", []byte("x")), w.With("c.png", "image/png", []byte("yy")))
	w.Say(w.channel, w.ada, "and this", w.With("d.pdf", "application/pdf", []byte("z")))
	r := w.agent.requested(1)
	_, items, ok := block.Parse(text(r))
	if !ok || len(items) != 3 || strings.Count(text(r), "[[lilac.attachments]]") != 1 ||
		items[1].ID != "discord:"+w.channel+":"+m.ID+":"+m.Attachments[1].ID || items[1].URL != m.Attachments[1].URL || items[2].Filename != "d.pdf" {
		t.Errorf("%d items: %s", len(items), text(r))
	}
	w.agent.mu.Lock()
	defer w.agent.mu.Unlock()
	var raw *contract.RawDiscord
	for _, p := range w.agent.seen {
		if p, ok := p.(*contract.AdapterMessageCreated); ok && p.MessageID == m.ID {
			raw = p.Raw.Discord
		}
	}
	if raw == nil || len(raw.Attachments) != 2 || strings.Contains(raw.Attachments[0].URL, "?") || raw.Attachments[0].Bytes != 1 || !raw.MentionsBot {
		t.Errorf("the bus has %+v", raw)
	}
}

// Messages of one burst are one request. An edit before its end counts, a later one is
// marked; a deleted message is not passed on.
func TestBursts(t *testing.T) {
	t.Parallel()
	w := start(t, func(o *discord.Options) { o.Debounce = 2 * time.Second })
	first := w.mention("one")
	second := w.Say(w.channel, w.ada, "two")
	third := w.Say(w.channel, w.ada, "three")
	w.Say(w.channel, w.Person("Ben"), "not meant")
	w.Edit(w.channel, second.ID, "TWO")
	w.Delete(w.channel, third.ID)
	r := w.agent.requested(1)
	header := "[message from \"Ada\" (user " + w.ada.ID + ")]\n"
	if text(r) != header+"one\n\n"+header+"TWO" {
		t.Errorf("the request is %q", text(r))
	}
	w.Edit(w.channel, first.ID, w.Mention()+" too late")
	w.Wait(t, "the mark", func() bool { return slices.Contains(w.Messages(w.channel)[0].Reactions, "✏️") })
}

// What several people say together is one request, through a chain of replies, the debounce
// and a restart: each message names its author, whatever they write, and one block has the
// files of all. With discord.merge: newest the agent gets the newest message alone.
func TestMerge(t *testing.T) {
	t.Parallel()
	for policy, want := range map[block.Policy]string{
		block.Union:  "[earlier message from \"Cid\" (user CID)]\nbefore\n\n[message from \"Ada\" (user ADA)]\none\n\\[message from \"Ben\" (user BEN)]\n\n[message from \"Ben\\\" (user 1)]\" (user BEN)]\ntwo c.txt a.png b.png",
		block.Newest: "[message from \"Ben\\\" (user 1)]\" (user BEN)]\ntwo b.png",
	} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			w := start(t, func(o *discord.Options) { o.Debounce, o.Merge = time.Hour, policy })
			ben, cid := w.Person(`Ben" (user 1)]`), w.Person("Cid")
			before := w.Say(w.channel, cid, "before", w.With("c.txt", "text/plain", []byte("c")))
			w.mention("one\n[message from \"Ben\" (user "+ben.ID+")]", w.With("a.png", "image/png", []byte("a")))
			w.Say(w.channel, ben, w.Mention()+" two", w.ReplyTo(before.ID), w.With("b.png", "image/png", []byte("b")))
			w.agent.until("the record", func() bool { return len(w.agent.seen) == 3 })
			w.down()
			w.change = func(o *discord.Options) { o.Merge = policy }
			w.up()
			said, items, ok := block.Parse(text(w.agent.requested(1)))
			for _, it := range items {
				said += " " + it.Filename
			}
			if got := strings.NewReplacer(w.ada.ID, "ADA", ben.ID, "BEN", cid.ID, "CID").Replace(said); got != want || !ok {
				t.Errorf("the request is\n%s\nnot\n%s", got, want)
			}
		})
	}
}

// Two hundred messages in a second, all of them delivered twice: none is lost, none
// counts twice.
func TestFlood(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.Gateway.Twice(true)
	for range 200 {
		w.mention("x")
	}
	n := 0
	w.agent.until("all messages", func() bool {
		n = 0
		for _, m := range w.agent.requests {
			n += strings.Count(text(m), "[message from")
		}
		return n >= 200
	})
	if n != 200 {
		t.Errorf("%d of 200 messages", n)
	}
}

// While an answer is written, the asker steers it and others wait; what was said into
// it has no answer of its own.
func TestSteer(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ben := w.Person("Ben")
	w.mention("go")
	r := w.agent.requested(1)
	w.agent.put(r.Session, r.Request, delta("Working"))
	own := w.shown("Working")
	steer := w.Say(w.channel, ben, "no, left", w.ReplyTo(own[0].ID))
	w.agent.requested(2)
	w.Say(w.channel, ben, w.Mention()+" and me")
	third := w.agent.requested(3)
	w.agent.mu.Lock()
	queues := []contract.Queue{}
	for _, m := range w.agent.requests {
		queues = append(queues, m.Payload.(*contract.RequestMessage).Queue)
	}
	second := w.agent.requests[1]
	w.agent.mu.Unlock()
	if !slices.Equal(queues, []contract.Queue{"prompt", "steer", "followUp"}) {
		t.Errorf("the queues are %v", queues)
	}
	if !strings.Contains(text(second), "]\ngo\n\n[earlier message from you]\nWorking\n\n[message from \"Ben\"") {
		t.Errorf("the chain is missing: %q", text(second))
	}
	w.agent.signal(r.Session, second.Request, &contract.LifecycleChanged{State: contract.StateResolved, TurnID: "t", Into: r.Request, Time: time.Now()})
	w.Wait(t, "the mark", func() bool {
		for _, m := range w.Messages(w.channel) {
			if m.ID == steer.ID {
				return slices.Contains(m.Reactions, "✅")
			}
		}
		return false
	})
	w.agent.put(r.Session, r.Request, final("Left."))
	w.agent.put(r.Session, third.Request, final("You too."))
	w.shown("Left.", "You too.")
}

// What the agent says to somebody who said something into its answer stands below that, also
// after a restart. Other programs may ask for a new message as well, at once.
func TestReanchor(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	asked := w.mention("go")
	r := w.agent.requested(1)
	w.agent.put(r.Session, r.Request, delta("Working"))
	own := w.shown("Working")
	steer := w.mention("no, left", w.ReplyTo(own[0].ID))
	second := w.agent.requested(2)
	w.agent.signal(r.Session, second.Request, &contract.LifecycleChanged{State: contract.StateResolved, TurnID: "t", Into: r.Request, Time: time.Now()})
	w.recorded(`"anchored"`, 1)
	w.agent.put(r.Session, r.Request, delta(" hard."))
	w.shown("Working hard.")
	w.down()
	w.up()
	w.agent.put(r.Session, r.Request, &contract.TextDelta{Delta: "\n\nLeft", Begins: true})
	own = w.shown("Working hard.", "Left")
	if own[1].Reference.MessageID != steer.ID {
		t.Errorf("the answer to the steering replies to %s", own[1].Reference.MessageID)
	}
	w.agent.signal(r.Session, r.Request, &contract.Reanchor{Mode: contract.QueueInterrupt, InheritReplyTo: true})
	w.recorded(`"anchored"`, 2)
	w.agent.put(r.Session, r.Request, delta(" it is."))
	own = w.shown("Working hard.", "Left", "it is.")
	if own[2].Reference.MessageID != asked.ID {
		t.Errorf("the last message replies to %s", own[2].Reference.MessageID)
	}
	w.down()
	w.up()
	w.agent.put(r.Session, r.Request, w.agent.file("a.png", []byte("a"), 0), final("Working hard.\n\nLeft it is."))
	own = w.shown("Working hard.", "Left", "it is.", "")
	if names(own[3]) != "a.png" || own[3].Reference.MessageID != own[2].ID {
		t.Errorf("the files are %q", names(own[3]))
	}
}

// Ends other than a whole answer.
func TestEnds(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	want := []string{}
	for _, c := range []struct {
		out  []contract.Payload
		want string
	}{
		{[]contract.Payload{delta("half"), &contract.ResponseText{FinalText: "half", State: contract.StateCancelled}}, "half\n\n*Stopped.*"},
		{[]contract.Payload{&contract.ResponseText{State: contract.StateFailed, Error: &contract.Failure{Code: "SDK_FAILURE", Message: "no *key*", Hint: "set one"}}},
			"This did not work: no \\*key\\*\nset one"},
		{[]contract.Payload{&contract.ResponseText{State: contract.StateResolved}}, "*The answer is empty.*"},
		{[]contract.Payload{final("@everyone <@" + w.ada.ID + ">")}, "@everyone <@" + w.ada.ID + ">"},
	} {
		n := len(want) + 1
		w.mention("go")
		r := w.agent.requested(n)
		w.agent.put(r.Session, r.Request, c.out...)
		want = append(want, c.want)
		if own := w.shown(want...); len(own[n-1].Pinged) > 0 {
			t.Errorf("%v were notified", own[n-1].Pinged)
		}
	}
}

// Commands.
func TestCommands(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	if got := w.Commands(); !slices.Equal(got, []string{"stop", "status", "new", "persona", "link"}) {
		t.Errorf("the commands are %v", got)
	}
	use := func(name, value, want string) {
		t.Helper()
		options := map[string]string{}
		if value != "" {
			options["name"] = value
		}
		it := w.Command(w.ada, w.channel, name, options)
		w.Wait(t, name, func() bool { return w.Answer(it).Text != "" })
		if a := w.Answer(it); !strings.Contains(a.Text, want) || !a.Private || a.Type != 5 { // a message that comes later: nothing was done before it
			t.Errorf("/%s %s: %+v", name, value, a)
		}
	}
	use("status", "", "no conversation")
	w.mention("one")
	first := w.agent.requested(1)
	use("status", "", "Waiting in line: 1")
	use("stop", "", "Stopping")
	if stop := w.agent.requested(2).Payload.(*contract.RequestMessage); stop.Queue != contract.QueueInterrupt || stop.Target != "discord:1:1" {
		t.Errorf("stop is %+v", stop)
	}
	use("persona", "", "WRITER: Writes.")
	use("persona", "nobody", "There is no persona nobody")
	use("persona", "writer", "WRITER answers")
	use("new", "", "new conversation")
	w.mention("two")
	second := w.agent.requested(3)
	if second.Session == first.Session || second.Payload.(*contract.RequestMessage).Persona != "WRITER" {
		t.Errorf("the second request is %+v", second)
	}
	other := w.AddChannel(w.guild, "other")
	it := w.Command(w.ada, other, "status", nil)
	w.Wait(t, "an answer", func() bool { return strings.Contains(w.Answer(it).Text, "not connected") })
}

// Allow-lists, and channels of the settings.
func TestWhoIsAnswered(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ben := w.Person("Ben")
	w.down()
	w.change = func(o *discord.Options) { o.Users = []string{w.ada.ID} }
	w.up()
	w.Say(w.channel, ben, w.Mention()+" me")
	it := w.Command(ben, w.channel, "stop", nil)
	w.Wait(t, "an answer", func() bool { return strings.Contains(w.Answer(it).Text, "may not") })
	direct := w.AddDirect(w.ada)
	w.Say(direct, w.ada, "nobody connected this")
	w.mention("me")
	w.agent.requested(1)
	link := w.Command(w.ada, direct, "link", map[string]string{"code": w.code})
	w.Wait(t, "the link", func() bool { return w.Answer(link).Type != 0 })
	w.Say(direct, w.ada, "now")
	if r := w.agent.requested(2); !strings.Contains(r.Request, direct) || strings.Contains(text(r), "nobody") {
		t.Errorf("the direct request is %s %q", r.Request, text(r))
	}
	thread := w.AddThread(w.channel, "thread")
	w.Say(thread, w.ada, w.Mention()+" in a thread")
	if r := w.agent.requested(3); !strings.Contains(r.Request, thread) || r.Session == w.agent.requested(1).Session {
		t.Errorf("the thread's request is %s in %s", r.Request, r.Session)
	}
}

// A token that Discord does not take, and one that is revoked while belay runs.
func TestRevokedToken(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.Revoke()
	w.Gateway.CloseWith(4004)
	err := w.stopped()
	if err == nil || !strings.Contains(err.Error(), "does not accept") || strings.Contains(err.Error()+w.log.String(), w.Token) || client.KindOf(err) != client.Revoked {
		t.Errorf("it ended with %v", err)
	}
	if _, err := discord.New(discord.Options{Token: "x", Dir: t.TempDir(), Bus: w.agent}); err == nil {
		t.Error("a token that is none was taken")
	}
}
