package recovery

import (
	"encoding/json"
	"testing"

	"belay/internal/event"
	"belay/internal/turn/ending"
)

// What the log has of a turn whose process died says which calls were not permitted, also
// where the end that says so is missing.
//
// Covers: turn-api REQ-03
func TestAMissingEndCountsWhatWasNotPermitted(t *testing.T) {
	t.Parallel()
	logged := &trace{seen: map[event.Type]bool{}, resolved: map[string]bool{}}
	for _, o := range []event.ToolOutcome{
		{ToolCallID: "a", OK: true, Outcome: event.OutcomeLeftOut, LeftOut: 1},
		{ToolCallID: "b"},
		{ToolCallID: "c", Outcome: event.OutcomeRefused},
		{ToolCallID: "d", Outcome: event.OutcomeExpired},
		{ToolCallID: "e", OK: true},
	} {
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		logged.add(event.Event{Type: event.ToolResult, Data: data})
	}
	drafts := logged.missing(ending.Failed, "", "", nil)
	if exit := drafts[len(drafts)-1].Data.(event.Exit); exit.Calls == nil || *exit.Calls != (event.Calls{Refused: 1, Expired: 1, LeftOut: 1}) {
		t.Errorf("the end counts %+v", exit.Calls)
	}
	logged.add(event.Event{Type: event.ProcessExit, Data: json.RawMessage(`{}`)})
	for _, d := range logged.missing(ending.Failed, "", "", nil) {
		if d.Type == event.ProcessExit {
			t.Error("an end that the log has is made up again")
		}
	}
}
