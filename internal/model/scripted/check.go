package scripted

import (
	"fmt"
	"slices"

	"belay/internal/attachment"
	"belay/internal/model"
)

// check refuses what the real service would refuse, with its status.
func (p *Provider) check(r *model.Request, m model.Measure, messages *model.Conversation) error {
	limits := p.catalog.Limits(r.Model)
	a := limits.Attachments
	switch {
	case r.MaxTokens < 0 || r.MaxTokens > limits.OutputTokens:
		return refuse("max_tokens: %d is not between 1 and %d, which is the most that %s gives", r.MaxTokens, limits.OutputTokens, r.Model)
	case m.Bytes > a.RequestBytes:
		return refuse("the request has %d bytes, more than the %d that are taken", m.Bytes, a.RequestBytes)
	case m.Images > a.Images:
		return refuse("the request has %d images, more than the %d that are taken", m.Images, a.Images)
	case m.Pages > a.PDFPages:
		return refuse("the request has %d PDF pages, more than the %d that are taken", m.Pages, a.PDFPages)
	case m.Tokens+max(r.MaxTokens, 1) > limits.ContextTokens:
		return refuse("prompt is too long: %d tokens and %d for the answer exceed the context of %d", m.Tokens, max(r.MaxTokens, 1), limits.ContextTokens)
	}
	if a.ManyImages > 0 && m.Images > a.ManyImages {
		a.ImageSide = a.ManyImagesSide
	}
	if err := checkTurns(messages, a); err != nil {
		return refuse("%v", err)
	}
	return nil
}

// maxTokens is the cap on the answer to r.
func (p *Provider) maxTokens(r model.Request) int64 {
	if r.MaxTokens > 0 {
		return r.MaxTokens
	}
	return p.catalog.Limits(r.Model).OutputTokens
}

// checkTurns holds the conversation to the protocol: it starts and ends with
// the user, the roles alternate, every tool call is answered at once, and every
// file is within the limits.
func checkTurns(messages *model.Conversation, a attachment.Limits) error {
	if messages.Len() == 0 {
		return fmt.Errorf("messages: at least one message is required")
	}
	want := model.User
	var open []string
	for i := range messages.Len() {
		m := messages.At(i)
		if m.Role != want {
			return fmt.Errorf("messages.%d: role %q where %q is expected", i, m.Role, want)
		}
		// An empty prompt is let through: it has an answer of its own.
		if len(m.Content) == 0 && i < messages.Len()-1 {
			return fmt.Errorf("messages.%d: content is empty", i)
		}
		var err error
		if open, err = checkContent(m, open, a); err != nil {
			return fmt.Errorf("messages.%d: %w", i, err)
		}
		if want = model.Assistant; m.Role == model.Assistant {
			want = model.User
		}
	}
	if want == model.User {
		return fmt.Errorf("messages: the last message must be the user's")
	}
	return nil
}

// checkContent matches the tool outputs of m with the calls left open by the
// message before it, and returns the calls that m opens. It checks the files of m.
func checkContent(m *model.Message, open []string, a attachment.Limits) (opened []string, err error) {
	for _, c := range m.Content {
		switch c := c.(type) {
		case model.ToolCall:
			if m.Role != model.Assistant {
				return nil, fmt.Errorf("a tool call in a message of role %q", m.Role)
			}
			opened = append(opened, c.ID)
		case model.ToolOutput:
			i := slices.Index(open, c.CallID)
			if i < 0 {
				return nil, fmt.Errorf("a tool result for %q, which the message before did not call", c.CallID)
			}
			open = slices.Delete(slices.Clone(open), i, i+1)
			for _, p := range c.Parts {
				if err := checkPart(p, a); err != nil {
					return nil, err
				}
			}
		case model.Media:
			if err := checkPart(c.Part, a); err != nil {
				return nil, err
			}
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("the tool call %q has no result", open[0])
	}
	return opened, nil
}

func checkPart(p attachment.Part, a attachment.Limits) error {
	switch p := p.(type) {
	case attachment.ImagePart:
		switch {
		case !slices.Contains(a.ImageTypes, p.MIMEType):
			return fmt.Errorf("image %s: the type %q is not taken", p.Name, p.MIMEType)
		case p.Content.Size() > a.ImageBytes:
			return fmt.Errorf("image %s: %d bytes exceed the %d of one image", p.Name, p.Content.Size(), a.ImageBytes)
		case max(p.Width, p.Height) > a.ImageSide:
			return fmt.Errorf("image %s: a side of %d pixels exceeds %d", p.Name, max(p.Width, p.Height), a.ImageSide)
		}
	case attachment.ImageURLPart:
		if !a.ImageURLs {
			return fmt.Errorf("image %s: addresses are not taken", p.Name)
		}
	case attachment.MediaPart:
		types, most := a.AudioTypes, a.AudioBytes
		switch {
		case !slices.Contains(types, p.MIMEType):
			return fmt.Errorf("%s %s: the type %q is not taken", p.Kind, p.Name, p.MIMEType)
		case most > 0 && p.Content.Size() > most:
			return fmt.Errorf("%s %s: %d bytes exceed the %d of one file", p.Kind, p.Name, p.Content.Size(), most)
		}
	case attachment.DocumentPart:
		switch {
		case !a.PDF || p.MIMEType != "application/pdf":
			return fmt.Errorf("document %s: the type %q is not taken", p.Name, p.MIMEType)
		case p.Content.Size() > a.PDFBytes:
			return fmt.Errorf("document %s: %d bytes exceed the %d of one document", p.Name, p.Content.Size(), a.PDFBytes)
		}
	}
	return nil
}

func refuse(format string, args ...any) error {
	return model.UpstreamFailure(Name, 400, "invalid_request_error", fmt.Sprintf(format, args...), 0, nil)
}
