package discord_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord"
	"belay/test/discordtest"
)

// everything is what the channel must show in the end: each text and each file once.
func everything(own []discordtest.Message) string {
	var texts, files []string
	for _, m := range own {
		if m.Content != "" {
			texts = append(texts, m.Content)
		}
		for _, a := range m.Attachments {
			files = append(files, a.Filename)
		}
	}
	slices.Sort(files)
	return strings.Join(texts, "|") + " " + strings.Join(files, " ")
}

// The surface ends at every call of Discord, before it arrives and after it was carried
// out, in an answer with files. After the restart the answer is there once, whole.
func TestRestartAtEveryCall(t *testing.T) {
	t.Parallel()
	const want = "Here it is, all of it. a.png b.png c.png"
	for n := range 4 {
		for _, rule := range []discordtest.Rule{{Status: 503}, {Cut: true}} {
			t.Run(fmt.Sprintf("call %d, %+v", n, rule.Cut), func(t *testing.T) {
				t.Parallel()
				w := start(t, nil)
				rule.Path, rule.Skip, rule.Times = w.channel+"/messages", n, 1000
				w.mention("go")
				r := w.agent.requested(1)
				w.Script(rule)
				w.agent.put(r.Session, r.Request, w.agent.file("a.png", []byte("a"), 0), delta("Here it is"))
				// The surface reaches the broken call, or the end of its work.
				w.Wait(t, "the break", func() bool {
					calls := w.Calls("", w.channel+"/messages")
					return len(calls) > n || len(calls) > 0
				})
				w.agent.put(r.Session, r.Request, w.agent.file("b.png", []byte("b"), 1), w.agent.file("c.png", []byte("c"), 2), final("Here it is, all of it."))
				w.Wait(t, "the break", func() bool { return len(w.Calls("", w.channel+"/messages")) > min(n, 2) })
				w.down()
				w.Rules(nil)
				w.up()
				w.Wait(t, "the whole answer", func() bool { return everything(w.Own(w.channel)) == want })
				w.down()
				w.up() // nothing is left to do
				w.mention("more")
				next := w.agent.requested(2)
				w.agent.put(next.Session, next.Request, final("ok"))
				w.Wait(t, "the next answer", func() bool { return everything(w.Own(w.channel)) == strings.Replace(want, " a.png", "|ok a.png", 1) })
			})
		}
	}
}

// Beyond the time for which Discord knows a nonce, belay looks before it sends again.
func TestOldNonce(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	w := start(t, func(o *discord.Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	w.mention("go")
	r := w.agent.requested(1)
	for range 120 { // more than Discord lists at once
		w.Say(w.channel, w.Person("Ben"), "meanwhile")
	}
	w.recorded("meanwhile", 120) // or many of them are missed later
	w.Script(discordtest.Rule{Method: "POST", Path: w.channel + "/messages", Cut: true, Times: 100})
	w.agent.put(r.Session, r.Request, w.agent.file("a.png", []byte("a"), 0), final("answer"))
	w.Wait(t, "the message", func() bool { return len(w.Own(w.channel)) == 1 })
	w.down()
	w.Rules(nil)
	w.ForgetNonces()
	later.Store(int64(30 * time.Minute))
	w.up()
	w.mention("again")
	next := w.agent.requested(2)
	w.agent.put(next.Session, next.Request, final("ok"))
	w.Wait(t, "the next answer", func() bool { return strings.Contains(everything(w.Own(w.channel)), "ok") })
	if got := everything(w.Own(w.channel)); got != "answer|ok a.png" {
		t.Errorf("shown: %s", got)
	}
}

// record is the file about the channel.
func (w *world) record() string {
	data, err := os.ReadFile(filepath.Join(w.dir, "channels", w.channel+".jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// recorded waits until the file has a text so many times.
func (w *world) recorded(text string, n int) {
	w.t.Helper()
	for end := time.Now().Add(patience); strings.Count(w.record(), text) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("%s is not on record %d times:\n%s", text, n, w.record())
		}
	}
}

// A message that was recorded and not yet passed on when the process died has its
// answer after the restart; so has one whose request was recorded and not published.
func TestAcceptedBeforeDeath(t *testing.T) {
	t.Parallel()
	w := start(t, func(o *discord.Options) { o.Debounce = time.Hour })
	w.mention("in the burst")
	w.agent.until("the record", func() bool { return len(w.agent.seen) > 0 })
	w.down()
	w.agent.setDown(true)
	w.change = nil
	w.up()
	w.down() // the request may be on record now, but the bus did not take it
	w.agent.setDown(false)
	w.up()
	r := w.agent.requested(1)
	if !strings.Contains(text(r), "in the burst") {
		t.Errorf("the request is %q", text(r))
	}
	w.agent.put(r.Session, r.Request, final("here"))
	w.shown("here")
}

// Messages, or the channel, that vanish while they are answered.
func TestVanishing(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	asked := w.mention("go")
	r := w.agent.requested(1)
	w.Delete(w.channel, asked.ID)
	w.agent.put(r.Session, r.Request, delta("one"))
	own := w.shown("one")
	w.Delete(w.channel, own[0].ID)
	w.agent.put(r.Session, r.Request, w.agent.file("a.png", []byte("a"), 0), final("one two"))
	own = w.shown("")
	if names(own[0]) != "a.png" {
		t.Errorf("files: %q", names(own[0]))
	}
	w.mention("and here")
	r = w.agent.requested(2)
	w.Forbid(w.channel, true)
	w.agent.put(r.Session, r.Request, final("nobody sees this"))
	w.Wait(t, "the attempt", func() bool {
		calls := w.Calls("POST", w.channel+"/messages")
		return len(calls) > 0 && calls[len(calls)-1].Status == 403
	})
	w.Forbid(w.channel, false)
	w.mention("back")
	r = w.agent.requested(3)
	w.agent.put(r.Session, r.Request, final("yes"))
	w.shown("", "yes")
	if r.Payload.(*contract.RequestMessage).Queue != contract.QueuePrompt {
		t.Error("the lost answer still runs")
	}
}

// A reply about a new session that comes too late leaves no second session.
func TestLateSession(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.agent.mu.Lock()
	w.agent.late = 2
	w.agent.mu.Unlock()
	w.mention("hello")
	r := w.agent.requested(1)
	w.agent.mu.Lock()
	defer w.agent.mu.Unlock()
	if r.Session != "session-1" || w.agent.sessions != 1 {
		t.Errorf("the session is %s of %d", r.Session, w.agent.sessions)
	}
}
