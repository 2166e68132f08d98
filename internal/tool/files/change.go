package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/permit/review"
	"belay/internal/quantity"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/risk"
	"belay/internal/workspace"
)

// change is a file and the content that it is to have: worked out, judged by
// people, and then done if the file is still what it was.
type change struct {
	w *tool.Environment
	p place
	// before is what the file held when the change was worked out, nil for none.
	before *content
	after  []byte
	diff   string
	// automatic and onRequest say what the change makes run.
	automatic, onRequest []string
	// tool and done are the words for it, as in "write" and "wrote".
	tool, done string
}

// plan finds the file of a change and what it holds. It refuses what may not be
// written.
func plan(ctx context.Context, w *tool.Environment, written string) (place, *content, error) {
	p, err := locate(w, written)
	if err != nil {
		return place{}, nil, err
	}
	if err := p.regular(); err != nil {
		return place{}, nil, err
	}
	if err := writable(w, p, written); err != nil {
		return place{}, nil, err
	}
	if !p.exists() {
		return p, nil, nil
	}
	before, err := load(ctx, p, w.Limits.ReadBytes)
	if err != nil {
		return place{}, nil, unreadable(p.shown(), err)
	}
	if before.info.Mode().Perm()&0o200 == 0 {
		return place{}, nil, tool.Refuse("%s is write-protected", p.shown())
	}
	return p, before, nil
}

// writable asks the scope about the file that a path leads to, and about the path
// itself where that is another name.
func writable(w *tool.Environment, p place, written string) error {
	if p.scratch {
		return nil
	}
	named, err := parse(w, written)
	if err != nil {
		return err
	}
	for _, name := range []string{p.name, named.name} {
		if err := w.Scope.Allows(name, p.exists()); err != nil {
			return outside(err)
		}
	}
	return nil
}

// outside makes a refusal of a scope's error.
func outside(err error) error {
	r := authority("%v", err).Because(err)
	if scope, ok := errors.AsType[*workspace.ScopeError](err); ok && scope.Protected {
		r.Hint = "leave it as it is, and tell the person what you would change"
	}
	return r
}

// settle refuses a change that the limits or the zones of people do not allow, and
// makes the diff that people decide on.
func (c *change) settle() error {
	if n := int64(len(c.after)); n > c.w.Limits.WriteBytes {
		return tool.Refuse("%s would have %d bytes; a file that is written has at most %d", c.p.shown(), n, c.w.Limits.WriteBytes)
	}
	if !c.p.scratch {
		if err := c.w.Scope.KeepsZones(c.p.name, c.data(), c.after); err != nil {
			return outside(err)
		}
	}
	c.diff = c.w.WithoutKeys(unified(c.p.shown(), c.data(), c.after))
	if !c.p.scratch {
		c.automatic, c.onRequest = c.risks()
	}
	return nil
}

// risks says what the change makes run, by the project as it is now.
func (c *change) risks() (automatic, onRequest []string) {
	after := review.Version{Exists: true, Mode: 0o644, Content: c.after, Known: true}
	if c.before != nil {
		after.Mode = c.before.info.Mode()
	}
	p := risk.Project{Root: c.w.Root, Path: c.w.Path, GitConfigs: c.w.GitConfigs}
	return p.Of([]review.Entry{{Path: c.p.name, Before: c.version(), After: after}})
}

// Effect implements [tool.Call].
func (c *change) Effect() permit.Effect {
	summary := c.tool + " " + c.p.shown()
	if c.before == nil {
		summary += " (a new file)"
	}
	return permit.Effect{
		Tool: c.tool, Kind: permit.Write, Summary: tool.Clip(summary, 190), Paths: []string{c.p.shown()}, Touched: c.p.alias(),
		Diff: c.diff, Automatic: c.automatic, OnRequest: c.onRequest,
	}
}

// version is the file before, as a review has it.
func (c *change) version() review.Version {
	if c.before == nil {
		return review.Version{}
	}
	return review.Version{Exists: true, Mode: c.before.info.Mode(), Content: c.before.data, Known: true}
}

// data is the content before, nil for none.
func (c *change) data() []byte {
	if c.before == nil {
		return nil
	}
	return c.before.data
}

// Run implements [tool.Call]: the file gets its content, unless it changed since
// the change was worked out.
func (c *change) Run(ctx context.Context) (tool.Result, error) {
	changing.Lock()
	defer changing.Unlock()
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	if err := c.enter(ctx); err != nil {
		return tool.Result{}, unreadable(c.p.shown(), err)
	}
	return tool.Result{
		Text:  fmt.Sprintf("%s %s, which has %s now", c.done, c.p.shown(), quantity.Count(countLines(c.after), "line", "lines")),
		Value: map[string]any{"path": c.p.shown(), "bytes": len(c.after)},
	}, nil
}

// enter does the change while nobody else of belay changes the project. The session's scratch folder has no gate and no journal.
func (c *change) enter(ctx context.Context) error {
	if c.p.scratch {
		return c.putAside()
	}
	pass, err := c.w.Gate.Enter(ctx, c.w.Project)
	if err != nil {
		return err
	}
	return errors.Join(c.replace(ctx), pass.Leave())
}

// replace does the change in the project. Before it does anything to the file, both
// contents are kept and the change is announced, durably: a crash leaves a trace.
func (c *change) replace(ctx context.Context) (err error) {
	j, err := OpenJournal(ctx, c.w.Journal, c.w.Project, c.w.Root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	now, missing, err := c.current()
	if err != nil {
		return err
	}
	// The file is what it was, but other files and settings decide, too, what it makes run.
	if risen, _ := c.risks(); len(risen) > 0 && len(c.automatic) == 0 {
		return tool.Refuse("since the change was decided on, other programs would run it by themselves: %s", risen[0]).
			WithHint("repeat the change: a person is asked about it then")
	}
	noted := session.Change{Path: c.p.name, After: tool.Digest(c.after), AfterBytes: int64(len(c.after)), Folders: missing}
	if now != nil {
		if bytes.Equal(now.data, c.after) {
			c.w.Seen.Note(c.p.shown(), now.sha256)
			return nil
		}
		noted.Before, noted.BeforeBytes, noted.BeforeMode = now.sha256, now.info.Size(), now.info.Mode().Perm()
	}
	if err := c.keep(ctx, &noted); err != nil {
		return err
	}
	all := []session.Change{noted}
	if err := Transact(ctx, c.w, j, c.plan(ctx, noted), all); err != nil {
		return c.conflict(err)
	}
	c.remember(all[0])
	return nil
}

// plan is the change as a transaction.
func (c *change) plan(ctx context.Context, noted session.Change) journal.Plan {
	plan := newFile(ctx, c.tool, noted, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.after)), nil })
	if noted.Before != "" {
		file := &plan.Changes[len(plan.Changes)-1]
		file.Op, file.Before = journal.Replace, journal.State{Type: journal.File, SHA256: noted.Before, Mode: noted.BeforeMode}
	}
	return plan
}

// newFile is a new file of a call as a transaction: the folders that are missing, the
// outermost first, then the file.
func newFile(ctx context.Context, what string, noted session.Change, content func() (io.ReadCloser, error)) journal.Plan {
	by := tool.OriginOf(ctx)
	plan := journal.Plan{Owner: journal.Owner{What: what, Session: by.SessionID, Turn: by.TurnID, Agent: by.Agent, Call: by.CallID}}
	parts := partsOf(path.Dir(noted.Path))
	for i := len(parts) - noted.Folders; i < len(parts); i++ {
		plan.Changes = append(plan.Changes, journal.Change{
			Op: journal.Mkdir, Path: journal.Name(path.Join(parts[:i+1]...)), After: journal.State{Type: journal.Folder},
		})
	}
	plan.Changes = append(plan.Changes, journal.Change{
		Op: journal.Create, Path: journal.Name(noted.Path), After: journal.State{Type: journal.File, SHA256: noted.After}, Content: content,
	})
	return plan
}
