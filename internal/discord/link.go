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
func (s *Surface) newCode() {
	code := rand.Text()[:codeLength]
	s.mu.Lock()
	s.code = code
	s.mu.Unlock()
	s.o.Setup(s.client.Invite(), code)
}

// redeem reports whether a code is the present one, which is used up then.
func (s *Surface) redeem(code string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	given := strings.ToUpper(strings.TrimSpace(code))
	if s.code == "" || subtle.ConstantTimeCompare([]byte(given), []byte(s.code)) != 1 {
		return false
	}
	s.code = ""
	return true
}

// link connects the channel of a command to the operator's project, and makes the
// person its decider.
func (s *Surface) link(ctx context.Context, in client.Interaction) {
	switch {
	case s.o.Project == "":
		s.tell(ctx, in, "belay runs without a project. Start it in the folder of one.")
		return
	case !s.redeem(in.Values["code"]):
		s.log.Warn("Discord: a wrong code for /link", "user", in.Who.ID)
		s.tell(ctx, in, "This code is not valid. belay prints a new one when it starts.")
		return
	}
	b := record.Binding{Guild: in.Guild, Project: s.o.Project, Mode: routing.Mention, Deciders: []string{in.Who.ID}}
	if err := s.store.Bind(in.Channel, b); err != nil {
		s.log.Error("Discord: a channel could not be connected", "error", err)
		s.tell(ctx, in, "belay could not record this. Its log says why.")
		return
	}
	s.log.Info("a channel of Discord was connected", "channel", in.Channel, "user", in.Who.ID)
	s.tell(ctx, in, "This channel is connected, and you answer the questions here. Name the bot in a message to ask something.")
	s.newCode()
}
