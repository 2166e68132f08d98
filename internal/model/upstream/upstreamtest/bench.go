package upstreamtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

// Pieces is the text of an answer as it comes in.
func Pieces() []string { return slices.Repeat([]string{"It is in the log. "}, 20) }

// Calls is the benchmark of a turn in the middle of a conversation, with tools.
func Calls(b *testing.B, p *upstream.Provider) {
	r := ask("twenty bytes of text")
	r.System = []string{"You work in a project.", "Be short."}
	for i := range 20 {
		r.History = append(r.History, model.Message{
			Role:    []model.Role{model.User, model.Assistant}[i%2],
			Content: []model.Content{model.Text{Text: "It is all in the log."}},
		})
	}
	for i := range 12 {
		r.Tools = append(r.Tools, model.ToolSpec{
			Name: fmt.Sprintf("tool_%d", i), Description: "reads a file",
			Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Collect(p.Stream(b.Context(), r)); err != nil {
			b.Fatal(err)
		}
	}
}
