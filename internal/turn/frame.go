package turn

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

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
	t.limits = t.l.o.Provider.Limits(t.settings.model)
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
	if need := tokens(len(t.req.Message) + len(t.refused)); need > room {
		return fault.New(fault.InvalidRequest, "message is too long for model %s: about %d tokens, %d are free", t.settings.model, need, max(room, 0)).
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
	return t.limits.ContextTokens - reserve - t.frameTokens()
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

// request is one model call with what the transcript will say about it.
type request struct {
	model.Request
}

// next is the request that follows an answer with tool calls.
func (r *request) next(answer model.Message, results []model.Content) *request {
	history := append([]model.Message(nil), r.History...)
	if r.Prompt != nil {
		history = append(history, model.Message{Role: model.User, Content: media(r.Prompt.Parts())})
	}
	if len(answer.Content) == 0 {
		answer.Content = []model.Content{model.Text{Text: noAnswer}}
	}
	next := *r
	next.History = append(history, answer, model.Message{Role: model.User, Content: results})
	next.Prompt = nil
	return &next
}

// request plans the prompt and the history for the model and records what it
// is about to be shown.
func (t *running) request() (*request, error) {
	h, err := t.plan()
	if err == nil && len(h.leftOut) > 0 {
		t.inputTokens = h.tokens + t.frameTokens()
		var made bool
		if made, err = t.summarise(&h); made && err == nil {
			h, err = t.plan()
		}
	}
	if err != nil {
		return nil, err
	}
	for _, w := range h.warnings {
		if err := t.warn("ATTACHMENT_CHANGED", w); err != nil {
			return nil, err
		}
	}
	t.planned = &h
	t.inputTokens = h.tokens + t.frameTokens()
	m := session.Manifest{
		Turn: t.id, Time: session.Time{Time: t.l.o.Clock()},
		Persona: t.settings.persona.ID, Mode: t.settings.mode,
		Provider: t.l.o.Provider.Name(), Model: t.settings.model, PromptMode: t.promptMode(), Tools: t.tools.Names(),
		Instructions: t.sources, SystemSHA256: digest(t.system),
		Attachments: h.prompt.items, History: h.history(),
	}
	err = t.append(session.Entry{Kind: session.EntryRequest, Turn: t.id, Time: m.Time, Manifest: &m})
	return &request{model.Request{
		Model: t.settings.model, System: t.system, History: h.messages(),
		Prompt: model.NewPrompt(t.refused, t.req.Message, h.prompt.parts),
		Tools:  t.tools.Specs(),
		Mode:   t.settings.mode, Session: t.lease.Record().ClaudeSessionID,
	}}, err
}

func digest(system []string) string {
	sum := sha256.Sum256([]byte(strings.Join(system, "\n\n")))
	return hex.EncodeToString(sum[:])
}

func media(parts []attachment.Part) []model.Content {
	c := make([]model.Content, len(parts))
	for i, p := range parts {
		c[i] = model.Media{Part: p}
	}
	return c
}
