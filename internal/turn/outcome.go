package turn

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn/conversation"
)

// tell gives the readers a call's result and puts it on record: readers first,
// because what they saw is found again in the log after a crash. Where they cannot be
// notified, the record still has what the call did.
func (t *agentRun) tell(s *toolCall) error {
	if s.err != nil {
		return s.err
	}
	if !s.settled {
		return nil // the turn was stopped before it
	}
	t.takeDirect(s)
	changes := t.environment.Ledger.Take()
	for i := range changes {
		changes[i].Call = s.id
	}
	leftOut := len(leftOutOf(changes))
	if s.outcome == "" && leftOut > 0 {
		s.outcome = event.OutcomeLeftOut
	}
	t.spent.calls.Add(s.outcome, leftOut)
	t.noteRefusal(s)
	if s.result.Progress {
		t.repeats.count = 0
	}
	text := s.result.Text
	t.cap(s)
	unreported := t.report(s, changes, text)
	s.release()
	err := t.append(session.Entry{
		Kind: session.EntryTools, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()},
		Blocks: []session.Block{s.block()}, Changes: changes, Seen: t.environment.Seen.Take(),
	})
	return errors.Join(unreported, err)
}

// report closes what is open of a call, and notifies the audit log and the readers.
// Said is the result as the tool gave it.
func (t *agentRun) report(s *toolCall, changes []session.Change, said string) error {
	if s.suspended != nil {
		if err := t.dropQuestion(s.suspended, said); err != nil {
			return err
		}
	}
	if why := cmp.Or(s.overreach, unapplied(changes)); why != "" {
		if err := t.auditRefusal(s, why); err != nil {
			return err
		}
	}
	drafts := t.outcome(s, changes)
	for _, n := range s.result.Notices {
		drafts = append(drafts, event.Draft{Type: event.TurnWarning, Data: event.Warning{Code: "PORT_OPEN", Message: t.l.clean(n)}})
	}
	return t.emit(drafts...)
}

// leftOutOf are the files that a command changed without the right to.
func leftOutOf(changes []session.Change) (paths []string) {
	for _, c := range changes {
		if c.Restored {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// unapplied names what a command changed without the right to, "" for nothing.
func unapplied(changes []session.Change) string {
	paths := leftOutOf(changes)
	if len(paths) == 0 {
		return ""
	}
	return "changed what it may not, which was not applied: " + fault.List(paths)
}

// release drops what is of no use once the result is out.
func (s *toolCall) release() { s.call = nil }

func (s *toolCall) block() session.Block {
	return session.Block{
		Type: session.BlockToolResult, ID: s.id, Name: s.name,
		Text: s.result.Text, Failed: s.result.Failed, Items: s.result.Items,
	}
}

// outcome are the events that report a result.
func (t *agentRun) outcome(s *toolCall, changes []session.Change) []event.Draft {
	o := event.ToolOutcome{
		ToolCallID: s.id, Name: s.name, OK: !s.result.Failed,
		Output: s.result.Text, Truncated: s.result.Truncated, ParentToolCallID: t.agent, Outcome: s.outcome, LeftOut: len(leftOutOf(changes)),
	}
	if !s.began.IsZero() {
		o.DurationMS = time.Since(s.began).Milliseconds()
	}
	o.Changed, o.Removed = session.Touched(changes) // the output names what was not applied
	drafts := []event.Draft{{Type: event.ToolResult, Data: o}}
	for i, it := range s.result.Items {
		drafts = append(drafts, event.Draft{Type: event.AttachmentAdd, Data: event.Attachment{
			SHA256: it.SHA256, Filename: it.Name, MIMEType: it.MIMEType, Bytes: it.Bytes, Index: i, ToolCallID: s.id,
		}})
	}
	return drafts
}

// cap holds a result to what a call may tell: no more than so much, and no key. The
// remarks of those who let it run come after that.
func (t *agentRun) cap(s *toolCall) {
	s.result.Text = t.l.clean(s.result.Text)
	if most := t.settings.rules.Tools.OutputBytes; most > 0 && int64(len(s.result.Text)) > most {
		s.result.Text = conversation.CutText(s.result.Text, int(most)) + "\n[cut here: the result was longer]"
		s.result.Truncated = true
	}
	if len(s.remarks) > 0 {
		s.result.Text = t.l.clean(strings.Join(append([]string{strings.TrimRight(s.result.Text, "\n")}, s.remarks...), "\n\n"))
	}
}
