package turn

import (
	"context"
	"errors"
	"os"
	"slices"

	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/tool/files"
)

// intend puts on record what a call is about to change. Should the process die
// before the call has its result, the next lease knows where to look
// ([Local.aftermath]).
func (t *running) intend(ctx context.Context, c session.Change) error {
	if by, ok := ctx.Value(callKey{}).(callContext); ok {
		c.Call = by.step.id
	}
	return t.append(session.Entry{
		Kind: session.EntryIntent, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()}, Changes: []session.Change{c},
	})
}

// aftermath is what a turn changed in calls that have no result, because its
// process died in the middle of them: lines for the transcript.
func (l *Local) aftermath(lease *session.Lease, turnID string) (entries []session.Entry, err error) {
	intents := openIntents(lease.Entries(), turnID)
	if len(intents) == 0 {
		return nil, nil
	}
	root, err := os.OpenRoot(lease.Record().ProjectRoot)
	if err != nil {
		return nil, fault.New(fault.StorageFailure, "the project folder could not be opened").Because(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, e := range intents {
		made, err := files.Recover(root, e.Changes)
		if err != nil {
			return nil, fault.New(fault.StorageFailure, "what the turn changed last could not be found out").Because(err)
		}
		if len(made) > 0 {
			entries = append(entries, l.late(e, made))
		}
	}
	return entries, nil
}

// openIntents are a turn's intents whose calls have no result.
func openIntents(entries []session.Entry, turnID string) (intents []session.Entry) {
	for _, e := range entries {
		switch {
		case e.Turn != turnID:
		case e.Kind == session.EntryIntent && len(e.Changes) > 0:
			intents = append(intents, e)
		case e.Kind == session.EntryTools:
			intents = slices.DeleteFunc(intents, func(i session.Entry) bool {
				return i.Agent == e.Agent && slices.ContainsFunc(e.Blocks, func(b session.Block) bool { return b.ID == i.Changes[0].Call })
			})
		}
	}
	return intents
}

// late is the result, as far as there is one, of a call whose process died.
func (l *Local) late(intent session.Entry, made []session.Change) session.Entry {
	text := resultUnknown + " Changed were:"
	for _, c := range made {
		text += "\n" + c.Path
	}
	return session.Entry{
		Kind: session.EntryTools, Turn: intent.Turn, Agent: intent.Agent, Time: session.Time{Time: l.o.Clock()}, Changes: made,
		Blocks: []session.Block{{Type: session.BlockToolResult, ID: made[0].Call, Text: text, Failed: true}},
	}
}
