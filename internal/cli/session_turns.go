package cli

import (
	"context"
	"strconv"

	"belay/internal/app"
	"belay/internal/session"
)

// turnSummary is a turn in one line.
type turnSummary struct {
	TurnID      string       `json:"turnId"`
	Time        session.Time `json:"time"`
	Message     string       `json:"message"`
	Attachments int          `json:"attachments"`
	// Changes counts the file changes of the turn, which may have been undone.
	Changes int  `json:"changes,omitempty"`
	Undone  bool `json:"undone,omitempty"`
	// ExitCode is absent while the turn runs, or when its process died in it.
	ExitCode   *int   `json:"exitCode,omitempty"`
	StopReason string `json:"stopReason,omitempty"`
	// Asks are the open questions of a turn that runs, or whose process died while it waited.
	Asks []string `json:"asks,omitempty"`
	// Answered is the question whose answer nobody has carried out since the process died.
	Answered string `json:"answered,omitempty"`
}

// stands fills in what a turn without an end waits for. One that does not run and waits for
// nothing has died; the next turn writes its end.
func (t *turnSummary) stands(ctx context.Context, a *app.App, id string, runs bool) error {
	open, err := a.Engine.Decisions(ctx, id)
	if err != nil {
		return err
	}
	for _, q := range open {
		if q.TurnID == t.TurnID {
			t.Asks = append(t.Asks, q.ID)
		}
	}
	if runs || len(t.Asks) > 0 {
		return nil
	}
	answer, ok, err := a.Engine.Recovery.Answer(ctx, id)
	if t.Answered = answer.DecisionID; !ok {
		t.StopReason = session.StopProcessEnded
	}
	return err
}

// summarise makes one line of each turn.
func summarise(entries []session.Entry) []turnSummary {
	turns := []turnSummary{}
	at := map[string]int{}
	for _, e := range entries {
		switch e.Kind {
		case session.EntryTurn:
			at[e.Turn] = len(turns)
			turns = append(turns, turnSummary{TurnID: e.Turn, Time: e.Time, Message: e.Message, Attachments: len(e.Attachments)})
		case session.EntryEnd:
			if i, ok := at[e.Turn]; ok {
				turns[i].ExitCode, turns[i].StopReason = e.ExitCode, e.StopReason
			}
		case session.EntryTools, session.EntryChanges:
			if i, ok := at[e.Turn]; ok {
				if turns[i].Undone && len(e.Changes) > 0 { // applied since then: these stand
					turns[i].Undone, turns[i].Changes = false, 0
				}
				turns[i].Changes += len(e.Changes)
			}
		case session.EntryUndo:
			if i, ok := at[e.Turn]; ok {
				turns[i].Undone = true
			}
		}
	}
	return turns
}

// changes says how many file changes a turn made, and whether they stand.
func (t turnSummary) changes() string {
	switch {
	case t.Changes == 0:
		return ""
	case t.Undone:
		return strconv.Itoa(t.Changes) + " undone"
	}
	return strconv.Itoa(t.Changes)
}
