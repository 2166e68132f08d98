package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
	"github.com/google/go-cmp/cmp"

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

// The body has the tools as the SDK would write them, whether they were kept or
// not, and the mark of the cache where nothing follows them.
func TestToolsInTheBody(t *testing.T) {
	t.Parallel()
	sets := &upstream.ToolSets{Encode: toolsJSON}
	for _, n := range []int{1, 3, 0, 3, 1} {
		for _, system := range [][]string{nil, {"Be brief."}} {
			r := ask("x")
			r.System, r.Tools = system, toolbox(n)
			b := builder{files: upstream.NewFiles(), inline: upstream.InlineText, tools: sets}
			p, err := b.params(r, model.Anthropic().Limits(r.Model))
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			load, err := b.files.Cut(data, upstream.NewBuffers(upstream.BufferSize))
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			body := load.Open()
			if _, err := got.ReadFrom(body); err != nil {
				t.Fatal(err)
			}
			body.Close()
			if int64(got.Len()) != load.Size() {
				t.Errorf("the body has %d bytes, its length says %d", got.Len(), load.Size())
			}
			p.Tools = nil
			for i, s := range r.Tools {
				tool := sdk.ToolParam{Name: s.Name}
				if s.Description != "" {
					tool.Description = param.NewOpt(s.Description)
				}
				if len(s.Schema) > 0 {
					param.SetJSON(s.Schema, &tool.InputSchema)
				}
				if system == nil && i == n-1 {
					tool.CacheControl = sdk.NewCacheControlEphemeralParam()
				}
				p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: &tool})
			}
			want, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%d tools, system %q (-want +got):\n%s", n, system, diff)
			}
		}
	}
}

func BenchmarkParamsWithTools(b *testing.B) {
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
				bl := builder{files: upstream.NewFiles(), inline: upstream.InlineText, tools: sets}
				p, err := bl.params(r, model.Anthropic().Limits(r.Model))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := json.Marshal(p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
