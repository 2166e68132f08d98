package anthropic

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/model/upstream"
)

// builder makes the SDK's parameters of one request. Where a file belongs it
// leaves a placeholder, which the body replaces while it is sent.
type builder struct {
	files  *upstream.Files
	inline int64 // longer text documents are streamed
	tools  *upstream.ToolSets
}

// params returns the parameters of r. The same request always gives the same
// parameters but for the placeholders, so that prompt caches hold.
func (b *builder) params(r model.Request, limits model.Limits) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{
		Model:     r.Model,
		MaxTokens: upstream.MaxTokens(r, limits),
	}
	for _, text := range r.System {
		if strings.TrimSpace(text) != "" {
			p.System = append(p.System, sdk.TextBlockParam{Text: text})
		}
	}
	var run []byte // of messages whose JSON is there already
	flush := func() {
		if len(run) > 0 {
			var all sdk.MessageParam
			param.SetJSON([]byte(strconv.Quote(b.files.AddJSON(run))), &all)
			p.Messages, run = append(p.Messages, all), nil
		}
	}
	for i, m := range r.Messages() {
		marked := i == len(r.History)-1
		if text, ok := plain(m); ok && !marked {
			run = appendPlain(run, m.Role, text)
			continue
		}
		flush()
		blocks, err := b.blocks(m)
		if err != nil {
			return p, err
		}
		if len(blocks) == 0 {
			continue
		}
		if marked {
			cacheLast(blocks, func(sdk.ContentBlockParamUnion) bool { return true })
		}
		if i == len(r.History) {
			cacheLast(blocks, isFile)
		}
		p.Messages = append(p.Messages, sdk.MessageParam{Role: sdk.MessageParamRole(m.Role), Content: blocks})
	}
	flush()
	return p, b.addTools(&p, r.Tools)
}

// plain returns the text of a message that is nothing but one text, as most of a
// history is.
func plain(m model.Message) (string, bool) {
	if len(m.Content) != 1 {
		return "", false
	}
	text, ok := m.Content[0].(model.Text)
	return text.Text, ok && strings.TrimSpace(text.Text) != ""
}

// appendPlain adds the JSON of a plain message to a run of them. All of the
// history is sent with every turn, and the SDK takes many times as long.
func appendPlain(run []byte, role model.Role, text string) []byte {
	if len(run) > 0 {
		run = append(run, ',')
	}
	run = append(run, `{"content":[{"text":`...)
	run = event.AppendString(run, text)
	run = append(run, `,"type":"text"}],"role":`...)
	run = event.AppendString(run, role)
	return append(run, '}')
}

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
func (b *builder) blocks(m model.Message) ([]sdk.ContentBlockParamUnion, error) {
	var blocks []sdk.ContentBlockParamUnion
	for _, c := range m.Content {
		switch c := c.(type) {
		case model.Text:
			if strings.TrimSpace(c.Text) != "" {
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

// part returns the block of one part, or nil for blank text.
func (b *builder) part(p attachment.Part) (*sdk.ContentBlockParamUnion, error) {
	var block sdk.ContentBlockParamUnion
	switch p := p.(type) {
	case attachment.TextPart:
		if strings.TrimSpace(p.Text) == "" {
			return nil, nil
		}
		block = sdk.NewTextBlock(p.Text)
	case attachment.ImagePart:
		block = sdk.NewImageBlockBase64(p.MIMEType, b.files.Add(p.Content, upstream.AsBase64))
	case attachment.ImageURLPart:
		block = sdk.NewImageBlock(sdk.URLImageSourceParam{URL: p.URL})
	case attachment.DocumentPart:
		block = sdk.NewDocumentBlock(sdk.Base64PDFSourceParam{Data: b.files.Add(p.Content, upstream.AsBase64)})
		title(block.OfDocument, p.Name)
	case attachment.MediaPart: // no model here takes it, so none is planned
		block = sdk.NewTextBlock(fmt.Sprintf("[The %s %q was left out: it cannot be sent.]", p.Kind, p.Name))
	case attachment.TextDocumentPart:
		if p.Content.Size() == 0 {
			block = sdk.NewTextBlock(fmt.Sprintf("The file %q is empty.", p.Name))
			break
		}
		text, err := b.text(p.Content)
		if err != nil {
			return nil, err
		}
		block = sdk.NewDocumentBlock(sdk.PlainTextSourceParam{Data: text})
		title(block.OfDocument, p.Name)
	default:
		return nil, fmt.Errorf("a part of type %T cannot be sent", p)
	}
	return &block, nil
}

func title(d *sdk.DocumentBlockParam, name string) {
	if name != "" {
		d.Title = param.NewOpt(name)
	}
}

// text returns a short document's words, or a placeholder for a long one.
func (b *builder) text(c attachment.Content) (string, error) {
	if c.Size() > b.inline {
		return b.files.Add(c, upstream.AsText), nil
	}
	return upstream.ReadText(c)
}

// toolOutput returns the answer to a tool call; it may hold files.
func (b *builder) toolOutput(c model.ToolOutput) (sdk.ContentBlockParamUnion, error) {
	result := sdk.ToolResultBlockParam{ToolUseID: c.CallID}
	if c.Failed {
		result.IsError = param.NewOpt(true)
	}
	for _, p := range c.Parts {
		block, err := b.part(p)
		if err != nil {
			return sdk.ContentBlockParamUnion{}, err
		}
		if block != nil {
			result.Content = append(result.Content, sdk.ToolResultBlockParamContentUnion{
				OfText: block.OfText, OfImage: block.OfImage, OfDocument: block.OfDocument,
			})
		}
	}
	return sdk.ContentBlockParamUnion{OfToolResult: &result}, nil
}
