package turn

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/session"
)

// bytesPerToken is the low end of what a token holds, so that estimates are
// high and a request that we think fits does fit.
const bytesPerToken = 3

// frame builds the system prompt (the persona's instructions, then the
// project's own notes) and checks that the person's words fit beside it.
func (t *running) frame(projectRoot string) error {
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
	room := t.inputRoom()
	if room <= 0 {
		return fault.New(fault.InvalidRequest, "the context of the model %s, %d tokens, has no room for a message beside the instructions and tools, about %d, and the answer",
			t.settings.model, t.limits.ContextTokens, t.frameTokens()).
			With("field", "model").WithHint("choose a model with a larger context, or allow fewer tools; if it has more than that, say so with models or openai.context_tokens")
	}
	if need := tokens(len(t.req.Message) + len(t.refused)); need > room {
		return fault.New(fault.InvalidRequest, "message is too long for model %s: about %d tokens, %d are free", t.settings.model, need, room).
			With("field", "message").WithHint("attach long text as a file, or choose a model with a larger context")
	}
	return nil
}

// inputRoom is how many input tokens are left for conversation: the context
// without the frame and without room for the answer.
func (t *running) inputRoom() int64 {
	reserve := t.limits.OutputTokens
	if max := t.settings.maxTokens; max > 0 {
		reserve = min(reserve, max)
	}
	// A model that may answer with most of its context would leave no room to
	// ask: at most half is kept free, and a call's own cap is lowered to fit.
	reserve = min(reserve, t.limits.ContextTokens/2)
	return int64(float64(t.limits.ContextTokens-reserve)/t.density()) - t.frameTokens()
}

// frameTokens estimates what every request of the turn begins with.
func (t *running) frameTokens() int64 {
	size := 0
	for _, s := range t.system {
		size += len(s)
	}
	for _, s := range t.tools.Specs() {
		size += len(s.Name) + len(s.Description) + len(s.Schema)
	}
	return tokens(size) + requestOverheadTokens
}

// What a request holds beside its content, on the high side.
const (
	requestOverheadTokens = 512
	requestOverheadBytes  = 64 << 10
)

func tokens(bytes int) int64 { return int64(bytes)/bytesPerToken + 8 }

// promptMode is what session:init says; [model.NewPrompt] makes the choice.
func (t *running) promptMode() event.PromptMode {
	if len(t.files) > 0 {
		return event.PromptBlocks
	}
	return event.PromptString
}

// request plans the prompt and the history for the model and records what it
// is about to be shown.
func (t *running) request() (*model.Request, error) {
	if err := t.arrange(); err != nil {
		return nil, err
	}
	p := t.planned
	m := session.Manifest{
		Turn: t.id, Time: session.Time{Time: t.l.o.Clock()},
		Persona: t.settings.persona.ID, Mode: t.settings.mode,
		Provider: t.settings.backend.Provider.Name(), Model: t.settings.model, PromptMode: t.promptMode(), Tools: t.tools.Names(),
		Instructions: t.sources, SystemSHA256: digest(t.system),
		Attachments: p.prompt.items, History: p.history(),
	}
	if err := t.append(session.Entry{Kind: session.EntryRequest, Turn: t.id, Time: m.Time, Manifest: &m}); err != nil {
		return nil, err
	}
	return t.compose(), nil
}

// arrange plans what the next call is shown. What has to be left out is
// summarised first.
func (t *running) arrange() error {
	p, err := t.plan()
	if err == nil && p.lacks() {
		if err = t.summarise(p); err == nil {
			p, err = t.plan()
		}
	}
	if err != nil {
		return err
	}
	for _, w := range p.warnings {
		if t.planned != nil && slices.Contains(t.planned.warnings, w) {
			continue
		}
		if err := t.warn("ATTACHMENT_CHANGED", w); err != nil {
			return err
		}
	}
	t.planned, t.inputTokens = p, p.load.tokens+t.frameTokens()
	return nil
}

// proceed adds a round to the conversation and returns the request that follows.
// Most rounds fit behind those before; where one does not, all is planned anew.
func (t *running) proceed(r *round) (*model.Request, error) {
	t.rounds = append(t.rounds, r)
	if p := t.planned; len(r.items()) == 0 {
		if err := t.render(r, p.many); err != nil {
			return nil, err
		}
		if sum := p.load.plus(r.load); sum.fits(t.room()) {
			p.load, p.rounds = sum, t.rounds[p.folded:]
			t.inputTokens += r.load.tokens
			return t.compose(), nil
		}
	}
	if err := t.arrange(); err != nil {
		return nil, err
	}
	return t.compose(), nil
}

// compose is the request as it was planned.
func (t *running) compose() *model.Request {
	r := &model.Request{
		Model: t.settings.model, System: t.system, Tools: t.tools.Specs(),
		Mode: t.settings.mode, Session: t.lease.Record().ClaudeSessionID, Folded: t.planned.folded,
		Counted: t.planned.counted,
	}
	r.History, r.Prompt = t.planned.conversation(model.NewPrompt(t.refused, t.req.Message, t.planned.prompt.parts))
	return r
}

func digest(system []string) string {
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

func media(parts []attachment.Part) []model.Content {
	c := make([]model.Content, len(parts))
	for i, p := range parts {
		c[i] = model.Media{Part: p}
	}
	return c
}
