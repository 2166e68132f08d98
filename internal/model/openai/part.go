package openai

import (
	"cmp"
	"fmt"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream"
)

// parts are what one message is to hold.
type parts []attachment.Part

func (p parts) text(s string) parts { return append(p, attachment.TextPart{Text: s}) }

// result returns the text of a tool's result. A result can hold nothing else, so
// files go to rest, the user's message behind the results, under a line that says
// whose they are.
func (b *builder) result(c model.ToolOutput, rest *parts) (string, error) {
	var texts []string
	if c.Failed {
		texts = append(texts, "The call failed.")
	}
	files := 0
	for _, p := range c.Parts {
		switch p := p.(type) {
		case attachment.TextPart, attachment.TextDocumentPart:
			text, err := b.asText(p)
			if err != nil {
				return "", err
			}
			texts = append(texts, text)
		default:
			if files == 0 {
				*rest = rest.text(fmt.Sprintf("[Of the result of %s:]", c.CallID))
			}
			files++
			*rest = append(*rest, p)
		}
	}
	if files > 0 {
		texts = append(texts, "[Files of the result follow behind the results.]")
	}
	if text := joined(texts); text != "" {
		return text, nil
	}
	return "[nothing]", nil // an empty result is an error to some servers
}

// content returns the parts as the service takes them, without blank text.
func (b *builder) content(all parts) (content []sdk.ChatCompletionContentPartUnionParam, err error) {
	for _, p := range all {
		switch p := p.(type) {
		case attachment.TextPart, attachment.TextDocumentPart:
			text, err := b.asText(p)
			if err != nil {
				return nil, err
			}
			if strings.TrimSpace(text) != "" {
				content = append(content, sdk.TextContentPart(text))
			}
		case attachment.ImagePart:
			content = append(content, sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{
				URL: b.dataURL(p.MIMEType, p.Content), Detail: p.Detail,
			}))
		case attachment.ImageURLPart:
			content = append(content, sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: p.URL, Detail: p.Detail}))
		case attachment.DocumentPart:
			name := cmp.Or(p.Name, "document.pdf") // the service demands one
			content = append(content, sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{
				FileData: param.NewOpt(b.dataURL("application/pdf", p.Content)), Filename: param.NewOpt(name),
			}))
		case attachment.MediaPart:
			format := audioFormats[p.MIMEType]
			if format == "" {
				return nil, fmt.Errorf("a file of type %s cannot be sent", p.MIMEType)
			}
			content = append(content, sdk.InputAudioContentPart(sdk.ChatCompletionContentPartInputAudioInputAudioParam{
				Data: b.files.Add(p.Content, upstream.AsBase64), Format: format,
			}))
		default:
			return nil, fmt.Errorf("a part of type %T cannot be sent", p)
		}
	}
	return content, nil
}

// audioFormats are the service's names of the sounds that it takes.
var audioFormats = map[string]string{"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3"}

func (b *builder) dataURL(mimeType string, c attachment.Content) string {
	return "data:" + mimeType + ";base64," + b.files.Add(c, upstream.AsBase64)
}

// asText returns a text, or a text document between lines that name it: the service
// has no documents of text. A long one is a placeholder.
func (b *builder) asText(p attachment.Part) (string, error) {
	d, isDocument := p.(attachment.TextDocumentPart)
	if !isDocument {
		return p.(attachment.TextPart).Text, nil
	}
	if d.Content.Size() == 0 {
		return fmt.Sprintf("The file %q is empty.", d.Name), nil
	}
	var text string
	if d.Content.Size() > b.inline {
		text = b.files.Add(d.Content, upstream.AsText)
	} else {
		var err error
		if text, err = upstream.ReadText(d.Content); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("[The file %q begins.]\n%s\n[The file %q ends.]", d.Name, text, d.Name), nil
}
