package agent

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

// publish gives the readers a call's result and puts it on record: readers first,
// because what they saw is found again in the log after a crash. Where they cannot be
// notified, the record still has what the call did.
func (c *toolCall) publish() error {
	if c.err != nil {
		return c.err
	}
	if !c.settled {
		return nil // the turn was stopped before it
	}
	c.run.Direct.take(c)
	changes := c.run.environment.Ledger.Take()
	for i := range changes {
		changes[i].Call = c.id
	}
	leftOut := len(leftOutOf(changes))
	if c.outcome == "" && leftOut > 0 {
		c.outcome = event.OutcomeLeftOut
	}
	c.run.Spent.Calls.Add(c.outcome, leftOut)
	c.run.calls.refusals.note(c, c.run.calls.repeats.count > 1)
	if c.result.Progress {
		c.run.calls.repeats.count = 0
	}
	text := c.result.Text
	c.cap()
	unreported := c.report(changes, text)
	c.release()
	err := c.run.append(session.Entry{
		Kind: session.EntryTools, Turn: c.run.ID, Time: session.Time{Time: c.run.Clock()},
		Blocks: []session.Block{c.block()}, Changes: changes, Seen: c.run.environment.Seen.Take(),
	})
	return errors.Join(unreported, err)
}

// report closes what is open of a call, and notifies the audit log and the readers.
// Said is the result as the tool gave it.
func (c *toolCall) report(changes []session.Change, said string) error {
	if c.suspended != nil {
		if err := c.run.dropQuestion(c.suspended, said); err != nil {
			return err
		}
	}
	if why := cmp.Or(c.overreach, unapplied(changes)); why != "" {
		if err := c.refused(why); err != nil {
			return err
		}
	}
	drafts := c.drafts(changes)
	for _, n := range c.result.Notices {
		drafts = append(drafts, event.Draft{Type: event.TurnWarning, Data: event.Warning{Code: "PORT_OPEN", Message: c.run.Clean(n)}})
	}
	return c.run.Events.Emit(drafts...)
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
func (c *toolCall) release() { c.call = nil }

func (c *toolCall) block() session.Block {
	return session.Block{
		Type: session.BlockToolResult, ID: c.id, Name: c.name,
		Text: c.result.Text, Failed: c.result.Failed, Items: c.result.Items, Sent: c.result.Sent,
	}
}

// drafts are the events that report a result.
func (c *toolCall) drafts(changes []session.Change) []event.Draft {
	o := event.ToolOutcome{
		ToolCallID: c.id, Name: c.name, OK: !c.result.Failed,
		Output: c.result.Text, Truncated: c.result.Truncated, ParentToolCallID: c.run.agent, Outcome: c.outcome, LeftOut: len(leftOutOf(changes)),
	}
	if !c.began.IsZero() {
		o.DurationMS = time.Since(c.began).Milliseconds()
	}
	o.Changed, o.Removed = session.Touched(changes) // the output names what was not applied
	drafts := []event.Draft{{Type: event.ToolResult, Data: o}}
	for i, it := range c.result.Items {
		drafts = append(drafts, event.Draft{Type: event.AttachmentInput, Data: event.Attachment{
			SHA256: it.SHA256, Filename: it.Name, MIMEType: it.MIMEType, Bytes: it.Bytes, Index: i, ToolCallID: c.id,
		}})
	}
	for _, f := range SentFiles(c.block()) {
		drafts = append(drafts, event.Draft{Type: event.AttachmentAdd, Data: f})
	}
	return drafts
}

// cap holds a result to what a call may tell: no more than so much, and no key. The
// remarks of those who let it run come after that.
func (c *toolCall) cap() {
	c.result.Text = c.run.Clean(c.result.Text)
	if most := c.run.Settings.ToolLimits.OutputBytes; most > 0 && int64(len(c.result.Text)) > most {
		c.result.Text = conversation.CutText(c.result.Text, int(most)) + "\n[cut here: the result was longer]"
		c.result.Truncated = true
	}
	if len(c.remarks) > 0 {
		c.result.Text = c.run.Clean(strings.Join(append([]string{strings.TrimRight(c.result.Text, "\n")}, c.remarks...), "\n\n"))
	}
}
