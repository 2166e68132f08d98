package anthropic

import (
	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"belay/internal/model"
)

// tools returns specs as the service takes them. With cached, the last is marked as
// the end of the cached prefix: the service puts tools before the system prompt, so
// they end the prefix where there is no prompt. No specs are nil, which sends no list.
func tools(specs []model.ToolSpec, cached bool) []sdk.ToolUnionParam {
	if len(specs) == 0 {
		return nil
	}
	all := make([]sdk.ToolUnionParam, len(specs))
	for i, spec := range specs {
		tool := sdk.ToolParam{Name: spec.Name}
		if spec.Description != "" {
			tool.Description = param.NewOpt(spec.Description)
		}
		if len(spec.Schema) > 0 {
			param.SetJSON(spec.Schema, &tool.InputSchema)
		}
		if cached && i == len(specs)-1 {
			tool.CacheControl = sdk.NewCacheControlEphemeralParam()
		}
		all[i].OfTool = &tool
	}
	return all
}
