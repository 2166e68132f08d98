package test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"belay/test/discordtest"
)

// chaos is a conversation during which the server is killed again and again, at calls of
// Discord that a seed chooses.
type chaos struct {
	*inDiscord
	random *rand.Rand
	asked  []discordtest.Message

	mu sync.Mutex
	// left is how many moments are passed before the next kill, kills how many are still
	// to come. Moments are counted, so the speed of the machine does not matter.
	left, kills int
	killed      chan struct{}
}

// maxMoments is how many moments lie between a start of the server and its end, at most:
// about those of two answers with files.
const maxMoments = 40

// fewMoments is how many pass at least before the first kill: those of the start, and of an
// answer.
const fewMoments = 40

// moment is a request to Discord, before it is carried out or after. It may be the last one
// of the server.
func (c *chaos) moment(*http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left != 0 || c.kills == 0 {
		return
	}
	c.kills--
	_ = c.cmd.Process.Kill()
	close(c.killed)
}

// start starts the server, and chooses when it is killed: not before the first answer.
func (c *chaos) start() {
	c.log = &lockedBuffer{}
	cmd := c.place.command("serve", "--addr", "127.0.0.1:0")
	cmd.Stdout, cmd.Stderr = c.log, c.log
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left, c.killed = 1+c.random.IntN(maxMoments), make(chan struct{})
	if len(c.asked) == 0 {
		c.left = fewMoments + c.random.IntN(maxMoments)
	}
	must(c.t, cmd.Start())
	c.cmd = cmd
	c.t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
}

// ask says the next message, as somebody who has said nothing before: what the asker of an
// answer says goes into that answer.
func (c *chaos) ask() {
	n := len(c.asked)
	c.asked = append(c.asked, c.Say(c.channel, c.Person(fmt.Sprintf("P%d", n)), fmt.Sprintf("%s question %02d", c.Mention(), n)))
}

// accepted is a request of belay's record: its answer replies to the last of its messages.
type accepted struct {
	last     string
	finished bool
}

// requests are, for each question, the request that it is in. What several people say within
// a short time is one request.
func (c *chaos) requests() map[string]*accepted {
	all, byID := map[string]*accepted{}, map[string]*accepted{}
	data, _ := os.ReadFile(c.recordFile())
	for line := range strings.Lines(string(data)) {
		var l struct {
			Accepted struct {
				ID       string
				Messages []string
			}
			Finished string
		}
		if json.Unmarshal([]byte(line), &l) != nil {
			continue
		}
		if r := byID[l.Finished]; r != nil {
			r.finished = true
		}
		if byID[l.Accepted.ID] != nil || len(l.Accepted.Messages) == 0 {
			continue
		}
		r := &accepted{last: l.Accepted.Messages[len(l.Accepted.Messages)-1]}
		byID[l.Accepted.ID] = r
		for _, id := range l.Accepted.Messages {
			if all[id] != nil {
				c.t.Errorf("the message %s is in two requests", id)
			}
			all[id] = r
		}
	}
	return all
}

func (c *chaos) recordFile() string {
	return filepath.Join(c.place.value("XDG_STATE_HOME"), "belay", "discord", "channels", c.channel+".jsonl")
}

// answers are the texts that reply to each message of a person.
func (c *chaos) answers() map[string][]string {
	all := map[string][]string{}
	for _, m := range c.Own(c.channel) {
		if m.Reference != nil && m.Content != "" {
			all[m.Reference.MessageID] = append(all[m.Reference.MessageID], m.Content)
		}
	}
	return all
}

// whole reports whether an answer has its end: what the agent says last, or why it does not.
func whole(text string) bool {
	return strings.Contains(text, "End.") || strings.Contains(text, "This did not work") || strings.Contains(text, "*Stopped.*")
}

// done reports whether each question has an answer with its end.
func (c *chaos) done() bool {
	answers, requests := c.answers(), c.requests()
	return !slices.ContainsFunc(c.asked, func(m discordtest.Message) bool {
		r := requests[m.ID]
		if r == nil {
			return true
		}
		texts := answers[r.last]
		return len(texts) == 0 && !r.finished || len(texts) > 0 && !whole(texts[len(texts)-1])
	})
}

// sessions are the files of all sessions that have a pattern.
func (c *chaos) sessions(pattern string) string {
	var all strings.Builder
	names, err := filepath.Glob(filepath.Join(c.place.project, ".belay", "sessions", "*", pattern))
	must(c.t, err)
	for _, name := range names {
		data, err := os.ReadFile(name)
		must(c.t, err)
		all.Write(data)
	}
	return all.String()
}

func (c *chaos) transcripts() string { return c.sessions("transcript.jsonl") }

// sent are the files that the agents sent, by the logs of the sessions.
func (c *chaos) sent() map[string]int {
	all := map[string]int{}
	for line := range strings.Lines(c.sessions("log/*.jsonl")) {
		var e struct {
			Type string
			Data struct{ Filename string }
		}
		if json.Unmarshal([]byte(line), &e) == nil && e.Type == "attachment:add" {
			all[e.Data.Filename]++
		}
	}
	return all
}

// shown are the files in the channel.
func (c *chaos) shown() map[string]int {
	all := map[string]int{}
	for _, m := range c.Own(c.channel) {
		for _, a := range m.Attachments {
			all[a.Filename]++
		}
	}
	return all
}

// converse asks, a few questions at a time, until the server was killed often enough; then
// once more: nothing of the answers before is still to come then.
func (c *chaos) converse() {
	c.start()
	c.Wait(c.t, "the connection", c.Gateway.Connected) // what is said before the first one may be missed
	c.ask()
	c.until(c.done)
	for last := false; !last; {
		c.mu.Lock()
		last = c.kills == 0
		c.mu.Unlock()
		for range 1 + c.random.IntN(3) {
			c.ask()
		}
		c.until(c.done)
	}
	c.until(func() bool { return maps.Equal(c.shown(), c.sent()) }) // the last files follow the text
}

// until waits, and starts the server again when it was killed.
func (c *chaos) until(done func() bool) {
	c.t.Helper()
	for end := time.Now().Add(patience); !done(); {
		select {
		case <-c.killed:
			_ = c.cmd.Wait()
			if c.random.IntN(3) == 0 {
				c.ask() // while nobody is there
			}
			c.start()
			end = time.Now().Add(patience)
		case <-time.After(5 * time.Millisecond):
			if time.Now().After(end) {
				c.check()
				c.t.Fatal("an answer is missing")
			}
		}
	}
}

// The server is killed at twenty moments of conversations with files. In the end each message
// has one answer, each file that an agent sent is there once, and nothing else is.
func TestDiscordChaos(t *testing.T) {
	t.Parallel()
	first, _ := strconv.ParseUint(os.Getenv("BELAY_CHAOS_SEED"), 10, 64) // other conversations
	for seed := first; seed < first+4; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			var script strings.Builder
			script.WriteString("turns:\n")
			for i := range 100 {
				fmt.Fprintf(&script, `  - when: question %02d
    steps:
      - say: "One. "
      - call: {name: attachment.add, input: {path: a%02d.txt}}
      - say: "Two. "
      - call: {name: attachment.add, input: {paths: [b%02d.txt, c%02d.txt]}}
      - say: "End."
`, i, i, i, i)
			}
			c := &chaos{inDiscord: newDiscord(t, script.String()), random: rand.New(rand.NewPCG(seed, 0)), kills: 5}
			for i := range 100 {
				for _, letter := range []string{"a", "b", "c"} {
					name := fmt.Sprintf("%s%02d.txt", letter, i)
					must(t, os.WriteFile(filepath.Join(c.place.project, name), []byte(name), 0o600))
				}
			}
			c.place.env = append(c.place.env, c.publishes("*.txt"), "BELAY_SCRIPTED_PACE=5ms")
			c.Watch(c.moment)
			c.converse()
			c.check()
		})
	}
}

// check looks at what is in the channel in the end.
func (c *chaos) check() {
	t := c.t
	answers, requests, files := c.answers(), c.requests(), c.shown()
	for _, m := range c.Own(c.channel) {
		if m.Content == "" && len(m.Attachments) == 0 {
			t.Error("an empty message is left")
		}
	}
	said := c.transcripts()
	for i, m := range c.asked {
		r, text := requests[m.ID], fmt.Sprintf("question %02d", i)
		switch {
		case r == nil:
			t.Errorf("%s was not accepted", text)
		case len(answers[r.last]) == 0 && r.finished && strings.Contains(said, text):
			// it was said into an answer that was being written
		case len(answers[r.last]) != 1:
			t.Errorf("%s has %d answers: %q", text, len(answers[r.last]), answers[r.last])
		}
	}
	for _, r := range requests {
		delete(answers, r.last)
	}
	for _, texts := range answers {
		t.Errorf("these answer nobody: %q", texts)
	}
	if want := c.sent(); !maps.Equal(files, want) {
		t.Errorf("files in Discord:\n%v\nand in the logs:\n%v", files, want)
	}
	if t.Failed() {
		for _, m := range c.Messages(c.channel) {
			var names []string
			for _, a := range m.Attachments {
				names = append(names, a.Filename)
			}
			reply := ""
			if m.Reference != nil {
				reply = m.Reference.MessageID
			}
			t.Logf("%s → %s %s: %q %v", m.ID, reply, m.Author.Username, m.Content, names)
		}
		data, _ := os.ReadFile(c.recordFile())
		t.Logf("belay's record of the channel:\n%s\nthe last server says:\n%s", data, c.log)
	}
}
