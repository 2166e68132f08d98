//go:build unix

package test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"belay/test/discordtest"
)

// withoutVariable is the environment without a variable.
func (p *place) withoutVariable(name string) []string {
	return slices.DeleteFunc(slices.Clone(p.env), func(v string) bool { return strings.HasPrefix(v, name+"=") })
}

// alone starts belay discord and waits until it is connected. It returns the code that it
// printed.
func (d *inDiscord) alone() string {
	d.t.Helper()
	return d.connect(d.place.command("discord"))
}

// belay discord answers in a process of its own, with the token that the server does not have.
// Each of the two is killed in turn; what is said meanwhile is answered, and files arrive.
func TestDiscordAlone(t *testing.T) {
	t.Parallel()
	d := newDiscord(t, `turns:
  - when: send
    steps:
      - say: Sending.
      - call: {name: attachment.add, input: {path: a.txt}}
  - steps:
      - say: One.
  - steps:
      - say: Two.
`)
	d.place.env = append(d.place.env, "BELAY_BUS_ENABLED=on", "BELAY_PERMIT_ALLOW=attachment.add", d.publishes("*.txt"))
	large := strings.Repeat("x", 1<<20)
	must(t, os.WriteFile(filepath.Join(d.place.project, "a.txt"), []byte(large), 0o600))
	begin := func() *server {
		cmd := d.place.command("serve", "--addr", "127.0.0.1:0")
		cmd.Env = d.place.withoutVariable("BELAY_DISCORD_TOKEN")
		return d.place.begin(cmd)
	}

	cmd := d.place.command("discord")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "bus.enabled: on") {
		t.Errorf("without a server: %v\n%s", err, out)
	}
	s := begin()
	d.alone()
	d.Say(d.channel, d.ada, d.Mention()+" hello")
	d.until("One.")
	d.kill()
	d.Say(d.channel, d.ada, d.Mention()+" while nobody is there")
	d.alone()
	d.until("One.", "Two.")
	must(t, s.cmd.Process.Kill())
	_ = s.cmd.Wait() // it was killed
	d.Say(d.channel, d.ada, d.Mention()+" send it")
	begin()
	var own []discordtest.Message
	d.Wait(t, "the file", func() bool {
		own = d.Own(d.channel)
		return len(own) >= 3 && slices.ContainsFunc(own, func(m discordtest.Message) bool { return len(m.Attachments) == 1 })
	})
	for _, m := range own {
		for _, a := range m.Attachments {
			if string(d.File(t, a)) != large {
				t.Error("the file has other bytes")
			}
		}
	}
}
