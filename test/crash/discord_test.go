//go:build crashtest

package crash

import (
	"errors"
	"path/filepath"

	"belay/internal/app"
	"belay/internal/discord/record"
)

// channelID is a channel in Discord.
const channelID = "100"

// discordScenarios are about what the surface in Discord keeps.
var discordScenarios = []scenario{
	{
		name: "channel of Discord",
		work: func(w *world, _ *app.App) {
			s, err := record.Open(w.discord())
			w.try(err)
			defer s.Close()
			w.try(s.Bind(channelID, record.Binding{Project: w.project, Deciders: []string{"7"}}))
			w.acknowledged("the link", func(w *world, _ *app.App) error {
				return w.inDiscord(func(s *record.Store) bool { return s.Bindings()[channelID].Project == w.project })
			})
			c, err := s.Channel(channelID)
			w.try(err)
			w.try(c.Accept(record.Request{ID: "discord:100:1", Messages: []string{"1"}, Session: "sess_1", Queue: "prompt", Text: "build"}))
			w.acknowledged("the request", func(w *world, _ *app.App) error {
				return w.inDiscord(func(s *record.Store) bool {
					c, err := s.Channel(channelID)
					return err == nil && c.Handled("1") && len(c.Open()) == 1
				})
			})
		},
	},
}

// discord is the folder of the surface in Discord.
func (w *world) discord() string { return filepath.Join(w.state, "discord") }

// inDiscord checks what the surface reads after a restart.
func (w *world) inDiscord(holds func(s *record.Store) bool) error {
	s, err := record.Open(w.discord())
	if err != nil {
		return err
	}
	if !holds(s) {
		err = errors.New("the record of Discord lost it")
	}
	return errors.Join(err, s.Close())
}
