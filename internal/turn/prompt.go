package turn

import (
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
	t.limits = t.settings.backend.Provider.Limits(t.settings.model)
	p := t.settings.persona
	t.system = []string{p.SystemPrompt()}
	for _, s := range p.Sources() {
		t.sources = append(t.sources, session.Source{Path: s.Path, SHA256: s.SHA256, Bytes: s.Bytes})
	}
	notes, source, ok, err := persona.ProjectNotes(projectRoot, t.settings.rules.Limits.NotesBytes)
	if err != nil {
		// A link that leads out of the project, a pipe: the turn can do without.
		t.settings.add("NOTES_UNREADABLE", "the project's notes were left out: "+err.Error())
	}
	if ok {
		t.system = append(t.system, notes)
		t.sources = append(t.sources, session.Source{Path: source.Path, SHA256: source.SHA256, Bytes: source.Bytes, Cut: source.Cut})
		if source.Cut {
			t.settings.add("NOTES_CUT", "AGENTS.md of the project is longer than turn.instructions_bytes; only its beginning was sent")
		}
	}
	prefix := t.openWindow()
	free := prefix.InputTokens()
	if free <= 0 {
		return fault.New(fault.InvalidRequest, "the context of the model %s, %d tokens, has no room for a message beside the instructions and tools, about %d, and the answer",
			t.settings.model, t.limits.ContextTokens, prefix.Tokens()).
			With("field", "model").WithHint("choose a model with a larger context, or allow fewer tools; if it has more than that, say so with models or openai.context_tokens")
	}
	if need := conversation.Tokens(len(t.req.Message) + len(t.refused)); need > free {
		return fault.New(fault.InvalidRequest, "message is too long for model %s: about %d tokens, %d are free", t.settings.model, need, free).
			With("field", "message").WithHint("attach long text as a file, or choose a model with a larger context")
	}
	return nil
}

// openWindow begins the agent's conversation.
func (t *agentRun) openWindow() conversation.Prefix {
	prefix := conversation.Prefix{System: t.system, Tools: t.tools.Specs(), Limits: t.limits, MaxTokens: t.settings.maxTokens}
	prompt := conversation.Prompt{Message: t.req.Message, Warning: t.refused, Items: t.files}
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

// request plans the first request and records what the model is about to be shown.
func (t *agentRun) request() (*model.Request, error) {
	if err := t.plan(); err != nil {
		return nil, err
	}
	m := session.Manifest{
		Turn: t.id, Time: session.Time{Time: t.l.o.Clock()},
		Persona: t.settings.persona.ID, Mode: t.settings.mode,
		Provider: t.settings.backend.Provider.Name(), Model: t.settings.model, PromptMode: t.promptMode(), Tools: t.tools.Names(),
		Instructions: t.sources, SystemSHA256: systemDigest(t.system),
		Attachments: t.window.PromptFiles(), History: t.window.Sent(),
	}
	if err := t.append(session.Entry{Kind: session.EntryRequest, Turn: t.id, Time: m.Time, Manifest: &m}); err != nil {
		return nil, err
	}
	return t.planned(), nil
}

// plan plans what the next call is shown. What has to be left out is summarised first.
func (t *agentRun) plan() error {
	err := t.planOnce()
	if err == nil && t.window.NeedsSummary() {
		if err = t.summarise(); err == nil {
			err = t.planOnce()
		}
	}
	if err != nil {
		return err
	}
	for _, w := range t.window.TakeWarnings() {
		if err := t.warn("ATTACHMENT_CHANGED", w); err != nil {
			return err
		}
	}
	return nil
}

func (t *agentRun) planOnce() error {
	if err := t.window.Plan(t.history()); err != nil {
		return err
	}
	return t.noteCut(t.window.TakeCut())
}

// noteCut notes that the model gets results cut. A file of which it is shown a part does
// not count as seen, which goes on record. The person is notified once in a turn.
func (t *agentRun) noteCut(cut []conversation.Result) error {
	if len(cut) == 0 {
		return nil
	}
	if !t.trimmed {
		t.trimmed = true
		if err := t.warn("RESULT_CUT", "what "+cut[0].Name+" gave is more than the model can hold; it gets such results cut, and the transcript has them whole"); err != nil {
			return err
		}
	}
	if t.environment == nil || t.environment.Seen == nil {
		return nil
	}
	for _, r := range cut {
		for _, path := range r.Read {
			t.environment.Seen.Unsee(path)
		}
	}
	unseen := t.environment.Seen.Take()
	if len(unseen) == 0 {
		return nil
	}
	return t.append(session.Entry{Kind: session.EntryTools, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()}, Seen: unseen})
}

// proceed adds a model call to the conversation and returns the request that follows.
// Most fit after those before; where one does not, all is planned anew.
func (t *agentRun) proceed(c *conversation.ModelCall) (*model.Request, error) {
	fits, err := t.window.Add(c)
	if err == nil && !fits {
		err = t.plan()
	}
	if err != nil {
		return nil, err
	}
	return t.planned(), nil
}

// planned is the request as it was planned.
func (t *agentRun) planned() *model.Request {
	r := t.window.Request()
	r.Model, r.Mode, r.Session = t.settings.model, t.settings.mode, t.lease.Record().ClaudeSessionID
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
	if t.alone() {
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

// alone reports whether the turn sees less than all of its session.
func (t *agentRun) alone() bool { return t.req.Agent != nil && t.req.Agent.Alone }

// own are the entries of the session that a turn sees which is alone.
func (t *agentRun) own() []session.Entry {
	all := t.lease.Entries()
	since := first(t.req.Agent.Since, t.id)
	for i, e := range all {
		if e.Kind == session.EntryTurn && e.Turn == since {
			return all[i:]
		}
	}
	return nil
}
