package settings

import (
	"fmt"
	"strings"
	"time"

	"belay/test/discordtest"
)

// discording are the settings of the surface in Discord.
var discording = map[string]check{
	"discord.channels": {
		set: "", shows: `^answered`, without: `^ignored`,
		see: func(b *bench) string {
			return b.discord(func(d *talk) { d.connected, d.ignored = !b.standard, b.standard })
		},
	},
	"discord.guilds": {
		set: "['1']", shows: `^ignored`, without: `^answered`,
		see: func(b *bench) string { return b.discord(func(d *talk) { d.ignored = !b.standard }) },
	},
	"discord.users": {
		set: "['1']", shows: `^ignored`, without: `^answered`,
		see: func(b *bench) string { return b.discord(func(d *talk) { d.ignored = !b.standard }) },
	},
	"discord.debounce": {
		set: "0", shows: `in time$`, without: `late$`,
		see: func(b *bench) string { return b.discord(func(d *talk) { d.timed = true }) },
	},
	"discord.merge": {
		set: "newest", shows: `and this`, without: `^answered`,
		see: func(b *bench) string { return b.discord(func(d *talk) { d.file = true }) },
	},
	"discord.questions": {
		set: "link", shows: `link only`, without: `\+one`, also: settings{"discord.debounce": "0"},
		see: func(b *bench) string {
			return b.discord(func(d *talk) { d.steps = "{call: {name: write, input: {path: a.txt, content: \"one\\n\"}}}" })
		},
	},
	"discord.max_file_bytes": {
		set: "1", shows: `too large`, without: `\na\.txt\n`, also: settings{"discord.debounce": "0", "permit.allow": "[attachment.add]"},
		see: func(b *bench) string {
			b.file("a.txt", "words\n")
			return b.discord(func(d *talk) { d.steps = "{call: {name: attachment.add, input: {path: a.txt}}}" })
		},
	},
	"discord.api": {
		set: "", shows: `^answered`, without: `^nobody`,
		see: func(b *bench) string { return b.discord(func(d *talk) { d.elsewhere = b.standard }) },
	},
}

// talk is what is tried in Discord.
type talk struct {
	steps string // of the agent, beside what it says
	// ignored says that nothing is expected, so nothing is waited for long.
	ignored bool
	// connected says that the settings connect the channel; elsewhere that belay talks
	// to another server, where nobody is; timed that it matters when the answer comes.
	connected, elsewhere, timed bool
	// file says that somebody adds a message with a file.
	file bool
}

// answeredInTime is less than messages are gathered for.
const answeredInTime = 1400 * time.Millisecond

// discord asks the agent something in Discord, and returns what is shown there.
func (b *bench) discord(change func(*talk)) string {
	b.t.Helper()
	d := &talk{connected: true}
	change(d)
	s := discordtest.New(b.t, discordtest.Options{Rate: 100, Per: time.Second})
	channel := s.AddChannel(s.AddGuild("guild", 0), "general")
	ada := s.Person("Ada")
	b.env = append(b.env, "BELAY_DISCORD_TOKEN="+s.Token)
	steps := []string{"{say: answered}"}
	if d.steps != "" {
		steps = append(steps, d.steps)
	}
	b.script(steps...)
	delete(b.settings, "discord.channels")
	if d.connected {
		b.settings["discord.channels"] = fmt.Sprintf("{'%s': {project: '{project}', deciders: ['%s'], publish: ['*.txt']}}", channel, ada.ID)
	}
	b.settings["discord.api"] = s.URL
	if d.elsewhere {
		other := discordtest.New(b.t, discordtest.Options{})
		other.Revoke()
		b.settings["discord.api"] = other.URL
		b.serve()
		return "nobody answers"
	}
	b.serve()
	s.Wait(b.t, "the connection", s.Gateway.Connected)
	began := time.Now()
	s.Say(channel, ada, s.Mention()+" go")
	if d.file {
		s.Say(channel, s.Person("Ben"), s.Mention()+" and this", s.With("a.txt", "text/plain", []byte("words")))
	}
	end, took := began.Add(patience), time.Duration(0)
	if d.ignored {
		// The answer to a command shows that the message before it was looked at.
		it := s.Command(ada, channel, "status", nil)
		s.Wait(b.t, "an answer", func() bool { return s.Answer(it).Type != 0 })
		end = time.Now().Add(3 * time.Second)
	}
	for time.Now().Before(end) {
		if own := s.Own(channel); d.file && (len(own) == 0 || !strings.Contains(own[0].Content, "answered") && !strings.Contains(own[0].Content, "and this")) {
			time.Sleep(10 * time.Millisecond) // the answer is still being written
			continue
		} else if len(own) > 0 && (d.steps == "" || len(own) > 1 || len(own[0].Attachments) > 0 || strings.Contains(own[0].Content, "too large")) {
			if took = time.Since(began); !d.timed || b.standard || took < answeredInTime {
				break
			}
			// It may have been the machine: it is tried again, and again.
			began = time.Now()
			before := len(own)
			s.Say(channel, ada, s.Mention()+" again")
			for len(s.Own(channel)) == before && time.Now().Before(end) {
				time.Sleep(time.Millisecond)
			}
			continue
		}
		time.Sleep(10 * time.Millisecond)
	}
	var shown strings.Builder
	for _, m := range s.Own(channel) {
		shown.WriteString(m.Shown() + "\n")
		for _, a := range m.Attachments {
			shown.WriteString(a.Filename + "\n")
		}
	}
	text := shown.String()
	switch {
	case text == "":
		return "ignored"
	case d.timed && took < answeredInTime:
		return "answered in time"
	case d.timed:
		return "answered late"
	case strings.Contains(text, "Apply") && !strings.Contains(text, "+one"):
		return text + "link only"
	}
	return text
}
