package agent

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"go.opentelemetry.io/otel/attribute"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/telemetry"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
)

// Compose builds the fixed prefix of the turn's requests (the persona's instructions,
// then the user's own notes and the project's, and the tools) and checks that the person's message fits
// after it.
func (a *Run) Compose(projectRoot string) error {
	a.limits = a.Settings.Provider.Limits(a.Settings.Model)
	p := a.Settings.Persona
	a.system = []string{p.SystemPrompt()}
	for _, s := range p.Sources() {
		a.sources = append(a.sources, session.Source{Path: s.Path, SHA256: s.SHA256, Bytes: s.Bytes})
	}
	a.addNotes("your own AGENTS.md", ownNotes, func() (string, persona.Source, bool, error) {
		return persona.OwnNotes(a.Settings.OwnNotes, a.Settings.NotesBytes)
	})
	a.addNotes("AGENTS.md of the project", projectNotes, func() (string, persona.Source, bool, error) {
		return persona.ProjectNotes(projectRoot, a.Settings.NotesBytes)
	})
	prefix := a.OpenWindow()
	free := prefix.InputTokens()
	if free <= 0 {
		return fault.New(fault.InvalidRequest, "the context of the model %s, %d tokens, has no room for a message beside the instructions and tools, about %d, and the answer",
			a.Settings.Model, a.limits.ContextTokens, prefix.Tokens()).
			With("field", "model").WithHint("choose a model with a larger context, or allow fewer tools; if it has more than that, say so with models or openai.context_tokens")
	}
	if need := conversation.Tokens(len(session.Spoken(a.Message, a.Links)) + len(a.Refused)); need > free {
		return fault.New(fault.InvalidRequest, "message is too long for model %s: about %d tokens, %d are free", a.Settings.Model, need, free).
			With("field", "message").WithHint("attach long text as a file, or choose a model with a larger context")
	}
	return nil
}

// AffordFirst refuses a turn whose cost budget does not pay for its first model call.
func (a *Run) AffordFirst() error {
	if a.Settings.MaxCostUSD <= 0 {
		return nil
	}
	if err := a.window.Plan(a.history()); err != nil {
		return err
	}
	return a.budget().admit(a.window.CountedTokens())
}

// OpenWindow begins the agent's conversation, with the message as it is now.
func (a *Run) OpenWindow() conversation.Prefix {
	prefix := conversation.Prefix{System: a.prompt(), Tools: a.Tools.Specs(), Limits: a.limits, MaxTokens: a.Settings.MaxTokens}
	prompt := conversation.Prompt{Message: session.Spoken(a.Message, a.Links), Warning: a.Refused, Items: a.Files}
	a.window = conversation.New(a.ID, prefix, prompt, modelFiles{a})
	if a.Compact {
		a.window.FoldAll()
	}
	return prefix
}

// PromptMode is what session:init says; [model.NewPrompt] makes the choice.
func (a *Run) PromptMode() event.PromptMode {
	if len(a.Files) > 0 {
		return event.PromptBlocks
	}
	return event.PromptString
}

// planner plans what the model of an agent is shown.
type planner struct {
	run *Run
	// trimmed is set once a person was notified that results are cut for the model.
	trimmed bool
}

// first plans the first request and records what the model is about to be shown.
func (p *planner) first() (*model.Request, error) {
	if err := p.plan(); err != nil {
		return nil, err
	}
	m := session.Manifest{
		Turn: p.run.ID, Time: session.Time{Time: p.run.Clock()},
		Persona: p.run.Settings.Persona.ID, Mode: p.run.Settings.Mode,
		Provider: p.run.Settings.Provider.Name(), Model: p.run.Settings.Model, PromptMode: p.run.PromptMode(), Tools: p.run.Tools.Names(),
		Instructions: p.run.sources, SystemSHA256: systemDigest(p.run.prompt()),
		Attachments: p.run.window.PromptFiles(), History: p.run.window.Sent(),
	}
	if err := p.run.append(session.Entry{Kind: session.EntryRequest, Turn: p.run.ID, Time: m.Time, Manifest: &m}); err != nil {
		return nil, err
	}
	return p.planned(), nil
}

// plan plans what the next call is shown. What has to be left out is summarised first.
func (p *planner) plan() (err error) {
	_, span := p.run.span("prompt.plan", attribute.Int("belay.attachments", len(p.run.Files)))
	defer func() { telemetry.End(span, err) }()
	err = p.planOnce()
	if err == nil && p.run.window.NeedsSummary() {
		if err = p.summarise(); err == nil {
			err = p.planOnce()
		}
	}
	if err != nil {
		return err
	}
	for _, w := range p.run.window.TakeWarnings() {
		if err := p.run.Events.Warn("ATTACHMENT_CHANGED", w); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) planOnce() error {
	if err := p.run.window.Plan(p.run.history()); err != nil {
		return err
	}
	return p.noteCut(p.run.window.TakeCut())
}

// noteCut notes that the model gets results cut. A file of which it is shown a part does
// not count as seen, which goes on record. The person is notified once in a turn.
func (p *planner) noteCut(cut []conversation.Result) error {
	if len(cut) == 0 {
		return nil
	}
	if !p.trimmed {
		p.trimmed = true
		if err := p.run.Events.Warn("RESULT_CUT", "what "+cut[0].Name+" gave is more than the model can hold; it gets such results cut, and the transcript has them whole"); err != nil {
			return err
		}
	}
	if p.run.environment == nil || p.run.environment.Seen == nil {
		return nil
	}
	for _, r := range cut {
		for _, path := range r.Read {
			p.run.environment.Seen.Unsee(path)
		}
	}
	unseen := p.run.environment.Seen.Take()
	if len(unseen) == 0 {
		return nil
	}
	return p.run.append(session.Entry{Kind: session.EntryTools, Turn: p.run.ID, Time: session.Time{Time: p.run.Clock()}, Seen: unseen})
}

// next adds a model call to the conversation and returns the request that follows.
// Most fit after those before; where one does not, all is planned anew.
func (p *planner) next(c *conversation.ModelCall) (*model.Request, error) {
	fits, err := p.run.window.Add(c)
	if err == nil && !fits {
		err = p.plan()
	}
	if err != nil {
		return nil, err
	}
	return p.planned(), nil
}

// planned is the request as it was planned.
func (p *planner) planned() *model.Request {
	r := p.run.window.Request()
	r.Model, r.Mode, r.Session = p.run.Settings.Model, p.run.Settings.Mode, p.run.Lease.Record().ClaudeSessionID
	return r
}

func systemDigest(system []string) string {
	h, page := sha256.New(), make([]byte, 0, 512)
	for i, s := range system {
		if i > 0 {
			h.Write([]byte("\n\n"))
		}
		for s != "" { // a piece at a time: a copy of the whole would be garbage of every turn
			page = append(page[:0], s[:min(len(s), cap(page))]...)
			h.Write(page)
			s = s[len(page):]
		}
	}
	return hex.EncodeToString(h.Sum(page[:0]))
}

// memo is what a lease keeps of its session between turns.
type memo struct {
	history conversation.History
	// seen is which project files the model knows.
	seen *tool.Seen
}

// history is the conversation before the turn under way.
func (a *Run) history() conversation.History {
	if a.agent != "" {
		return conversation.History{} // a delegated agent knows its task and nothing else
	}
	if a.Alone {
		return conversation.History{}.Extend(a.own(), a.ID)
	}
	m, _ := a.Lease.Memo().(memo)
	if len(a.Lease.Tampered()) > 0 {
		m.history = conversation.History{}
	}
	entries := a.Lease.Entries()
	m.history = m.history.Extend(entries, a.ID)
	before := entries
	if from := session.Since(entries, a.ID); len(from) > 0 && from[0].Turn == a.ID {
		before = entries[:len(entries)-len(from)]
	}
	if session.LastStep(before).Kind == session.EntryEnd { // a turn that is open gets more lines
		a.Lease.SetMemo(m)
	}
	return m.history
}

// own are the entries of the session that a turn sees which is alone.
func (a *Run) own() []session.Entry {
	all := a.Lease.Entries()
	since := cmp.Or(a.Since, a.ID)
	for i, e := range all {
		if e.Kind == session.EntryTurn && e.Turn == since {
			return all[i:]
		}
	}
	return nil
}
