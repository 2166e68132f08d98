package chat

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"

	"belay/internal/event"
)

// The last line has the tokens with their cost, and how full the context is. The calls of
// a subagent fill one of their own.
func TestTheContextMeter(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *Options) {
		o.Models = func(context.Context) ([]ModelChoice, error) {
			return []ModelChoice{{ID: "m", Context: 200_000}, {ID: "other", Context: 8_000}}, nil
		}
	})
	s.send(tea.WindowSizeMsg{Width: 100, Height: 24})
	s.begun()
	cost := 0.25
	call := func(in, out int64) event.Draft {
		u := event.Tokens{InputTokens: in / 2, CacheReadTokens: in / 2, OutputTokens: out, CostUSD: &cost}
		return event.Draft{Type: event.Usage, Data: event.UsageReport{Tokens: u, Totals: u}}
	}
	ok := true
	s.log(call(9_000, 1_000))
	s.shows("context 5%")
	s.log(event.Draft{Type: event.SubagentStart, Data: event.Subagent{Persona: "TASK"}}, call(100_000, 0),
		event.Draft{Type: event.SubagentEnd, Data: event.Subagent{Persona: "TASK", OK: &ok}})
	s.shows("context 5%")
	s.log(call(150_000, 2_000), exit(0))
	s.shows("context 76%", "152k tokens $0.2500")
	s.say("/status")
	s.shows("152k of 200k tokens of the model's context")
	s.everySize()
}
