package openai

import (
	"cmp"
	"fmt"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

// builder makes the parameters of one request. Where a file belongs it leaves a
// placeholder, which [upstream.Call.Send] replaces.
type builder struct {
	files  *upstream.Files
	inline int64 // longer text documents are streamed
	// own is set for OpenAI's own host.
	own bool
	// effort is how hard the model thinks, "" for as it likes.
	effort string
	// back is how the server takes its reasoning back.
	back  reasoningBack
	calls upstream.CallNames
	model string
}

// messages are what the service gets for one of ours.
type messages []sdk.ChatCompletionMessageParamUnion

// params returns r as the service takes it. The same request always gives the same
// but for the placeholders, so that prompt caches hold.
func (b *builder) params(r model.Request, limits model.Limits) (sdk.ChatCompletionNewParams, error) {
	p := sdk.ChatCompletionNewParams{
		Model: r.Model, Tools: tools(r.Tools),
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)}, ReasoningEffort: sdk.ReasoningEffort(b.effort),
	}
	most := param.NewOpt(upstream.MaxTokens(r, limits))
	if b.own {
		p.MaxCompletionTokens = most
	} else {
		p.MaxTokens = most // the older name, which all servers know
	}
	b.model = r.Model
	// Only OpenAI's own host is known to limit ids; other servers get theirs back.
	b.calls = upstream.CallNames{MaxName: 64, MaxID: 40}
	if !b.own {
		b.calls.AnyID, b.calls.MaxID = true, 256
	}
	all := messages{}
	// One message: the templates of many local models take no second one.
	if system := joined(r.System); system != "" {
		all = append(all, sdk.SystemMessage(system))
	}
	conversation := r.Conversation()
	asked := lastQuestion(&conversation)
	for i := range conversation.Len() {
		m := conversation.At(i)
		if m.Role == model.Assistant {
			b.said(&all, m, i > asked)
		} else if err := b.given(&all, m); err != nil {
			return p, err
		}
	}
	p.Messages = all
	return p, nil
}

// joined is the texts that are not blank, apart from each other.
func joined(texts []string) string {
	var all []string
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			all = append(all, t)
		}
	}
	return strings.Join(all, "\n\n")
}

// lastQuestion is the place of the last message that is not results of tools: what
// was thought after it belongs to the answer that is being made.
func lastQuestion(talk *model.Conversation) int {
	for i := talk.Len() - 1; i >= 0; i-- {
		m := talk.At(i)
		if m.Role == model.Assistant {
			continue
		}
		for _, c := range m.Content {
			if _, result := c.(model.ToolOutput); !result {
				return i
			}
		}
	}
	return -1
}

// said adds a message of the model. Its reasoning goes back to a server that sent
// it, while the answer that it belongs to is being made, and later where the server
// wants it; another provider's, which is signed, does not.
func (b *builder) said(all *messages, m *model.Message, now bool) {
	var texts, thoughts []string
	var out sdk.ChatCompletionAssistantMessageParam
	b.calls.Answer()
	for _, c := range m.Content {
		switch c := c.(type) {
		case model.Text:
			texts = append(texts, c.Text)
		case model.Thinking:
			if c.Signature == "" {
				thoughts = append(thoughts, c.Text)
			}
		case model.ToolCall:
			input := cmp.Or(string(c.Input), "{}")
			out.ToolCalls = append(out.ToolCalls, b.toolCall(c, input))
		}
	}
	text := joined(texts)
	if text == "" && len(out.ToolCalls) == 0 {
		return // the service takes no message without either
	}
	if text != "" {
		out.Content.OfString = param.NewOpt(text)
	}
	if thought := b.back.of(joined(thoughts), len(out.ToolCalls) > 0, now); thought != "" && !b.own {
		out.SetExtraFields(map[string]any{b.back.field: thought})
	}
	*all = append(*all, sdk.ChatCompletionMessageParamUnion{OfAssistant: &out})
}

// toolCall is a call of the model as the service gets it back.
func (b *builder) toolCall(c model.ToolCall, input string) sdk.ChatCompletionMessageToolCallUnionParam {
	f := sdk.ChatCompletionMessageFunctionToolCallParam{
		ID:       b.calls.Call(c.ID),
		Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: b.calls.Name(c.Name), Arguments: input},
	}
	if extra := extraOf(c.Signature, b.model); extra != nil && !b.own {
		f.SetExtraFields(map[string]any{extraField: extra})
	}
	return sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &f}
}

// given adds a message of the user's side: first the results of the model's calls,
// one message each, then one with everything else.
func (b *builder) given(all *messages, m *model.Message) error {
	var rest parts
	for _, c := range m.Content {
		switch c := c.(type) {
		case model.ToolOutput:
			c.CallID = b.calls.Result(c.CallID)
			text, err := b.result(c, &rest)
			if err != nil {
				return err
			}
			*all = append(*all, sdk.ToolMessage(text, c.CallID))
		case model.Media:
			rest = append(rest, c.Part)
		case model.Text:
			rest = rest.text(c.Text)
		default:
			return fmt.Errorf("content of type %T cannot be sent", c)
		}
	}
	content, err := b.content(rest)
	if err != nil {
		return err
	}
	if len(content) > 0 {
		b.bridge(all)
	}
	switch {
	case len(content) == 0:
	case onlyText(content):
		// A text as such, which every server takes.
		texts := make([]string, len(content))
		for i, c := range content {
			texts[i] = c.OfText.Text
		}
		*all = append(*all, sdk.UserMessage(strings.Join(texts, "\n\n")))
	default:
		*all = append(*all, sdk.UserMessage(content))
	}
	return nil
}

// seen stands between results of tools and what a person says: Mistral, and templates of
// local models, take no such message right after a result.
const seen = "(The results are above.)"

// bridge lets a message of the user follow. OpenAI's own host needs nothing for it.
func (b *builder) bridge(all *messages) {
	if n := len(*all); b.own || n == 0 || (*all)[n-1].OfTool == nil {
		return
	}
	b.said(all, &model.Message{Role: model.Assistant, Content: []model.Content{model.Text{Text: seen}}}, false)
}

func onlyText(content []sdk.ChatCompletionContentPartUnionParam) bool {
	for _, c := range content {
		if c.OfText == nil {
			return false
		}
	}
	return true
}
