package app

import (
	"slices"
	"testing"

	"belay/internal/config"
	"belay/internal/session"
)

// A thread has the patterns of its channel, unless the settings name it.
func TestPublishPatterns(t *testing.T) {
	t.Parallel()
	c := &config.Config{}
	c.Discord.Channels = map[string]config.DiscordChannel{"1": {Publish: []string{"reports/*"}}, "2": {}}
	patterns := publishPatterns(c)
	for d, want := range map[session.Destination][]string{
		{Surface: "discord", ID: "1"}:              {"reports/*"},
		{Surface: "discord", ID: "9", Parent: "1"}: {"reports/*"},
		{Surface: "discord", ID: "2", Parent: "1"}: nil,
		{Surface: "discord", ID: "9"}:              nil,
		{Surface: "other", ID: "1"}:                nil,
	} {
		if got := patterns(d); !slices.Equal(got, want) {
			t.Errorf("%+v: %q, want %q", d, got, want)
		}
	}
}
