package upstreamtest

import (
	"encoding/json"
	"strings"

	"pgregory.net/rapid"

	"belay/internal/attachment"
	"belay/internal/model"
)

// Replayed draws a conversation as models write them: with names of tools that there are
// not, with ids that other services refuse or that come again in every answer, and with
// results that failed and have files.
func Replayed(t *rapid.T) model.Request {
	names := rapid.SampledFrom([]string{"read", "multi_tool_use.parallel", "functions.read", "naïve tool", strings.Repeat("x", 200)})
	ids := rapid.SampledFrom([]string{"call_0", "functions.bash:0", "toolu_01", "a b", "é", strings.Repeat("y", 50), strings.Repeat("y", 51)})
	r := model.Request{Model: "m", MaxTokens: 1, Prompt: model.StringPrompt("next")}
	for range rapid.IntRange(0, 4).Draw(t, "turns") {
		said := []model.Content{model.Text{Text: "calling"}}
		var results []model.Content
		for _, id := range rapid.SliceOfN(ids, 0, 4).Draw(t, "ids") {
			said = append(said, model.ToolCall{ID: id, Name: names.Draw(t, "name"), Input: json.RawMessage(`{}`)})
			o := model.ToolOutput{CallID: id, Failed: rapid.Bool().Draw(t, "failed"), Parts: []attachment.Part{attachment.TextPart{Text: "done"}}}
			if rapid.Bool().Draw(t, "file") {
				o.Parts = append(o.Parts, attachment.ImagePart{MIMEType: "image/png", Content: Stored("x")})
			}
			results = append(results, o)
		}
		question := model.Message{Role: model.User, Content: []model.Content{model.Text{Text: "go on"}}}
		r.History = append(r.History, question, model.Message{Role: model.Assistant, Content: said})
		if len(results) > 0 {
			done := model.Message{Role: model.Assistant, Content: []model.Content{model.Text{Text: "done"}}}
			r.History = append(r.History, model.Message{Role: model.User, Content: results}, done)
		}
	}
	return r
}
