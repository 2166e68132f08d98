package anthropic

import (
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream"
)

// part returns the block of one part, or nil for blank text.
func (b *builder) part(p attachment.Part) (*sdk.ContentBlockParamUnion, error) {
	var block sdk.ContentBlockParamUnion
	switch p := p.(type) {
	case attachment.TextPart:
		if blank(p.Text) {
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

// failedCall stands before the content of a call that failed with files: the service
// takes the mark of a failure beside texts alone.
const failedCall = "The call failed."

// toolOutput returns the answer to a tool call; it may hold files.
func (b *builder) toolOutput(c model.ToolOutput) (sdk.ContentBlockParamUnion, error) {
	result := sdk.ToolResultBlockParam{ToolUseID: b.calls.Result(c.CallID)}
	files := false
	for _, p := range c.Parts {
		block, err := b.part(p)
		if err != nil {
			return sdk.ContentBlockParamUnion{}, err
		}
		if block != nil {
			files = files || block.OfText == nil
			result.Content = append(result.Content, sdk.ToolResultBlockParamContentUnion{
				OfText: block.OfText, OfImage: block.OfImage, OfDocument: block.OfDocument,
			})
		}
	}
	switch {
	case c.Failed && files:
		said := sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: failedCall}}
		result.Content = append([]sdk.ToolResultBlockParamContentUnion{said}, result.Content...)
	case c.Failed:
		result.IsError = param.NewOpt(true)
	}
	return sdk.ContentBlockParamUnion{OfToolResult: &result}, nil
}
