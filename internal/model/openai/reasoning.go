package openai

import (
	"errors"
	"sync"

	"belay/internal/lazyregexp"
)

// contentField is where most services have reasoning. Of those, some want it back.
const contentField = "reasoning_content"

// reasoningBack is how a server takes a model's reasoning back.
type reasoningBack struct {
	// field is where it last sent reasoning: others are an error to some. "" is nowhere.
	field string
	need  need
}

// need is which messages of the model must have the field, if only a blank one. Any may
// have it while the answer that it belongs to is being made.
type need int

const (
	needNone  need = iota
	needCalls      // those with tool calls
	needAll
)

// reasonings is what is known of that, by model: a gateway has many.
type reasonings struct {
	mu sync.Mutex
	of map[string]reasoningBack
}

// maxReasonings bounds the models of which something is remembered.
const maxReasonings = 1000

func (k *reasonings) get(model string) reasoningBack {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.of[model]
}

// change changes what is known of a model, and reports whether that is new.
func (k *reasonings) change(model string, with func(*reasoningBack)) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	known := k.of[model]
	now := known
	with(&now)
	if now == known {
		return false
	}
	if k.of == nil || len(k.of) >= maxReasonings {
		k.of = map[string]reasoningBack{}
	}
	k.of[model] = now
	return true
}

// came notes that reasoning came in a field.
func (k *reasonings) came(model, field string) {
	k.change(model, func(b *reasoningBack) {
		if b.need == needNone {
			b.field = field
		}
	})
}

// cameWithCalls notes that an answer with tool calls had reasoning in a field. Moonshot and
// DeepSeek refuse such an answer without it.
func (k *reasonings) cameWithCalls(model, field string) {
	if field == contentField {
		k.change(model, func(b *reasoningBack) { b.field, b.need = field, max(b.need, needCalls) })
	}
}

// demanded notes a refusal for lack of reasoning, as after a restart, and reports whether
// the next request is another one.
func (k *reasonings) demanded(model string, err error) bool {
	var e *answerError
	if !errors.As(err, &e) || e.res.StatusCode != 400 && e.res.StatusCode != 422 || !noReasoning.MatchString(e.Message) {
		return false
	}
	return k.change(model, func(b *reasoningBack) { b.field, b.need = contentField, needAll })
}

var noReasoning = lazyregexp.New(`(?i)missing .{0,3}reasoning_content|reasoning_content.{0,40}(missing|must be passed back|required)`)

// of returns the reasoning that goes back with a message, or "". Blank stands for what is
// not kept any more.
func (b reasoningBack) of(thought string, calls, now bool) string {
	switch {
	case b.field == "":
		return ""
	case b.need == needAll, b.need == needCalls && calls:
		if thought == "" {
			return " "
		}
		return thought
	case now:
		return thought
	}
	return ""
}
