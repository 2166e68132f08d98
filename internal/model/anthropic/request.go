package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

// builder makes the parameters of one request. Where a file belongs it leaves a
// placeholder, which [upstream.Call.Send] replaces.
type builder struct {
	files  *upstream.Files
	inline int64  // longer text documents are streamed
	effort string // "" for as the model likes
	calls  upstream.CallNames
}

// params returns r as the service takes it. The same request always gives the same
// but for the placeholders, so that prompt caches hold.
func (b *builder) params(r model.Request, limits model.Limits) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{
		Model: r.Model, MaxTokens: upstream.MaxTokens(r, limits),
		System: system(r.System), Messages: []sdk.MessageParam{},
	}
	p.Tools = tools(r.Tools, len(p.System) == 0)
	p.OutputConfig.Effort = sdk.OutputConfigEffort(b.effort)
	b.calls = upstream.CallNames{MaxName: 128, MaxID: 128}
	conversation := r.Conversation()
	for i := range conversation.Len() {
		m := conversation.At(i)
		blocks, err := b.blocks(m)
		if err != nil {
			return p, err
		}
		if i == len(r.History)-1 {
			cacheLast(blocks, func(sdk.ContentBlockParamUnion) bool { return true })
		}
		if i == len(r.History) {
			cacheLast(blocks, isFile)
		}
		if len(blocks) > 0 {
			p.Messages = append(p.Messages, sdk.MessageParam{Role: sdk.MessageParamRole(m.Role), Content: blocks})
		}
	}
	return p, nil
}

// system returns the system prompt. Its end is marked: with the tools, which the
// service puts before it, it is the prefix that all turns share.
func system(texts []string) []sdk.TextBlockParam {
	var blocks []sdk.TextBlockParam
	for _, text := range texts {
		if !blank(text) {
			blocks = append(blocks, sdk.TextBlockParam{Text: text})
		}
	}
	if len(blocks) > 0 {
		blocks[len(blocks)-1].CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	return blocks
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
	if m.Role == model.Assistant {
		b.calls.Answer()
	}
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
			blocks = append(blocks, sdk.NewToolUseBlock(b.calls.Call(c.ID), input, b.calls.Name(c.Name)))
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
