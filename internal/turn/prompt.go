package turn

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
)

// compose builds the fixed prefix of the turn's requests (the persona's instructions,
// then the project's own notes, and the tools) and checks that the person's message fits
// after it.
func (t *agentRun) compose(projectRoot string) error {
	t.limits = t.settings.provider.Limits(t.settings.model)
	p := t.settings.persona
	t.system = []string{p.SystemPrompt()}
	for _, s := range p.Sources() {
		t.sources = append(t.sources, session.Source{Path: s.Path, SHA256: s.SHA256, Bytes: s.Bytes})
	}
	notes, source, ok, err := persona.ProjectNotes(projectRoot, t.settings.notesBytes)
	if err != nil {
		// A link that leads out of the project, a pipe: the turn can do without.
		t.settings.warn("NOTES_UNREADABLE", "the project's notes were left out: "+err.Error())
	}
	if ok {
		t.system = append(t.system, notes)
		t.sources = append(t.sources, session.Source{Path: source.Path, SHA256: source.SHA256, Bytes: source.Bytes, Cut: source.Cut})
		if source.Cut {
			t.settings.warn("NOTES_CUT", "AGENTS.md of the project is longer than turn.instructions_bytes; only its beginning was sent")
		}
	}
	prefix := t.openWindow()
	free := prefix.InputTokens()
	if free <= 0 {
		return fault.New(fault.InvalidRequest, "the context of the model %s, %d tokens, has no room for a message beside the instructions and tools, about %d, and the answer",
			t.settings.model, t.limits.ContextTokens, prefix.Tokens()).
			With("field", "model").WithHint("choose a model with a larger context, or allow fewer tools; if it has more than that, say so with models or openai.context_tokens")
	}
	if need := conversation.Tokens(len(session.Spoken(t.message, t.links)) + len(t.refused)); need > free {
		return fault.New(fault.InvalidRequest, "message is too long for model %s: about %d tokens, %d are free", t.settings.model, need, free).
			With("field", "message").WithHint("attach long text as a file, or choose a model with a larger context")
	}
	return nil
}

// affordFirst refuses a turn whose cost budget does not pay for its first model call.
func (t *agentRun) affordFirst() error {
	if t.settings.maxCostUSD <= 0 {
		return nil
	}
	if err := t.window.Plan(t.history()); err != nil {
		return err
	}
	return t.budget().admit(t.window.CountedTokens())
}

// openWindow begins the agent's conversation.
func (t *agentRun) openWindow() conversation.Prefix {
	prefix := conversation.Prefix{System: t.system, Tools: t.tools.Specs(), Limits: t.limits, MaxTokens: t.settings.maxTokens}
	prompt := conversation.Prompt{Message: session.Spoken(t.message, t.links), Warning: t.refused, Items: t.files}
	t.window = conversation.New(t.id, prefix, prompt, modelFiles{t})
	return prefix
}

// promptMode is what session:init says; [model.NewPrompt] makes the choice.
func (t *agentRun) promptMode() event.PromptMode {
	if len(t.files) > 0 {
		return event.PromptBlocks
	}
	return event.PromptString
}

// planner plans what the model of an agent is shown.
type planner struct {
	run *agentRun
	// trimmed is set once a person was notified that results are cut for the model.
	trimmed bool
}

// first plans the first request and records what the model is about to be shown.
func (p *planner) first() (*model.Request, error) {
	if err := p.plan(); err != nil {
		return nil, err
	}
	m := session.Manifest{
		Turn: p.run.id, Time: session.Time{Time: p.run.clock()},
		Persona: p.run.settings.persona.ID, Mode: p.run.settings.mode,
		Provider: p.run.settings.provider.Name(), Model: p.run.settings.model, PromptMode: p.run.promptMode(), Tools: p.run.tools.Names(),
		Instructions: p.run.sources, SystemSHA256: systemDigest(p.run.system),
		Attachments: p.run.window.PromptFiles(), History: p.run.window.Sent(),
	}
	if err := p.run.append(session.Entry{Kind: session.EntryRequest, Turn: p.run.id, Time: m.Time, Manifest: &m}); err != nil {
		return nil, err
	}
	return p.planned(), nil
}

// plan plans what the next call is shown. What has to be left out is summarised first.
func (p *planner) plan() error {
	err := p.planOnce()
	if err == nil && p.run.window.NeedsSummary() {
		if err = p.summarise(); err == nil {
			err = p.planOnce()
		}
	}
	if err != nil {
		return err
	}
	for _, w := range p.run.window.TakeWarnings() {
		if err := p.run.events.warn("ATTACHMENT_CHANGED", w); err != nil {
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
		if err := p.run.events.warn("RESULT_CUT", "what "+cut[0].Name+" gave is more than the model can hold; it gets such results cut, and the transcript has them whole"); err != nil {
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
	return p.run.append(session.Entry{Kind: session.EntryTools, Turn: p.run.id, Time: session.Time{Time: p.run.clock()}, Seen: unseen})
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
	r.Model, r.Mode, r.Session = p.run.settings.model, p.run.settings.mode, p.run.lease.Record().ClaudeSessionID
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
func (t *agentRun) history() conversation.History {
	if t.agent != "" {
		return conversation.History{} // a delegated agent knows its task and nothing else
	}
	if t.alone {
		return conversation.History{}.Extend(t.own(), t.id)
	}
	m, _ := t.lease.Memo().(memo)
	if len(t.lease.Tampered()) > 0 {
		m.history = conversation.History{}
	}
	m.history = m.history.Extend(t.lease.Entries(), t.id)
	t.lease.SetMemo(m)
	return m.history
}

// own are the entries of the session that a turn sees which is alone.
func (t *agentRun) own() []session.Entry {
	all := t.lease.Entries()
	since := cmp.Or(t.since, t.id)
	for i, e := range all {
		if e.Kind == session.EntryTurn && e.Turn == since {
			return all[i:]
		}
	}
	return nil
}
