package anthropic

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

// builder makes the body of one request. Where a file belongs it leaves a
// placeholder, which the body replaces while it is sent.
//
// Blocks with more than text in them are the SDK's own, and so is their JSON. What
// most of a request is, texts and what stands around them, is written here, byte
// for byte as the SDK would: all of the history is sent with every turn, and the
// SDK takes many times as long.
type builder struct {
	files  *upstream.Files
	inline int64 // longer text documents are streamed
	tools  *upstream.ToolSets
}

// body returns the JSON of r. The same request always gives the same but for the
// placeholders, so that prompt caches hold.
func (b *builder) body(r model.Request, limits model.Limits) ([]byte, error) {
	tools, err := b.tools.JSON(r.Tools, !hasText(r.System))
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, upstream.Room(r)+len(tools))
	out = strconv.AppendInt(append(out, `{"max_tokens":`...), upstream.MaxTokens(r, limits), 10)
	if out, err = b.messages(append(out, `,"messages":[`...), r); err != nil {
		return nil, err
	}
	out = upstream.AppendText(append(out, `],"model":`...), r.Model)
	out = appendSystem(out, r.System)
	if len(tools) > 0 {
		out = append(append(append(out, `,"tools":[`...), tools...), ']')
	}
	return append(out, `,"stream":true}`...), nil
}

// messages appends the conversation.
func (b *builder) messages(out []byte, r model.Request) ([]byte, error) {
	talk := r.Conversation()
	begun := len(out)
	for i := range talk.Len() {
		m := talk.At(i)
		marked := i == len(r.History)-1
		before := len(out)
		if len(out) > begun {
			out = append(out, ',')
		}
		if text, ok := upstream.Plain(m); ok {
			out = append(out, `{"content":[`...)
			out = appendBlock(out, text, marked)
			out = upstream.AppendText(append(out, `],"role":`...), m.Role)
			out = append(out, '}')
			continue
		}
		blocks, err := b.blocks(m)
		if err != nil {
			return nil, err
		}
		if len(blocks) == 0 {
			out = out[:before]
			continue
		}
		if marked {
			cacheLast(blocks, func(sdk.ContentBlockParamUnion) bool { return true })
		}
		if i == len(r.History) {
			cacheLast(blocks, isFile)
		}
		text, err := sdk.MessageParam{Role: sdk.MessageParamRole(m.Role), Content: blocks}.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("encode a message: %w", err)
		}
		out = append(out, text...)
	}
	return out, nil
}

// appendBlock appends a block of text. A marked one ends what is cached.
func appendBlock(out []byte, text string, marked bool) []byte {
	out = upstream.AppendText(append(out, `{"text":`...), text)
	if marked {
		out = append(out, `,"cache_control":{"type":"ephemeral"}`...)
	}
	return append(out, `,"type":"text"}`...)
}

// appendSystem appends the system prompt. Its end is marked: with the tools, which
// the service puts before it, it is what all turns share.
func appendSystem(out []byte, texts []string) []byte {
	last := len(texts) - 1
	for last >= 0 && blank(texts[last]) {
		last--
	}
	if last < 0 {
		return out
	}
	out = append(out, `,"system":[`...)
	for i, text := range texts[:last+1] {
		if !blank(text) {
			out = appendBlock(out, text, i == last)
			if i < last {
				out = append(out, ',')
			}
		}
	}
	return append(out, ']')
}

func hasText(texts []string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return !blank(s) })
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// cacheLast marks the last block that wanted accepts and that can be marked.
// With the preamble, the end of the history and the last file there are at most
// three marks; the service takes four.
func cacheLast(blocks []sdk.ContentBlockParamUnion, wanted func(sdk.ContentBlockParamUnion) bool) {
	for i := len(blocks) - 1; i >= 0; i-- {
		if mark := blocks[i].GetCacheControl(); mark != nil && wanted(blocks[i]) {
			*mark = sdk.NewCacheControlEphemeralParam()
			return
		}
	}
}

func isFile(b sdk.ContentBlockParamUnion) bool { return b.OfImage != nil || b.OfDocument != nil }

// blocks returns the content of m. What the service refuses in any request is
// left out: blank text, and reasoning without a signature (another provider's).
func (b *builder) blocks(m *model.Message) ([]sdk.ContentBlockParamUnion, error) {
	var blocks []sdk.ContentBlockParamUnion
	for _, c := range m.Content {
		switch c := c.(type) {
		case model.Text:
			if !blank(c.Text) {
				blocks = append(blocks, sdk.NewTextBlock(c.Text))
			}
		case model.Thinking:
			switch {
			case c.Redacted != "":
				blocks = append(blocks, sdk.NewRedactedThinkingBlock(c.Redacted))
			case c.Signature != "":
				blocks = append(blocks, sdk.NewThinkingBlock(c.Signature, c.Text))
			}
		case model.ToolCall:
			input := c.Input
			if len(input) == 0 {
				input = json.RawMessage("{}")
			}
			blocks = append(blocks, sdk.NewToolUseBlock(c.ID, input, c.Name))
		case model.ToolOutput:
			block, err := b.toolOutput(c)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, block)
		case model.Media:
			part, err := b.part(c.Part)
			if err != nil {
				return nil, err
			}
			if part != nil {
				blocks = append(blocks, *part)
			}
		default:
			return nil, fmt.Errorf("content of type %T cannot be sent", c)
		}
	}
	return blocks, nil
}
