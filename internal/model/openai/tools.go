package openai

import (
	"bytes"
	"encoding/json"
	"fmt"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"belay/internal/model"
)

// toolsJSON is specs as the service gets them, separated by commas.
func toolsJSON(specs []model.ToolSpec, _ bool) ([]byte, error) {
	all := make([]sdk.ChatCompletionToolUnionParam, len(specs))
	for i, t := range specs {
		f := shared.FunctionDefinitionParam{Name: t.Name}
		if t.Description != "" {
			f.Description = param.NewOpt(t.Description)
		}
		if len(t.Schema) > 0 {
			f.SetExtraFields(map[string]any{"parameters": t.Schema})
		}
		all[i] = sdk.ChatCompletionFunctionTool(f)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode the tools: %w", err)
	}
	return bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("[")), []byte("]")), nil
}
