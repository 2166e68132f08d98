package discord

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"strings"

	"belay/internal/discord/client"
	"belay/internal/discord/record"
	"belay/internal/discord/routing"
)

// codeLength is that of a code for /link, of 26 letters and 6 digits: 50 bits. Wrong
// ones are not counted: nobody guesses it at the rate that Discord allows, and a
// stranger could use up the attempts.
const codeLength = 10

// newCode makes a code and tells the operator.
func (k slash) newCode() {
	code := rand.Text()[:codeLength]
	k.s.mu.Lock()
	k.s.code = code
	k.s.mu.Unlock()
	k.s.o.Setup(k.s.client.Invite(), code)
}

// redeem reports whether a code is the present one, which is used up then.
func (k slash) redeem(code string) bool {
	k.s.mu.Lock()
	defer k.s.mu.Unlock()
	given := strings.ToUpper(strings.TrimSpace(code))
	if k.s.code == "" || subtle.ConstantTimeCompare([]byte(given), []byte(k.s.code)) != 1 {
		return false
	}
	k.s.code = ""
	return true
}

// link connects the channel of a command to the operator's project, and makes the
// person its decider.
func (k slash) link(ctx context.Context, in client.Interaction) {
	s := k.s
	_, fixed := s.o.Channels[in.Channel]
	if _, ofParent := s.o.Channels[in.Parent]; ofParent {
		fixed = true // a thread has the settings of its channel
	}
	switch {
	case fixed: // before the code is used up
		s.tell(ctx, in, "The settings of belay connect this channel, and they count. Change discord.channels there.")
		return
	case !k.mayUse(in):
		s.tell(ctx, in, "The settings of belay do not let you use it here: see discord.guilds and discord.users.")
		return
	case s.o.Project == "":
		s.tell(ctx, in, "belay runs without a project. Start it in the folder of one.")
		return
	case !k.redeem(in.Values["code"]):
		s.log.Warn("Discord: a wrong code for /link", "user", in.Who.ID)
		s.tell(ctx, in, "This code is not valid. belay prints a new one when it starts.")
		return
	}
	b := record.Binding{Guild: in.Guild, Project: s.o.Project, Mode: routing.Mention, Deciders: []string{in.Who.ID}}
	s.mu.Lock()
	absences{s}.beginAt(in.Channel, in.ID)
	err := forgetOther(s, in.Channel, b.Project)
	s.mu.Unlock()
	if err == nil {
		err = s.store.Bind(in.Channel, b)
	}
	if err != nil {
		s.log.Error("Discord: a channel could not be connected", "error", err)
		s.tell(ctx, in, "belay could not record this. Its log says why, and has a new code.")
		k.newCode()
		return
	}
	s.log.Info("a channel of Discord was connected", "channel", in.Channel, "user", in.Who.ID)
	s.tell(ctx, in, "This channel is connected, and you answer the questions here. Name the bot in a message to ask something.")
	k.newCode()
}

// forgetOther ends the conversation of a channel that was connected to another project. The
// caller holds the lock.
func forgetOther(s *Surface, channel, project string) error {
	old, linked := s.store.Bindings()[channel]
	if !linked || old.Project == project {
		return nil
	}
	c, err := s.channel(channel)
	if err != nil {
		return err
	}
	return c.record.Forget()
}
