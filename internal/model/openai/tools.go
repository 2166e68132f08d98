package openai

import (
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"belay/internal/model"
)

// tools returns specs as the service takes them, nil for none: it refuses an empty
// list.
func tools(specs []model.ToolSpec) []sdk.ChatCompletionToolUnionParam {
	if len(specs) == 0 {
		return nil
	}
	all := make([]sdk.ChatCompletionToolUnionParam, len(specs))
	for i, spec := range specs {
		f := shared.FunctionDefinitionParam{Name: spec.Name}
		if spec.Description != "" {
			f.Description = param.NewOpt(spec.Description)
		}
		if len(spec.Schema) > 0 {
			f.SetExtraFields(map[string]any{"parameters": spec.Schema})
		}
		all[i] = sdk.ChatCompletionFunctionTool(f)
	}
	return all
}
