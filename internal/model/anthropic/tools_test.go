package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

func toolbox(n int) []model.ToolSpec {
	schema := `{"type":"object","properties":{` + strings.TrimSuffix(strings.Repeat(`"path":{"type":"string","description":"a file of the project, \u003cin\u003e it"},`, 8), ",") + `}}`
	all := make([]model.ToolSpec, n)
	for i := range all {
		all[i] = model.ToolSpec{Name: fmt.Sprintf("tool_%d", i), Description: strings.Repeat("what it does; ", 30), Schema: json.RawMessage(schema)}
	}
	if n > 1 {
		all[1].Description, all[1].Schema = "", nil
	}
	return all
}

func BenchmarkTools(b *testing.B) {
	r := ask("x")
	r.Tools = toolbox(14)
	for _, kept := range []bool{false, true} {
		b.Run(fmt.Sprintf("kept=%v", kept), func(b *testing.B) {
			sets := &upstream.ToolSets{Encode: toolsJSON}
			b.ReportAllocs()
			for b.Loop() {
				if !kept {
					sets = &upstream.ToolSets{Encode: toolsJSON}
				}
				bl := builder{files: new(upstream.Files), inline: upstream.InlineText, tools: sets}
				if _, err := bl.body(r, model.Anthropic().Limits(r.Model)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
