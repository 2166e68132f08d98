package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/shell/kept"
	"belay/internal/tool/shell/overlay"
)

// pending are the changes of a command that has ended. They are in its upper
// directory or, once they are held, among the kept changes of the project.
type pending struct {
	call   *call
	upper  *overlay.Upper
	held   *kept.Change
	record kept.Record
	// divided are the parts of the changes, nil where they are of one kind; part is what is
	// decided on next.
	divided *kept.Split
	part    part
	// value is the command's result for a program.
	value map[string]any
	// resumed is set where the command has run in a process that died since.
	resumed bool
}

var (
	_ tool.Changes   = (*pending)(nil)
	_ tool.Resumable = (*call)(nil)
)

// Held implements [tool.Resumable].
func (c *call) Held(ctx context.Context) bool {
	return kept.Has(c.environment.Root, tool.OriginOf(ctx).ChangeID)
}

// resume takes up what the command changed before its process died.
func (c *call) resume(id string) (tool.Result, error) {
	held, err := kept.Open(c.environment.Root, id)
	if errors.Is(err, kept.ErrBusy) || errors.Is(err, fs.ErrNotExist) {
		return tool.Result{}, tool.Refuse("a person has applied or dropped what this command changed").
			WithHint("look at the files before you go on")
	} else if err != nil {
		return tool.Result{}, err
	}
	p := &pending{call: c, held: held, record: held.Record, resumed: true}
	if s := held.Split; s != nil && s.Decided {
		p.part = secondPart
	} else if s != nil {
		p.part = firstPart
	}
	r := p.result()
	r.Changes = p
	return r, nil
}

// result is what the command had to say, with sentences on the outcome of its
// changes.
func (p *pending) result(notes ...string) tool.Result {
	text := p.record.Result.Text
	for _, n := range notes {
		text += "\n" + n
	}
	return tool.Result{Text: text, Truncated: p.record.Result.Truncated, Failed: p.record.Result.Failed, Value: p.value}
}

// Effect implements [tool.Changes].
func (p *pending) Effect() permit.Effect {
	e := p.decided()
	for _, c := range p.changes() {
		e.Touched = append(e.Touched, string(c.Path))
		if c.Tree != nil {
			e.Whole = append(e.Whole, string(c.Path))
		}
	}
	return e
}

// decided is the effect that is decided on, as it is recorded.
func (p *pending) decided() permit.Effect {
	switch {
	case p.record.Split == nil:
		return p.record.Effect
	case p.part == firstPart:
		return p.record.Split.First
	case p.part == secondPart:
		return p.record.Split.Second
	}
	return p.record.Effect
}

// Hold implements [tool.Changes].
func (p *pending) Hold(_ context.Context, question, why string) (err error) {
	if p.held != nil && p.record.Question == question && p.record.Why == why {
		return nil
	}
	p.record.Question, p.record.Why = question, why
	if p.held != nil {
		return p.held.Update(p.record)
	}
	p.held, err = kept.Hold(p.call.environment.Root, p.upper, p.record)
	if err == nil {
		p.record, p.upper = p.held.Record, nil
	}
	return err
}

// Apply implements [tool.Changes].
func (p *pending) Apply(ctx context.Context, only []string) (tool.Result, error) {
	chosen, note := choose(p.changes(), only)
	if len(chosen) == 0 {
		return p.Keep(ctx, "a person allowed other files than it changed")
	}
	if len(note) == 0 && p.part != wholePart {
		note = []string{p.files() + ": applied"}
	}
	conflicts := slices.DeleteFunc(slices.Clone(p.record.Conflicts), func(name string) bool {
		return !slices.ContainsFunc(chosen, func(c journal.Change) bool { return string(c.Path) == name })
	})
	if lock := gitAtWork(p.call.environment.Root, chosen); lock != "" {
		return p.Keep(ctx, "git is at work in the repository ("+lock+" is there)")
	}
	if len(conflicts) == 0 {
		err := p.apply(ctx, chosen)
		var conflict *journal.ConflictError
		var tree *journal.TreeError
		var risen *risenError
		switch {
		case errors.As(err, &risen):
			if real, err := AreReal(ctx, p.call.environment.Root, chosen); err == nil && real { // somebody has made the same
				return p.end(note...)
			}
			return p.Keep(ctx, risen.Error())
		case errors.As(err, &tree):
			return p.Keep(ctx, tree.Error())
		case errors.As(err, &conflict):
			if real, err := AreReal(ctx, p.call.environment.Root, chosen); err != nil {
				return p.keepAfter(ctx, err)
			} else if real { // somebody has made the same
				return p.end(note...)
			}
			for _, c := range conflict.Conflicts {
				conflicts = append(conflicts, string(c.Path))
			}
		case err != nil:
			// What failed may have come after the changes were made.
			if real, rerr := AreReal(ctx, p.call.environment.Root, chosen); rerr == nil && real {
				return p.end(note...)
			}
			return p.keepAfter(ctx, err)
		default:
			return p.end(note...)
		}
	}
	slices.Sort(conflicts)
	return p.Keep(ctx, conflicts[0]+" was changed by something else meanwhile")
}

// choose returns the changes at or below some paths, all for none, with the folders
// that they need, and says what is left out.
func choose(all []journal.Change, only []string) (chosen []journal.Change, note []string) {
	if len(only) == 0 {
		return all, nil
	}
	wanted := func(name string) bool {
		return slices.ContainsFunc(only, func(o string) bool { return name == o || strings.HasPrefix(name, o+"/") })
	}
	needed := func(name string) bool {
		return slices.ContainsFunc(only, func(o string) bool { return strings.HasPrefix(o, name+"/") })
	}
	dropped := 0
	for _, c := range all {
		switch name := string(c.Path); {
		case wanted(name), (c.Op == journal.Mkdir || c.Op == journal.Remove) && needed(name): // a folder may replace a file
			chosen = append(chosen, c)
		case c.Op != journal.Mkdir && c.Op != journal.Rmdir:
			dropped++
		}
	}
	others := "1 other file"
	if dropped != 1 {
		others = fmt.Sprintf("%d other files", dropped)
	}
	return chosen, []string{fmt.Sprintf("a person applied only: %s; what it changed in %s was dropped", tool.Clip(strings.Join(only, ", "), maxNoteBytes), others)}
}

// Keep implements [tool.Changes].
func (p *pending) Keep(ctx context.Context, why string) (tool.Result, error) {
	if p.held == nil {
		if err := p.Hold(ctx, "", why); err != nil {
			return tool.Result{}, errors.Join(err, p.leave())
		}
	}
	if p.part == wholePart {
		r := p.result(fmt.Sprintf("the changes are kept as %s (belay changes); nothing of what it changed is real: %s", p.record.ID, why))
		r.Kept = why
		return r, p.leaveKept(why)
	}
	r := p.result(fmt.Sprintf("%s: kept as %s (belay changes), not real: %s", p.files(), p.record.ID, why))
	r.Kept = why
	if p.part == firstPart {
		p.record.Split.Kept = why
		return p.next(r)
	}
	return r, p.leaveKept(why)
}

// Discard implements [tool.Changes].
func (p *pending) Discard(_ context.Context, why string) (tool.Result, error) {
	if p.part == wholePart {
		return p.end("nothing of what it changed is real: " + why)
	}
	return p.end(p.files() + ": not real: " + why)
}
