package chat

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// The first screen says where one is and what to try; nothing of it is there when a chat
// begins with a message, or goes on.
func TestTheFirstScreen(t *testing.T) {
	t.Parallel()
	welcome := func(o *Options) {
		o.Welcome = &Welcome{Provider: "anthropic", Model: "claude-sonnet-5", Key: "ANTHROPIC_API_KEY is set"}
	}
	s := newStage(t, welcome)
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.shows("belay", "  provider         anthropic", "  key              ANTHROPIC_API_KEY is set", "  model            claude-sonnet-5", "  folder           /p",
		"  ask              What is in this folder", "type @", "/mode plan")
	s.everySize()
	named := newStage(t, welcome, func(o *Options) { o.Opts.Model = "claude-haiku-5-5" })
	named.shows("claude-haiku-5-5")
	for _, change := range []func(*Options){func(o *Options) { o.Say = "hello" }, func(o *Options) { o.Session = "sess_1" }} {
		newStage(t, welcome, change).lacks("What is in this folder")
	}
}
