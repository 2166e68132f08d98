package agent

import (
	"iter"

	"belay/internal/model"
	"belay/internal/redact"
)

// redacted is a model's answer without the keys that belay knows. A model may have read one
// in a file that a person attached. The calls are made as they are recorded, so that a turn
// that is taken up makes the same ones.
func redacted(answer iter.Seq2[model.Chunk, error], r *redact.Redactor) iter.Seq2[model.Chunk, error] {
	if r == nil {
		return answer
	}
	return func(yield func(model.Chunk, error) bool) {
		thinking, text := r.Stream(), r.Stream()
		rest := func() bool {
			if held := thinking.Rest(); held != "" && !yield(model.ThinkingDelta{Text: held}, nil) {
				return false
			}
			held := text.Rest()
			return held == "" || yield(model.TextDelta{Text: held}, nil)
		}
		for chunk, err := range answer {
			if err != nil {
				if rest() {
					yield(nil, err)
				}
				return
			}
			switch c := chunk.(type) {
			case model.ThinkingDelta:
				chunk = piece(thinking.Next(c.Text), func(s string) model.Chunk { return model.ThinkingDelta{Text: s} })
			case model.TextDelta:
				chunk = piece(text.Next(c.Text), func(s string) model.Chunk { return model.TextDelta{Text: s} })
			case model.Block:
				if !rest() {
					return
				}
				chunk = model.Block{Content: withoutKeys(c.Content, r)}
			case model.Stop:
				if !rest() {
					return
				}
				chunk = model.Stop{Reason: model.StopReason(r.Known(string(c.Reason)))} // the service's own word
			}
			if !yield(chunk, nil) {
				return
			}
		}
		rest()
	}
}

// piece is a piece of text, or the sign that one came, where all of it is held back.
func piece(text string, of func(string) model.Chunk) model.Chunk {
	if text == "" {
		return model.Alive{Content: true}
	}
	return of(text)
}

// withoutKeys is a block without keys. Thinking that had one loses its signature: the
// provider would not accept it any more, and is not sent it.
func withoutKeys(content model.Content, r *redact.Redactor) model.Content {
	switch c := content.(type) {
	case model.Text:
		return model.Text{Text: r.Known(c.Text)}
	case model.Thinking:
		if clean := r.Known(c.Text); clean != c.Text || r.Known(c.Signature) != c.Signature || r.Known(c.Redacted) != c.Redacted {
			return model.Thinking{Text: clean}
		}
	case model.ToolCall:
		c.ID, c.Name = r.Known(c.ID), r.Known(c.Name)
		c.Input = r.KnownJSON(c.Input)
		if r.Known(c.Signature) != c.Signature {
			c.Signature = ""
		}
		return c
	}
	return content
}
