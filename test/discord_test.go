package test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"belay/test/discordtest"
)

// inDiscord is a server that answers in a Discord, and a channel of that.
type inDiscord struct {
	*discordtest.Server
	t       *testing.T
	place   *place
	cmd     *exec.Cmd
	log     *lockedBuffer
	channel string
	ada     discordtest.User
}

type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// newDiscord makes a Discord and an operator whose agent plays a script.
func newDiscord(t *testing.T, script string) *inDiscord {
	t.Helper()
	d := &inDiscord{Server: discordtest.New(t, discordtest.Options{Rate: 100, Per: time.Second}), t: t}
	d.place = newPlace(t, "BELAY_DISCORD_TOKEN="+d.Token, "BELAY_DISCORD_API="+d.URL, "BELAY_DISCORD_DEBOUNCE=50ms")
	d.place.scripted(script)
	d.channel = d.AddChannel(d.AddGuild("guild", 0), "general")
	d.ada = d.Person("Ada")
	return d
}

// value is a variable of the operator's environment.
func (p *place) value(name string) string {
	for _, v := range p.env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

var linkCode = regexp.MustCompile(`/link ([A-Z2-7]+) in it`)

// serve starts the server and waits until it is connected. It returns the code that
// the server printed.
func (d *inDiscord) serve() string {
	d.t.Helper()
	return d.connect(d.place.command("serve", "--addr", "127.0.0.1:0"))
}

// connect starts a command that connects to Discord.
func (d *inDiscord) connect(cmd *exec.Cmd) string {
	d.t.Helper()
	sessions := d.Gateway.Sessions()
	d.log = &lockedBuffer{}
	d.cmd = cmd
	d.cmd.Stdout, d.cmd.Stderr = d.log, d.log
	must(d.t, d.cmd.Start())
	d.t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	defer func() {
		if d.t.Failed() {
			d.t.Logf("the server says:\n%s", d.log)
		}
	}()
	d.Wait(d.t, "the connection", func() bool { return d.Gateway.Connected() && d.Gateway.Sessions() > sessions })
	found := linkCode.FindStringSubmatch(d.log.String())
	if found == nil {
		d.t.Fatalf("no code is printed:\n%s", d.log)
	}
	return found[1]
}

// kill ends the server at once.
func (d *inDiscord) kill() {
	_ = d.cmd.Process.Kill()
	_ = d.cmd.Wait()
}

// link connects the channel with a code.
func (d *inDiscord) link(code string) {
	d.t.Helper()
	it := d.Command(d.ada, d.channel, "link", map[string]string{"code": code})
	d.Wait(d.t, "the link", func() bool { return strings.Contains(d.Answer(it).Text, "connected") })
}

// publishes is the setting that connects the channel and lets the agent send files there
// that fit a pattern.
func (d *inDiscord) publishes(pattern string) string {
	return fmt.Sprintf("BELAY_DISCORD_CHANNELS={'%s': {project: '%s', deciders: ['%s'], publish: ['%s']}}", d.channel, d.place.project, d.ada.ID, pattern)
}

// until waits for texts of the bot's messages, in order.
func (d *inDiscord) until(want ...string) []discordtest.Message {
	d.t.Helper()
	var own []discordtest.Message
	defer func() {
		if d.t.Failed() {
			for _, m := range own {
				d.t.Logf("shown: %q", m.Content)
			}
			d.t.Logf("the server says:\n%s", d.log)
		}
	}()
	d.Wait(d.t, fmt.Sprintf("%q", want), func() bool {
		own = d.Own(d.channel)
		if len(own) != len(want) {
			return false
		}
		for i, m := range own {
			if !strings.Contains(m.Content, want[i]) {
				return false
			}
		}
		return true
	})
	return own
}

// press finds a button by its label and presses it.
func (d *inDiscord) press(m discordtest.Message, label string) {
	d.t.Helper()
	for _, row := range m.Components {
		for _, b := range row.(map[string]any)["components"].([]any) {
			if b := b.(map[string]any); b["label"] == label {
				d.Press(d.ada, d.channel, m.ID, b["custom_id"].(string))
				return
			}
		}
	}
	d.t.Fatalf("no button %q: %v", label, m.Components)
}

// A person connects a channel with the code on the operator's terminal, asks for a
// change, applies it with a button after the server was killed and started again, and
// gets one answer. The token is in no output.
func TestDiscord(t *testing.T) {
	t.Parallel()
	d := newDiscord(t, `turns:
  - when: write it
    steps:
      - say: I write it.
      - call: {name: write, input: {path: a.txt, content: "one\n"}}
      - say: It is written.
  - steps:
      - say: Nothing to do.
`)
	d.place.race()
	d.link(d.serve())
	d.Say(d.channel, d.ada, d.Mention()+" hello")
	d.until("Nothing to do.")
	d.Say(d.channel, d.ada, d.Mention()+" write it")
	question := d.until("Nothing to do.", "I write it.", "a.txt")[2] // below the text that leads to it
	d.kill()
	d.serve()
	if !strings.Contains(question.Shown(), "a.txt") || !strings.Contains(question.Shown(), "+one") {
		t.Errorf("the question is %q", question.Shown())
	}
	if _, err := os.Stat(filepath.Join(d.place.project, "a.txt")); err == nil {
		t.Error("the file is written before the answer")
	}
	d.press(question, "Apply changes")
	d.Wait(t, "the end", func() bool {
		own := d.Own(d.channel)
		all := ""
		for _, m := range own {
			all += m.Content + "\n"
		}
		return strings.Contains(all, "It is written.") && strings.Contains(all, "Allowed by <@"+d.ada.ID+">")
	})
	if data, err := os.ReadFile(filepath.Join(d.place.project, "a.txt")); string(data) != "one\n" {
		t.Errorf("the file holds %q: %v", data, err)
	}
	if own := d.Own(d.channel); len(own) != 3 {
		t.Errorf("%d messages: %+v", len(own), own)
	}
	audit, err := os.ReadFile(filepath.Join(d.place.value("XDG_STATE_HOME"), "belay", "audit.jsonl"))
	if err != nil || !strings.Contains(string(audit), "discord:"+d.ada.ID) {
		t.Errorf("the audit log does not name the person: %v", err)
	}
	if strings.Contains(d.log.String(), d.Token) {
		t.Error("the token is in the log")
	}
}

// A file that a person sends reaches the agent as an item whose signature neither model
// nor records see; a file that the agent sends is on the answer.
func TestDiscordFiles(t *testing.T) {
	t.Parallel()
	d := newDiscord(t, `turns:
  - steps:
      - call: {name: attachment.download, input: {}}
      - call: {name: attachment.add, input: {path: a.txt}}
      - say: Here it is.
`)
	d.place.env = append(d.place.env, "BELAY_PERMIT_ALLOW=attachment.download", d.publishes("*.txt"))
	must(t, os.WriteFile(filepath.Join(d.place.project, "a.txt"), []byte("content"), 0o600))
	d.serve()
	d.Say(d.channel, d.ada, d.Mention()+" look", d.With("plan.png", "image/png", []byte("x")))
	own := d.until("Here it is.")
	if len(own[0].Attachments) != 1 || string(d.File(t, own[0].Attachments[0])) != "content" {
		t.Errorf("the answer has the files %+v", own[0].Attachments)
	}
	found := false
	must(t, filepath.WalkDir(filepath.Join(d.place.project, ".belay"), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), strings.Repeat("5e", 32)) {
			t.Errorf("%s has the signature of the file's address", path)
		}
		found = found || strings.Contains(string(data), "plan.png") && strings.Contains(string(data), "discord:"+d.channel)
		return err
	}))
	if !found {
		t.Error("no record names the file that the person sent")
	}
}

// Files that a person sends are fetched from Discord without an address of the model's: each
// is written once, whole, under its hash, and what is there already is not written again.
func TestDiscordDownload(t *testing.T) {
	t.Parallel()
	d := newDiscord(t, `turns:
  - steps:
      - call: {name: attachment.download, input: {downloadDir: received}}
      - say: I have them.
  - steps:
      - call: {name: attachment.download, input: {downloadDir: received}}
      - say: I have these, too.
`)
	host, err := url.Parse(d.URL)
	must(t, err)
	d.place.env = append(d.place.env, "BELAY_PERMIT_ALLOW=attachment.download", "BELAY_TOOLS_RECEIVE_HOSTS="+host.Host, d.publishes("*.txt"))
	d.serve()
	plan, levels := []byte("\x89PNG\r\n\x1a\nplan"), []byte("point,level\nD0,3.45\n")
	d.Say(d.channel, d.ada, d.Mention()+" take these", d.With("plan.png", "image/png", plan), d.With("levels.csv", "text/csv", levels))
	d.until("I have them.")
	folder := filepath.Join(d.place.project, "received")
	first := filesIn(t, folder)
	if len(first) != 2 {
		t.Fatalf("received are %v\n%s", first, d.log)
	}
	for extension, content := range map[string][]byte{".png": plan, ".csv": levels} {
		sum := sha256.Sum256(content)
		if name := hex.EncodeToString(sum[:])[:10] + extension; first[name].content != string(content) {
			t.Errorf("%s is not among %v", name, first)
		}
	}
	more := []byte("a third file\n")
	d.Say(d.channel, d.ada, d.Mention()+" and these", d.With("plan.png", "image/png", plan), d.With("more.txt", "text/plain", more))
	d.until("I have them.", "I have these, too.")
	second := filesIn(t, folder)
	if len(second) != 3 {
		t.Errorf("then received are %v", second)
	}
	for path, file := range first {
		if !second[path].changed.Equal(file.changed) {
			t.Errorf("%s was written again", path)
		}
	}
}

// Messages that are said into an answer one after the other, and that the agent gets together:
// by default all of them with all files; with discord.merge: newest the newest alone.
func TestDiscordMerge(t *testing.T) {
	t.Parallel()
	for merge, want := range map[string]struct {
		files int
		kept  []string
	}{
		"union":  {2, []string{"input this too", "input no, that"}},
		"newest": {1, []string{"replaced this too", "input no, that"}},
	} {
		t.Run(merge, func(t *testing.T) {
			t.Parallel()
			d := newDiscord(t, `turns:
  - steps:
      - say: I write it.
      - call: {name: write, input: {path: a.txt, content: "one\n"}}
      - say: Now the files.
      - call: {name: attachment.download, input: {downloadDir: received}}
      - say: I have it.
`)
			host, err := url.Parse(d.URL)
			must(t, err)
			d.place.env = append(d.place.env, "BELAY_DISCORD_MERGE="+merge, "BELAY_PERMIT_ALLOW=attachment.download", "BELAY_TOOLS_RECEIVE_HOSTS="+host.Host, d.publishes("*.txt"))
			d.serve()
			d.Say(d.channel, d.ada, d.Mention()+" write it")
			question := d.until("I write it.", "a.txt")[1]
			d.steer("this too", d.With("plan.png", "image/png", []byte("\x89PNG\r\n\x1a\nplan")))
			d.steer("no, that", d.With("levels.csv", "text/csv", []byte("point,level\nD0,3.45\n")))
			d.press(question, "Apply changes")
			d.Wait(t, "the end", func() bool {
				return slices.ContainsFunc(d.Own(d.channel), func(m discordtest.Message) bool { return strings.Contains(m.Content, "I have it.") })
			})
			if files := filesIn(t, filepath.Join(d.place.project, "received")); len(files) != want.files {
				t.Errorf("received are %v", files)
			}
			if kept := d.said(); !slices.Equal(kept, want.kept) {
				t.Errorf("on record are %q", kept)
			}
		})
	}
}

// steer says something into the answer and waits until the agent has it.
func (d *inDiscord) steer(text string, change ...func(*discordtest.Message)) {
	d.t.Helper()
	m := d.Say(d.channel, d.ada, d.Mention()+" "+text, change...)
	d.Wait(d.t, "the mark on "+text, func() bool {
		return slices.ContainsFunc(d.Messages(d.channel), func(now discordtest.Message) bool { return now.ID == m.ID && slices.Contains(now.Reactions, "✅") })
	})
}

// said are the lines of the only transcript that people said into an answer, each with its kind
// and its last line.
func (d *inDiscord) said() (all []string) {
	d.t.Helper()
	files, err := filepath.Glob(filepath.Join(d.place.project, ".belay", "sessions", "*", "transcript.jsonl"))
	must(d.t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(d.t, err)
		for line := range strings.Lines(string(data)) {
			var e struct{ Kind, Message string }
			must(d.t, json.Unmarshal([]byte(line), &e))
			if e.Kind == "input" || e.Kind == "replaced" {
				all = append(all, e.Kind+" "+e.Message[strings.LastIndex(e.Message, "\n")+1:])
			}
		}
	}
	return all
}

// receivedFile is a file in a folder of received ones.
type receivedFile struct {
	content string
	changed time.Time
}

// filesIn are the files of a folder, by name.
func filesIn(t *testing.T, folder string) map[string]receivedFile {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	all := map[string]receivedFile{}
	for _, e := range entries {
		info, err := e.Info()
		must(t, err)
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		must(t, err)
		all[e.Name()] = receivedFile{string(data), info.ModTime()}
	}
	return all
}

// The server is killed at moments of an answer with files. After the restart the
// message has one answer, and each file is there once.
func TestDiscordKilled(t *testing.T) {
	t.Parallel()
	for _, after := range []int{30, 90, 150, 250, 400} { // ms
		t.Run(fmt.Sprintf("%d ms", after), func(t *testing.T) {
			t.Parallel()
			d := newDiscord(t, `turns:
  - steps:
      - say: One.
      - call: {name: attachment.add, input: {path: a.txt}}
      - say: Two.
      - call: {name: attachment.add, input: {path: b.txt}}
      - say: Three.
`)
			d.place.env = append(d.place.env, d.publishes("*.txt"), "BELAY_SCRIPTED_PACE=20ms")
			for _, name := range []string{"a.txt", "b.txt"} {
				must(t, os.WriteFile(filepath.Join(d.place.project, name), []byte(name), 0o600))
			}
			d.serve()
			d.Say(d.channel, d.ada, d.Mention()+" go")
			time.Sleep(time.Duration(after) * time.Millisecond) // the moment is what is tried
			d.kill()
			d.serve()
			seen := func() (texts int, files string) {
				for _, m := range d.Own(d.channel) {
					if m.Content != "" {
						texts++
					}
					for _, a := range m.Attachments {
						files += a.Filename + " "
					}
				}
				return texts, files
			}
			whole := func() bool {
				texts, files := seen()
				own := d.Own(d.channel)
				if texts != 1 {
					return false
				}
				// Killed while the model was at work, the turn ends there, and says so.
				return strings.Contains(own[0].Content, "Three.") && len(files) == len("a.txt b.txt ") || strings.Contains(own[0].Content, "This did not work") || strings.Contains(own[0].Content, "*Stopped.*")
			}
			d.Wait(t, "the end of the answer", whole)
			// Another answer shows that nothing of the first one is still to come.
			d.Say(d.channel, d.ada, d.Mention()+" again")
			d.Wait(t, "the next answer", func() bool {
				texts, _ := seen()
				own := d.Own(d.channel)
				return texts == 2 && strings.Contains(own[len(own)-1].Content, "again")
			})
			counts := map[string]int{}
			for _, m := range d.Own(d.channel) {
				for _, a := range m.Attachments {
					counts[a.Filename]++
				}
			}
			if counts["a.txt"] > 1 || counts["b.txt"] > 1 {
				t.Errorf("files are there more than once: %v", counts)
			}
		})
	}
}
