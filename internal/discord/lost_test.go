package discord_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/discord"
	"belay/internal/fault"
	"belay/test/discordtest"
)

// A part of an answer that Discord refuses costs no other part.
func TestRefusedPart(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("go")
	r := w.agent.requested(1)
	w.Script(discordtest.Rule{Method: "POST", Path: w.channel + "/messages", Skip: 1, Status: 400, Code: 240000})
	part := strings.TrimSpace(strings.Repeat("word ", 380))
	w.agent.put(r.Session, r.Request, final("A "+part+"\n\nB "+part+"\n\nC "+part))
	w.Wait(t, "the answer", func() bool { return len(w.Own(w.channel)) == 3 })
	own := w.Own(w.channel)
	if own[0].Content != "A "+part || !strings.HasPrefix(own[1].Content, "*A part of this answer could not be sent: ") || own[2].Content != "C "+part {
		t.Errorf("the channel shows %q, %q, %q", own[0].Content, own[1].Content, own[2].Content)
	}
}

// reconnect ends the connection so that it cannot be resumed, and waits for the next one.
func (w *world) reconnect() {
	w.t.Helper()
	sessions := w.Gateway.Sessions()
	w.Gateway.Forget()
	w.Gateway.Drop()
	w.Wait(w.t, "the connection", func() bool { return w.Gateway.Connected() && w.Gateway.Sessions() > sessions })
}

// An answer, or a refusal, that Discord does not take for long is sent when belay connects
// again, also where that goes on with the old session.
func TestAnswerThatWaits(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"answer", "refusal", "resumed"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := start(t, func(o *discord.Options) { o.Attempts = 1 })
			w.Script(discordtest.Rule{Method: "POST", Path: w.channel + "/messages", Status: 500, Times: 1000})
			want := "Hi"
			if kind == "refusal" {
				want = "This did not work: no such project\nlook again"
				w.agent.mu.Lock()
				w.agent.refusal = fault.New(fault.InvalidRequest, "no such project").WithHint("look again")
				w.agent.mu.Unlock()
				w.mention("go")
			} else {
				w.mention("go")
				r := w.agent.requested(1)
				w.agent.put(r.Session, r.Request, final("Hi"))
			}
			// After the last attempt it looks whether Discord is there at all.
			looked := len(w.Calls("GET", "/users/@me"))
			w.Wait(t, "the attempts", func() bool {
				return len(w.Calls("POST", w.channel+"/messages")) >= 2 && len(w.Calls("GET", "/users/@me")) > looked
			})
			w.Rules(nil)
			if kind == "resumed" {
				w.Gateway.Drop()
			} else {
				w.reconnect()
			}
			w.shown(want)
			w.recorded(`"finished"`, 1)
		})
	}
}

// A token that Discord does not take costs neither an answer nor a question: both come with the
// next connection.
func TestTokenThatIsNotTaken(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.Script(discordtest.Rule{Method: "POST", Path: w.channel + "/messages", Status: 401, Times: 2})
	w.mention("go")
	r := w.agent.requested(1)
	for n, say := range []func(){
		func() { w.agent.signal(r.Session, r.Request, changes("q1")) },
		func() { w.agent.put(r.Session, r.Request, final("Hi")) },
	} {
		say()
		w.Wait(t, "the attempt", func() bool { return len(w.Calls("POST", w.channel+"/messages")) > n })
	}
	w.reconnect()
	w.Wait(t, "both", func() bool { return len(w.Own(w.channel)) == 2 })
}

// A change that Discord refuses is not lost in silence: a message below says so.
func TestChangeThatIsRefused(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("go")
	r := w.agent.requested(1)
	w.agent.put(r.Session, r.Request, delta("Half"))
	w.shown("Half")
	w.Script(discordtest.Rule{Method: "PATCH", Path: w.channel + "/messages", Status: 400, Code: 200000, Times: 1000})
	w.agent.put(r.Session, r.Request, final("Half and more"))
	own := w.shown("Half", "*A part of this answer could not be shown: scripted (200000)*")
	if own[1].Reference.MessageID != own[0].ID {
		t.Errorf("it replies to %s", own[1].Reference.MessageID)
	}
}

// A message that exists although each attempt at it failed is found by a later attempt, also
// where Discord knows its nonce no more, and where the clock was set back.
func TestAnswerThatIsThere(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{30 * time.Minute, -30 * time.Minute} {
		t.Run(by.String(), func(t *testing.T) {
			t.Parallel()
			answerThatIsThere(t, by)
		})
	}
}

func answerThatIsThere(t *testing.T, by time.Duration) {
	var later atomic.Int64
	w := start(t, func(o *discord.Options) {
		o.Attempts, o.Now = 1, func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	w.mention("go")
	r := w.agent.requested(1)
	looked := len(w.Calls("GET", "/users/@me"))
	w.Script(discordtest.Rule{Method: "POST", Path: w.channel + "/messages", Cut: true, Times: 1000})
	w.agent.put(r.Session, r.Request, delta("Half"))
	w.Wait(t, "the last attempt", func() bool {
		return len(w.Calls("POST", w.channel+"/messages")) >= 2 && len(w.Calls("GET", "/users/@me")) > looked
	})
	w.Rules(nil)
	w.ForgetNonces()
	later.Store(int64(by))
	w.agent.put(r.Session, r.Request, final("Half and more"))
	w.recorded(`"finished"`, 1)
	w.shown("Half and more")
}

// While no session can be made for a message, the person gets word, once.
func TestNoSessionYet(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.agent.setDown(true)
	m := w.mention("hello")
	w.Wait(t, "the note", func() bool { return len(w.Own(w.channel)) == 1 })
	if note := w.last(); !strings.Contains(note.Content, "cannot pass this message on") || note.Reference.MessageID != m.ID {
		t.Errorf("the note is %+v", note)
	}
	w.agent.setDown(false)
	r := w.agent.requested(1)
	w.agent.put(r.Session, r.Request, final("ok"))
	w.Wait(t, "the answer", func() bool { return len(w.Own(w.channel)) == 2 && w.last().Content == "ok" })
}
